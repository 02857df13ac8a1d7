import { describe, expect, it } from "vitest";
import type { PlatformModel } from "../../support/bot/platform-model.ts";
import { eventually } from "../../support/eventually.ts";
import { type Conversation, said, textsOf, untilSaid } from "../../support/surfaces/chat-surface.ts";
import { newWord, type SurfaceUnderContract, surfaceOf } from "./surface-under-contract.ts";

/** What people may rely on while the bot works for them: to see what it does, to stop it, to answer and to decide. */
export function chatWorkContract(under: SurfaceUnderContract): void {
  const { fixture, can } = under;
  const surface = () => surfaceOf(under);
  const title = "Using the skill web-scraping";

  describe("slow work", () => {
    it("slow work is reported by the title of its step, and takes no room next to the answer", async () => {
      const { model, pages, holdPage } = fixture();
      const word = newWord("slow");
      readsPage(model, word, pages.url);
      const open = holdPage(`/${word}`);
      const conversation = await surface().open();
      await conversation.say(`${word} ${pages.url}/${word}`);
      await untilSaid(conversation, title, "progress");
      expect(said(await conversation.shown(), "answer")).not.toContain("I read");
      await pages.reached(1, ({ path }) => path === `/${word}`);
      open();

      await untilSaid(conversation, `I read ${word}.`);
      if (!can.editable) return;
      await untilSaid(conversation, /\d steps?/, "progress");
      await eventually(async () =>
        expect(textsOf(await conversation.shown(), "progress")).toEqual([expect.not.stringContaining(title)]),
      );
    });

    it(can.buttons ? "slow work ends with the button Stop" : "slow work ends with Ctrl-C", async () => {
      const { model, pages, holdPage, finished } = fixture();
      const word = newWord("halted");
      readsPage(model, word, pages.url);
      const open = holdPage(`/${word}`);
      const conversation = await surface().open();
      await conversation.say(`${word} ${pages.url}/${word}`);
      await untilSaid(conversation, title, "progress");
      await conversation.press("Stop");

      await untilSaid(conversation, "Stopped");
      await finished(word);
      open();
      expect(said(await conversation.shown(), "answer")).not.toContain("I read");
      expect(model.askedOf(word)).toHaveLength(1);
    });
  });

  it.skipIf(!can.readsWhileWorking)("a turn ends when somebody says stop", async () => {
    const { model, finished } = fixture();
    const word = newWord("endless");
    model.when(word, async function* () {
      yield "It was a dark and stormy night. ".repeat(20);
      await new Promise(() => {});
    });
    const conversation = await surface().open();
    await conversation.say(word);
    await untilSaid(conversation, "dark and stormy");
    await conversation.say(can.severalPeople ? "stop" : "/agent stop here");
    const shown = await untilSaid(conversation, "Stopped");
    await finished(word);
    if (can.severalPeople) expect(said(shown, "answer").match(/Stopped/g)).toHaveLength(1);
  });

  describe("a question with choices", () => {
    const asks = (model: PlatformModel, word: string) =>
      model.when(word, ({ results }) =>
        results.length === 0
          ? [
              {
                call: "ask_user",
                with: { question: `Which fish, ${word}?`, choices: ["Red fish", "Blue fish"] },
              },
            ]
          : [`Fine: ${results.at(-1)}`],
      );
    const asked = async (what: string): Promise<Conversation> => {
      const { model } = fixture();
      const word = newWord(what);
      asks(model, word);
      const conversation = await surface().open();
      await conversation.say(word);
      await untilSaid(conversation, `Which fish, ${word}?`, "question");
      return conversation;
    };

    it("a question with choices is answered with one of them, and the turn continues", async () => {
      const conversation = await asked("choice");
      await conversation.press("Blue fish");
      await untilSaid(conversation, /Fine: .*Blue fish/);
    });

    it("a question with choices is answered in words, and the turn continues", async () => {
      const conversation = await asked("words");
      await conversation.say("a green one");
      await untilSaid(conversation, /Fine: .*a green one/);
    });
  });

  describe("a call that needs approval", () => {
    const wanting = async (what: string): Promise<Conversation> => {
      const { model } = fixture();
      const word = newWord(what);
      const input = { skill_name: "cleaner", script: "clean.sh", args: [`/data/${word}`] };
      model.when(word, ({ results }) =>
        results.length === 0
          ? [{ call: "run_skill_script", with: input }]
          : [`Result of ${word}: ${results.at(-1)}`],
      );
      const conversation = await surface().open();
      await conversation.say(word);
      const question = said(await untilSaid(conversation, `/data/${word}`, "question"), "question");
      expect(question.replaceAll("\\", "")).toMatch(/\[\s*"\/data\/[\w-]+"\s*\]/);
      expect(question).toContain('May I run the script "clean.sh" of the skill "cleaner"?');
      return conversation;
    };

    it("a call that needs approval runs with exactly what was shown once it is approved", async () => {
      const conversation = await wanting("approved");
      await conversation.press("Approve once", "manager");
      await untilSaid(conversation, /Result of [\w-]+: .*cleaned \/data\/approved-/);
    });

    it("a call that needs approval does not run when it is refused, and the model is told", async () => {
      const conversation = await wanting("refused");
      await conversation.press("Refuse", "manager");
      const answer = said(await untilSaid(conversation, /Result of [\w-]+: .*refused/), "answer");
      expect(answer).not.toContain("cleaned");
    });

    it.skipIf(!can.severalPeople)(
      "a call that needs approval is not decided by an unauthorised person, who alone is told",
      async () => {
        const conversation = await wanting("unasked");
        await conversation.press("Approve once", "asker");
        await untilSaid(conversation, /operator/, "private");
        expect(said(await conversation.shown("manager"), "private")).toBe("");
        await conversation.press("Refuse", "manager");
        await untilSaid(conversation, /Result of [\w-]+: .*refused/);
      },
    );
  });
}

function readsPage(model: PlatformModel, word: string, origin: string): void {
  const call = { skill_id: "web-scraping", params: { url: `${origin}/${word}` } };
  model.when(word, ({ results }) =>
    results.length === 0 ? [{ call: "invoke_skill", with: call }] : [`I read ${word}.`],
  );
}
