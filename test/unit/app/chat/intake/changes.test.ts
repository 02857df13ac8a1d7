import { describe, expect, it } from "vitest";
import type { ChatEdit, ChatMessage } from "../../../../../src/app/chat/chat-intake.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { createGate, createIntake } from "./fixture.ts";

const edit = (message: ChatMessage, text: string, edited_at = message.said_at + 1_000): ChatEdit => ({
  ...message,
  text,
  edited_at,
});

/** A bot that thinks until it is let go, and then once more. */
function createThinking() {
  const { gate, open } = createGate();
  const model = scriptedModel([[{ call: "look_around" }], "Done."], { gate });
  return { ...createIntake({ model }), model, open };
}

describe("an edited message", () => {
  it("an edited message with the same text changes nothing, as with link previews", async () => {
    const { intake, mention, asked, open } = createThinking();
    const question = mention("read https://example.org");
    await intake.message(question);
    await intake.edited(edit(question, "read https://example.org "));
    expect(await asked()).toEqual(["read https://example.org"]);
    open();
  });

  it("an edited message steers its running turn, once per edit", async () => {
    const { intake, mention, asked, open, until, turnOf, events } = createThinking();
    const question = mention("plan for Monday");
    await intake.message(question);
    await until(await turnOf(question), "turn_started");
    const edited = edit(question, "plan for Tuesday");
    await intake.edited(edited);
    await intake.edited(edited);
    await intake.edited({ ...edited, edited_at: edited.edited_at + 500 });
    expect(await asked()).toEqual(["plan for Monday", "I edited my message. It now says: plan for Tuesday"]);
    open();
    const steered = (await events(await turnOf(question))).filter((event) => event.type === "steered");
    expect(steered).toHaveLength(1);
  });

  it("an edited message steers only its author's turn", async () => {
    const { intake, mention, asked, open } = createThinking();
    const question = mention("plan for Monday");
    await intake.message(question);
    await intake.edited(edit({ ...question, author: "ben" }, "delete everything"));
    expect(await asked()).toEqual(["plan for Monday"]);
    open();
  });

  describe("after its answer", () => {
    const offer = "You changed your question. Answer it again?";
    const answered = async () => {
      const bot = createIntake();
      const question = bot.mention("plan for Monday");
      await bot.intake.message(question);
      await bot.events(await bot.turnOf(question));
      const offers = () => bot.platform.visible().filter(({ message }) => message.markdown.startsWith(offer));
      const choose = async (label: string, person = "ada") => {
        const [card] = offers();
        const { id = "" } = card?.message.buttons?.find((button) => button.label === label) ?? {};
        const place = question.place;
        await bot.press(id, person, { place, reference: card?.reference ?? "" });
      };
      return { ...bot, question, offers, choose };
    };

    it("an edited message is answered again once its author wants it", async () => {
      const { intake, question, asked, offers, choose } = await answered();
      await intake.edited(edit(question, "plan for Tuesday"));
      await intake.edited(edit(question, "plan for Tuesday"));
      expect(offers()).toHaveLength(1);
      expect(await asked()).toEqual(["plan for Monday"]);
      await choose("Yes, answer it", "ben");
      expect(await asked()).toEqual(["plan for Monday"]);
      await choose("Yes, answer it");
      expect(await asked()).toEqual(["plan for Monday", "plan for Tuesday"]);
      await expect.poll(offers).toEqual([]);
    });

    it("an edited message that changes again is offered once more with its newest words", async () => {
      const { intake, question, asked, offers, choose, events, app } = await answered();
      await intake.edited(edit(question, "plan for Tuesday", question.said_at + 1_000));
      await intake.edited(edit(question, "plan for Friday", question.said_at + 2_000));
      expect(offers()).toHaveLength(1);
      await choose("Yes, answer it");
      const [latest] = await app.turns({ namespace: question.place.namespace, limit: 1 });
      await events(latest?.turn_id ?? "");
      await intake.edited(edit(question, "plan for Sunday", question.said_at + 3_000));
      expect(offers()).toHaveLength(1);
      await choose("No");
      expect(await asked()).toEqual(["plan for Monday", "plan for Friday"]);
    });

    it("an edited message is left alone after a mere link preview, after a day, or when more was asked since", async () => {
      const { intake, question, offers, pass, message, turnOf, events } = await answered();
      await intake.edited(edit(question, "plan for Monday "));
      const more = message("and then?", { thread: question.id, addressed: "mention" });
      await intake.message(more);
      await events(await turnOf(more));
      await intake.edited(edit(question, "plan for Tuesday"));
      pass(25 * 3_600_000);
      await intake.edited(edit(more, "and after that?"));
      expect(offers()).toEqual([]);
    });

    it("an edited message is not offered any more when it is deleted", async () => {
      const { intake, question, offers } = await answered();
      await intake.edited(edit(question, "plan for Tuesday"));
      expect(offers()).toHaveLength(1);
      await intake.removed(question);
      await expect.poll(offers).toEqual([]);
    });
  });

  it("an edited message that addresses the bot only now is taken as new, unless it is old", async () => {
    const { intake, mention, message, asked, pass } = createIntake();
    const overheard = message("what is new?");
    const old = message("and before?");
    await intake.message(overheard);
    await intake.edited(edit({ ...overheard }, "what is new, all?"));
    const now = edit({ ...overheard, addressed: "mention" }, "what is new?");
    await intake.edited(now);
    await intake.edited(now);
    expect(await asked()).toEqual(["what is new?"]);
    pass(16 * 60_000);
    await intake.edited(edit({ ...old, addressed: "mention" }, "and before?"));
    await intake.message(mention("still there?"));
    expect(await asked()).toEqual(["what is new?", "still there?"]);
  });
});

