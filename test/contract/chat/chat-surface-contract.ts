import { describe, expect, it, vi } from "vitest";
import { said, textsOf, until, untilSaid } from "../../support/surfaces/chat-surface.ts";
import { secret } from "../../support/surfaces/use-chat-surfaces.ts";
import { newWord, type SurfaceUnderContract, surfaceOf } from "./surface-under-contract.ts";

/** What people may rely on in a conversation with the bot, wherever they have it. */
export function chatSurfaceContract(under: SurfaceUnderContract): void {
  const { fixture, can } = under;
  const surface = () => surfaceOf(under);
  const openAnother = () => surface().open(can.severalConversations ? "home" : "elsewhere");

  describe("an answer", () => {
    it("an answer is given once, in the conversation it was requested in and nowhere else", async () => {
      const { model, surfaces, finished } = fixture();
      const word = newWord("once");
      model.when(word, () => [`Answer to ${word}!`]);
      const silent = await openAnother();
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, `Answer to ${word}!`);
      await finished(word);

      const everything = await Promise.all([...surfaces.values()].map((each) => each.everything()));
      expect(count(everything.flat(), `Answer to ${word}!`)).toBe(1);
      expect(await silent.shown()).toEqual([]);
      expect(model.askedOf(word)).toHaveLength(1);
    });

    it("an answer arrives as Markdown", async () => {
      const { model } = fixture();
      const word = newWord("marked");
      const code = '```python\nprint("hi & <bye>")\n```';
      model.when(word, () => [
        `Some **bold** words and [a link](https://example.com/page).\n\n- one\n- two\n\n${code}\n\nEnd of ${word}.`,
      ]);
      const conversation = await surface().open();
      await conversation.say(word);

      const text = said(await untilSaid(conversation, `End of ${word}.`), "answer");
      expect(text).toContain("**bold**");
      expect(text).toContain("[a link](https://example.com/page)");
      expect(text).toMatch(/^- +one\n- +two$/m);
      expect(text).toContain(code);
    });

    it("an answer of 9,000 characters arrives whole, with every code block closed", async () => {
      const { model, finished } = fixture();
      const word = newWord("long");
      const lines = Array.from({ length: 180 }, (_, line) => `const line_${line}_ = "${"x".repeat(30)}";`);
      model.when(word, () => [`Begin of ${word}.\n\n\`\`\`ts\n`, ...pieces(lines), "\n```\n\nThe end."]);
      const conversation = await surface().open();
      await conversation.say(word);
      await until(conversation, (parts) => /The end\.|answer\.md/.test(said(parts, "answer")));
      await finished(word);

      const parts = textsOf(await conversation.shown(), "answer");
      for (const part of parts) expect((part.match(/^```/gm) ?? []).length % 2).toBe(0);
      const whole =
        (await conversation.files()).find((file) => file.name === "answer.md")?.text ?? parts.join("\n");
      const found = [...whole.matchAll(/line_(\d+)_/g)].map(([, number]) => Number(number));
      expect(found).toEqual(lines.map((_, line) => line));
      expect(whole).toContain("The end.");
    });

    it.skipIf(!can.mentions)("an answer calls nobody but the person it answers", async () => {
      const { model } = fixture();
      const word = newWord("calls");
      model.when(word, () => ["@every", "one and @here and <!chan", `nel> and <!here>, ${word}.`]);
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, word);
      await fixture().finished(word);
      expect(await conversation.called()).toEqual([]);
    });

    it("an answer does not show a secret of the configuration that the model says", async () => {
      const { model } = fixture();
      const word = newWord("secret");
      model.when(word, () => ["The key is ", secret.slice(0, 9), secret.slice(9), ` as you see in ${word}.`]);
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, `as you see in ${word}.`);
      await fixture().finished(word);
      expect(await surface().sent()).toContain(`as you see in ${word}.`);
      expect(await surface().sent()).not.toContain(secret);
    });
  });

  describe("a conversation", () => {
    it("a conversation continues with what was said before, and another one knows nothing of it", async () => {
      const { model } = fixture();
      const [first, second, other] = [newWord("first"), newWord("second"), newWord("other")];
      for (const word of [first, second, other]) model.when(word, () => [`Reply to ${word}.`]);
      const conversation = await surface().open();
      await conversation.say(first);
      await untilSaid(conversation, `Reply to ${first}.`);
      await conversation.say(second);
      await untilSaid(conversation, `Reply to ${second}.`);
      const another = await openAnother();
      await another.say(other);
      await untilSaid(another, `Reply to ${other}.`);

      expect(model.askedOf(second)[0]?.body).toContain(`Reply to ${first}.`);
      expect(model.askedOf(other)[0]?.body).not.toContain(first);
    });

    it("a conversation does not wait for another one", async () => {
      const { model } = fixture();
      const [held, quick] = [newWord("held"), newWord("quick")];
      const go = Promise.withResolvers<void>();
      model.when(held, async function* () {
        await go.promise;
        yield `Reply to ${held}.`;
      });
      model.when(quick, () => [`Reply to ${quick}.`]);
      const [one, two] = [await surface().open(), await openAnother()];
      await one.say(held);
      // `expect.poll` does not know its test when others run at the same time.
      await vi.waitFor(() => expect(model.askedOf(held)).toHaveLength(1), { timeout: 30_000 });
      await two.say(quick);
      const shownInTwo = await untilSaid(two, `Reply to ${quick}.`);
      expect(said(await one.shown(), "answer")).not.toContain("Reply to");
      go.resolve();
      const shownInOne = await untilSaid(one, `Reply to ${held}.`);
      expect(said(shownInOne, "answer")).not.toContain(quick);
      expect(said(shownInTwo, "answer")).not.toContain(held);
    });
  });

  describe("a model that fails", () => {
    it("a model that fails with 401 makes one message, which says what to do", async () => {
      const { model, finished } = fixture();
      const word = newWord("broken");
      model.when(word, () => ({ status: 401 }));
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, /key/i);
      await finished(word);
      const answers = textsOf(await conversation.shown(), "answer");
      expect(answers).toHaveLength(1);
      expect(answers[0]).not.toMatch(/\bat .*\.ts:\d|undefined|\[object/);
    });

    it("a model that fails with 500 is reported while it is asked again, and answers once it is back", async () => {
      const { model, finished } = fixture();
      const word = newWord("away");
      let isAway = true;
      model.when(word, () => (isAway ? { status: 500 } : [`Reply to ${word}.`]));
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, "I'll keep trying until", can.editable ? "progress" : "answer");
      isAway = false;
      await untilSaid(conversation, `Reply to ${word}.`);
      await finished(word);
      const shown = await conversation.shown();
      expect(count(shown, `Reply to ${word}.`)).toBe(1);
      if (can.editable) expect(count(shown, "I'll keep trying until")).toBe(0);
    });
  });
}

/** In pieces as a model writes it. */
function pieces(lines: readonly string[]): string[] {
  const text = lines.join("\n");
  return text.match(/[\s\S]{1,200}/g) ?? [];
}

function count(parts: readonly { text: string }[], text: string): number {
  return parts.reduce((sum, part) => sum + part.text.split(text).length - 1, 0);
}
