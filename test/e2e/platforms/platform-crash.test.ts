import { beforeAll, describe, expect, it } from "vitest";
import { type PlatformBot, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const bot = usePlatformBot();

/** Long enough that it is shown while it is written. */
const long = (word: string) => `${word} `.repeat(60);

beforeAll(async () => {
  await bot().start();
});

describe.each(["slack", "discord"] as const)("a bot that is killed on %s", (name) => {
  it("a killed bot posts an answer once if it could not record the posting", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `posted-${name}`;
    const posted = surface.gate.loseReply((request) => surface.isPost(request));
    model.when(text, () => ["The answer."]);
    const thread = await surface.ask(text);
    await posted;

    await crash();

    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual(["The answer."]);
    expect(model.askedOf(text)).toHaveLength(1);
  });

  it("a killed bot posts an answer that had not gone out", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `unposted-${name}`;
    const tried = surface.gate.loseRequest((request) => surface.isPost(request));
    model.when(text, () => ["The answer."]);
    const thread = await surface.ask(text);
    await tried;

    await crash();

    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual(["The answer."]);
    expect(model.askedOf(text)).toHaveLength(1);
  });

  it("a killed bot completes a partly shown answer in its message", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `growing-${name}`;
    let tries = 0;
    model.when(text, async function* () {
      yield long("alpha");
      tries += 1;
      if (tries === 1) await new Promise(() => {});
      yield "omega";
    });
    const thread = await surface.ask(text);
    await surface.shows(thread, "alpha alpha");

    await crash();

    await surface.shows(thread, "omega");
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual([`${long("alpha")}omega`]);
  });

  it.each(["begun", "growing"])(
    "a killed bot leaves one message of a turn with steps (its answer: %s)",
    async (when) => {
      const { surfaces, model, crash } = bot();
      const surface = surfaces[name];
      const text = `steps-${when}-${name}`;
      let tries = 0;
      model.when(text, async function* ({ results }) {
        if (results.length === 0) return yield { call: "list_skills", with: {} };
        tries += 1;
        yield long("alpha");
        if (tries === 1) await new Promise(() => {});
        yield "omega";
      });
      const begins = name === "slack" ? isStreamStart : surface.isPost;
      const begun = when === "begun" ? surface.gate.loseReply(begins) : undefined;
      const thread = await surface.ask(text);
      await (begun ?? surface.shows(thread, "alpha alpha"));

      await crash();

      await surface.shows(thread, "omega");
      await finished(bot(), surface, thread);
      expect(await surface.shown(thread)).toEqual([expect.stringContaining(`${long("alpha")}omega`)]);
    },
  );

  it("a killed bot completes an answer whose message it had begun without knowing", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `begun-${name}`;
    let tries = 0;
    model.when(text, async function* () {
      tries += 1;
      if (tries > 1) return yield "Short now.";
      yield long("alpha");
      await new Promise(() => {});
    });
    const begins = name === "slack" ? isStreamStart : surface.isPost;
    const begun = surface.gate.loseReply(begins);
    const thread = await surface.ask(text);
    await begun;

    await crash();

    await surface.shows(thread, "Short now.");
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual(["Short now."]);
  });

  it("a killed bot takes an unstored message when it is delivered again, once", async () => {
    const { surfaces, model, kill, start } = bot();
    const surface = surfaces[name];
    const text = `unstored-${name}`;
    model.when(text, () => ["The answer."]);
    await kill();
    const thread = await surface.ask(text);

    await start();

    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual(["The answer."]);
    expect(model.askedOf(text)).toHaveLength(1);
  });

  it("a killed bot does not answer again what it has answered", async () => {
    const { surfaces, model, slack, crash } = bot();
    const surface = surfaces[name];
    const text = `answered-${name}`;
    model.when(text, () => ["The answer."]);
    const thread = await surface.ask(text);
    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);

    await crash();
    if (name === "slack") await redeliverAll(bot(), thread);
    const next = await surface.ask(`next-${name}`);

    await surface.shown(next, 1);
    await slack.until((state) => state.deliveries().every((each) => each.acked || each.given_up), "acks");
    expect(await surface.shown(thread)).toEqual(["The answer."]);
    expect(model.askedOf(text)).toHaveLength(1);
  });
});

it("the bot asks nothing of Slack that it refuses, except whether a stream is still open", async () => {
  await expectCleanSlack(bot(), "streaming_state_conflict");
});

const isStreamStart = ({ path }: { path: string }) => path === "/api/chat.startStream";

/** Slack delivers once more all it has told about a message. */
async function redeliverAll({ slack }: PlatformBot, ts: string): Promise<void> {
  for (const { id, payload } of (await slack.look()).deliveries())
    if (JSON.stringify(payload).includes(ts)) await slack.redeliver({ id });
}
