import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import type { Surface } from "../../support/bot/platform-surface.ts";
import { ids } from "../../support/discord/example-world.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const bot = usePlatformBot({ keepsReplies: true });
const names = ["slack", "discord"] as const;
const hour = 3_600_000;

/** A conversation and what was missed, by what it is and the platform. */
const threads = new Map<string, string>();

/** The bot is down twice: before it asks about a message, and right after it asked. */
beforeAll(async () => {
  const { surfaces, start, kill } = bot();
  const each = names.map((name) => surfaces[name]);
  const keep = async (what: string, { name }: Surface, thread: Promise<string>) =>
    threads.set(what + name, await thread);
  await start();
  for (const surface of each) {
    await keep("own", surface, surface.ask(`question own${surface.name}`));
    await surface.shown(threadOf("own", surface), 1);
    await finished(bot(), surface, threadOf("own", surface));
  }
  await kill();
  await downForAnHour();
  for (const surface of each)
    await keep("again", surface, surface.ask(`question again${surface.name}`, { ago: hour / 2 }));
  const asked = each.map(({ gate, isPost }) => gate.loseReply(isPost));
  await start();
  await Promise.all(asked);
  await kill();
  await downForAnHour();
  for (const surface of each) {
    const { name } = surface;
    await keep("stale", surface, surface.ask(`question stale${name}`, { ago: hour / 3 }));
    await surface.say(`lunch on ${name}, anybody?`);
    await keep("fresh", surface, surface.ask(`question fresh${name}`));
    await surface.reply(threadOf("own", surface), `question follow${name}`);
    const thread = await surface.ask(`question root${name}`);
    threads.set(`root${name}`, await surface.open(thread));
  }
  await start({ unconnected: true });
  await Promise.all(each.map(replyAtOnce));
}, 120_000);

/** A second person replies as soon as the platform can deliver it, before the bot has read what it missed. */
async function replyAtOnce(surface: Surface): Promise<void> {
  const { slack, discord } = bot();
  if (surface.name === "slack") await slack.until((state) => state.all.connections > 0, "Slack", 30_000);
  else await discord.until(({ sessions }) => sessions.some(({ connected }) => connected));
  const mention = surface.name === "slack" ? "<@U0KNACK>" : `<@${ids.bot}>`;
  await surface.reply(threadOf("root", surface), `${mention} question then${surface.name}`, { who: "other" });
}

const threadOf = (what: string, { name }: Surface) => threads.get(what + name) ?? "";

/** Makes the bot that is down have been down for an hour. */
async function downForAnHour(): Promise<void> {
  const store = await openKeyValue(join(bot().home.data, "state.db"));
  for (const name of names) await store.set(`chat-seen:${name}`, Date.now() - hour);
  await store.close();
}

describe.each(names)("what was written on %s while the bot was down", (name) => {
  it("a missed message is answered where it is fresh, and asked about once where it is old", async () => {
    const { surfaces, model } = bot();
    const surface = surfaces[name];
    const stale = threadOf("stale", surface);

    expect(await surface.shown(threadOf("fresh", surface), 1)).toEqual([`Reply to question fresh${name}.`]);
    expect(await surface.shown(threadOf("own", surface), 2)).toEqual([
      `Reply to question own${name}.`,
      `Reply to question follow${name}.`,
    ]);
    const asked = await surface.shown(stale, 1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("20 minutes ago");
    expect(asked[0]).toContain(`question stale${name}`);
    expect(model.askedOf(`stale${name}`)).toEqual([]);
    expect(model.askedOf("lunch")).toEqual([]);

    await surface.press(stale, "Yes, answer it", "other");
    await surface.whispered("other", "may decide this");
    expect(model.askedOf(`stale${name}`)).toEqual([]);
    await surface.press(stale, "Yes, answer it");
    await surface.shows(stale, `Reply to question stale${name}.`);
    await finished(bot(), surface, stale);
    await expect.poll(() => surface.shown(stale)).toEqual([`Reply to question stale${name}.`]);
    expect(model.askedOf(`stale${name}`)).toHaveLength(1);
  });

  it("a missed question is answered before a reply to it that is said right after the connection", async () => {
    const { surfaces, bot: running } = bot();
    const surface = surfaces[name];
    const thread = threadOf("root", surface);
    expect(await surface.shown(thread, 2)).toEqual([
      `Reply to question root${name}.`,
      `Reply to question then${name}.`,
    ]);
    const { turns } = await running().client.call("thread.show", { ns: surface.namespace, thread });
    expect(turns.map(({ turn }) => /question (root|then)/.exec(turn.question)?.[1])).toEqual([
      "root",
      "then",
    ]);
  });

  it("a missed message is asked about once by a bot that was killed right after it asked", async () => {
    const { surfaces, model } = bot();
    const surface = surfaces[name];
    const again = threadOf("again", surface);
    const next = await surface.ask(`question next${name}`);
    await surface.shown(next, 1);
    await expect.poll(async () => (await surface.shown(again)).length).toBe(1);
    await surface.press(again, "No");
    await expect.poll(() => surface.shown(again), { timeout: 5_000 }).toEqual([]);
    expect(model.askedOf(`again${name}`)).toEqual([]);
  });
});

it("the bot asks nothing of Slack that it refuses after missed messages", async () => {
  await expectCleanSlack(bot());
});
