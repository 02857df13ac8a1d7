import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const bot = usePlatformBot();
const hour = 3_600_000;

beforeAll(async () => {
  await bot().start();
});

/** Makes the bot that is down have been down for an hour. */
async function downForAnHour(): Promise<void> {
  const store = await openKeyValue(join(bot().home.data, "state.db"));
  for (const name of ["slack", "discord"]) await store.set(`chat-seen:${name}`, Date.now() - hour);
  await store.close();
}

describe.each(["slack", "discord"] as const)("what was written on %s while the bot was down", (name) => {
  it("a missed message is answered where it is fresh, and asked about once where it is old", async () => {
    const { surfaces, model, kill, start } = bot();
    const surface = surfaces[name];
    const own = await surface.ask(`question own${name}`);
    await surface.shown(own, 1);
    await finished(bot(), surface, own);
    await kill();
    await downForAnHour();
    const stale = await surface.ask(`question stale${name}`, { ago: hour / 3 });
    await surface.say(`lunch on ${name}, anybody?`);
    const fresh = await surface.ask(`question fresh${name}`);
    await surface.reply(own, `question follow${name}`);

    await start();

    expect(await surface.shown(fresh, 1)).toEqual([`Reply to question fresh${name}.`]);
    expect(await surface.shown(own, 2)).toEqual([
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

  it("a missed message is asked about once by a bot that was killed right after it asked", async () => {
    const { surfaces, model, kill, start } = bot();
    const surface = surfaces[name];
    await kill();
    await downForAnHour();
    const stale = await surface.ask(`question again${name}`, { ago: hour / 2 });
    const asked = surface.gate.loseReply((request) => surface.isPost(request));
    await start();
    await asked;
    await kill();
    await downForAnHour();

    await start();

    const next = await surface.ask(`question next${name}`);
    await surface.shown(next, 1);
    await expect.poll(async () => (await surface.shown(stale)).length).toBe(1);
    await surface.press(stale, "No");
    await expect.poll(() => surface.shown(stale), { timeout: 5_000 }).toEqual([]);
    expect(model.askedOf(`again${name}`)).toEqual([]);
  });
});

it("the bot asks nothing of Slack that it refuses after missed messages", async () => {
  await expectCleanSlack(bot());
});