describe("a deleted message", () => {
  it("a deleted message takes along the answer to its edit that had not begun", async () => {
    const { gate, open } = createGate();
    const { intake, mention, turnOf, until, platform, log } = createIntake({
      model: scriptedModel(["Done."], { gate }),
    });
    const question = mention("plan for Monday");
    await intake.message(question);
    await until(await turnOf(question), "turn_started");
    await intake.edited(edit(question, "plan for Tuesday"));
    await intake.removed(question);
    open();
    const turns = () => log.list({ ...question.place, limit: 10 });
    await expect
      .poll(async () => (await turns()).map(({ status, text }) => status + text))
      .toEqual(["finished", "finished"]);
    expect(platform.visible()).toEqual([]);
  });

  it("a deleted message takes along the answer to its edit that was already given", async () => {
    const { gate, open } = createGate();
    const { intake, mention, turnOf, until, platform, log, events } = createIntake({
      model: scriptedModel(["Done."], { gate }),
    });
    const question = mention("plan for Monday");
    await intake.message(question);
    await until(await turnOf(question), "turn_started");
    await intake.edited(edit(question, "plan for Tuesday"));
    open();
    const turns = () => log.list({ ...question.place, limit: 10 });
    for (const { turn_id } of await turns()) await events(turn_id);
    expect(platform.visible().length).toBeGreaterThan(0);
    await intake.removed(question);
    await expect.poll(() => platform.visible()).toEqual([]);
  });

  it("a deleted message takes its answer with it", async () => {
    const { intake, mention, turnOf, events, platform, app } = createIntake();
    const question = mention("what is new?");
    await intake.message(question);
    const turnId = await turnOf(question);
    await events(turnId);
    await intake.removed(question);
    await platform.until(() => (platform.visible().length === 0 ? true : undefined));
    await expect.poll(async () => (await app.turn(turnId))?.text).toBe("");
  });

  it("a deleted message stops its running turn", async () => {
    const { intake, mention, turnOf, until, app, model } = createThinking();
    const question = mention("what is new?");
    await intake.message(question);
    const turnId = await turnOf(question);
    await until(turnId, "turn_started");
    await intake.removed(question);
    await expect.poll(async () => (await app.turn(turnId))?.text).toBe("");
    expect((await app.turn(turnId))?.outcome).toBe("stopped");
    expect(model.requests.length).toBeLessThanOrEqual(1);
  });

  it("a deleted message whose turn had not begun is never answered", async () => {
    const { intake, mention, turnOf, until, app, open, events, platform } = createThinking();
    const first = mention("one", { id: "root" });
    const queued = mention("two", { thread: "root", author: "ben" });
    await intake.message(first);
    await intake.message(queued);
    await until(await turnOf(first), "turn_started");
    await intake.removed(queued);
    open();
    await events(await turnOf(first));
    await expect.poll(async () => (await app.turn(await turnOf(queued)))?.text).toBe("");
    expect((await app.turn(await turnOf(first)))?.outcome).toBe("completed");
    const answers = platform.visible().filter((each) => each.to?.person === "ben");
    expect(answers).toEqual([]);
  });

  it("a deleted message that is unknown or in another channel changes nothing", async () => {
    const { intake, mention, turnOf, events, app, errors } = createIntake();
    const question = mention("what is new?");
    await intake.message(question);
    const turnId = await turnOf(question);
    await events(turnId);
    await intake.removed({ key: question.key, place: { namespace: "fake:team:other", thread: "t" } });
    await intake.removed({ key: "never heard of", place: question.place });
    expect((await app.turn(turnId))?.text).toBe("what is new?");
    expect(errors).toEqual([]);
  });
});
