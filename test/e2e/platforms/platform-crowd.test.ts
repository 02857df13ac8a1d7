import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { expectCleanSlack, finished, refusedAfterKill } from "../support/platform-turns.ts";

const bot = usePlatformBot();
const names = ["slack", "discord"] as const;

/** Slack gives up on an acknowledgement after this, ms. */
const acknowledgedWithin = 3_000;

beforeAll(async () => {
  await bot().start();
});

describe("many people at once", () => {
  it("two people are answered at the same time in their threads, each once with their own answer", async () => {
    const { surfaces, model } = bot();
    const { promise: both, resolve: go } = Promise.withResolvers<void>();
    model.when("twin", async function* ({ text }) {
      if (model.askedOf("twin").length === 4) go();
      await both;
      yield `For ${/twin \w+/.exec(text)?.[0]}.`;
    });
    const threads = [];
    for (const name of names)
      for (const who of ["member", "other"] as const)
        threads.push({ name, who, thread: await surfaces[name].ask(`twin ${who}${name}`, { who }) });

    for (const { name, who, thread } of threads)
      expect(await surfaces[name].shown(thread, 1)).toEqual([`For twin ${who}${name}.`]);
  });

  it("many people are acknowledged in time, and each answered once", async () => {
    const { surfaces, slack, model } = bot();
    const numbers = Array.from({ length: 24 }, (_, index) => index);
    const before = (await slack.look()).deliveries().length;
    const threads = await Promise.all(numbers.map((number) => surfaces.slack.ask(`question crowd${number}`)));

    for (const [number, thread] of threads.entries())
      expect(await surfaces.slack.shown(thread, 1)).toEqual([`Reply to question crowd${number}.`]);
    const deliveries = (await slack.look()).deliveries().slice(before);
    const attempts = deliveries
      .filter(({ name }) => name === "app_mention" || name === "message")
      .flatMap((delivery) => delivery.attempts);
    expect(attempts.length).toBeGreaterThanOrEqual(48);
    for (const { latency_ms = Number.POSITIVE_INFINITY } of attempts)
      expect(latency_ms).toBeLessThan(acknowledgedWithin);
    expect(model.askedOf("question crowd")).toHaveLength(24);
  });

  it.each(names)(
    "many people on %s are each answered once by a bot that is killed in the middle",
    async (name) => {
      const { surfaces, crash } = bot();
      const surface = surfaces[name];
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const threads = await Promise.all(numbers.map((number) => surface.ask(`question ${name}${number}`)));
      await Promise.any(threads.slice(5).map((thread) => surface.shown(thread, 1)));

      await crash();

      for (const [number, thread] of threads.entries()) {
        await surface.shown(thread, 1);
        await finished(bot(), surface, thread);
        expect(await surface.shown(thread)).toEqual([`Reply to question ${name}${number}.`]);
      }
    },
  );
});

describe("among people", () => {
  it.each(names)(
    "the bot on %s reads the thread it is called into with names, and keeps out of what is not said to it",
    async (name) => {
      const { surfaces, model } = bot();
      const surface = surfaces[name];
      const mention = name === "slack" ? "<@U0KNACK>" : "<@1000000000000000001>";
      const root = await surface.say("The build is red since noon.");
      const thread = await surface.open(root);
      await surface.reply(thread, "I changed the linker.", { who: "other" });
      await surface.reply(thread, "Which version?", { who: "manager" });

      await surface.reply(thread, `${mention} question first`, { who: "other" });
      await surface.shown(thread, 1);
      await surface.reply(thread, "I think it is the cache.", { who: "manager" });
      await surface.reply(thread, "No, it is the disk.", { who: "other" });
      await surface.reply(thread, `${mention} question second`, { who: "manager" });

      expect(await surface.shown(thread, 2)).toEqual([
        "Reply to question first.",
        "Reply to question second.",
      ]);
      await finished(bot(), surface, thread, 2);
      const [first, second, ...more] = model.asked;
      expect(more).toEqual([]);
      const [member, other, manager] = name === "slack" ? ["ben", "cleo", "anna"] : ["adam", "zoe", "mia"];
      for (const part of [member, "The build is red", other, "changed the linker", manager, "Which version"])
        expect(first?.body).toContain(part);
      expect(second?.body).toContain("it is the disk");
    },
  );
});

it("the bot asks nothing of Slack that it refuses, and leaves no message looking unanswered", async () => {
  await expectCleanSlack(bot(), ...refusedAfterKill);
  await bot().slack.until(
    (state) => state.all.messages.every(({ reactions }) => reactions.length === 0),
    "all marks to be taken away",
  );
});
