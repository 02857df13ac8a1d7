import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { ids } from "../../support/discord/example-world.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const bot = usePlatformBot();
const names = ["slack", "discord"] as const;
const long = (word: string) => `${word} `.repeat(60);
const postToDiscord = "POST /channels/:channel/messages";
const editOnDiscord = "PATCH /channels/:channel/messages/:message";

beforeAll(async () => {
  await bot().start();
});

describe("a platform that slows the bot down", () => {
  it("a platform that slows the bot down gets every answer once and whole, and no call too early", async () => {
    const { surfaces, model, slack, discord } = bot();
    await slack.rateLimit({ method: "chat.startStream", seconds: 1, times: 1 });
    await slack.rateLimit({ method: "chat.stopStream", seconds: 1, times: 1 });
    await discord.rateLimit({ route: postToDiscord, seconds: 1 });
    await discord.rateLimit({ route: editOnDiscord, seconds: 1 });
    const { promise: shown, resolve: go } = Promise.withResolvers<void>();
    model.when("slowed", async function* () {
      yield long("alpha");
      await shown;
      yield "omega";
    });
    const threads = {
      slack: await surfaces.slack.ask("slowed"),
      discord: await surfaces.discord.ask("slowed"),
    };
    await Promise.all(names.map((name) => surfaces[name].shows(threads[name], "alpha alpha")));
    go();

    for (const name of names) {
      await surfaces[name].shows(threads[name], "omega");
      await finished(bot(), surfaces[name], threads[name]);
      expect(await surfaces[name].shown(threads[name])).toEqual([`${long("alpha")}omega`]);
    }
    for (const method of ["chat.startStream", "chat.stopStream"])
      expectPatience((await slack.look()).calls(method));
    for (const route of [postToDiscord, editOnDiscord]) expectPatience(await discord.calls(route));
  });
});

/** After each refusal nothing came before its second was over, and the last call was taken. */
function expectPatience(calls: readonly { at: number; status: number }[]): void {
  const refused = calls.findIndex(({ status }) => status === 429);
  expect(refused).toBeGreaterThanOrEqual(0);
  const next = calls[refused + 1];
  expect(next?.status).toBe(200);
  expect(Number(next?.at) - Number(calls[refused]?.at)).toBeGreaterThanOrEqual(1_000);
}

describe("a platform that breaks down", () => {
  it("a platform that breaks down has one answer when it did what it could not confirm", async () => {
    const { surfaces, model } = bot();
    model.when("unconfirmed", () => ["The answer."]);
    const asking = names.map(async (name) => {
      const surface = surfaces[name];
      const broken = surface.gate.breakReply(surface.isPost);
      const thread = await surface.ask("unconfirmed");
      await broken;
      await finished(bot(), surface, thread);
      expect(await surface.shown(thread)).toEqual(["The answer."]);
    });
    await Promise.all(asking);
  });
});

describe("a bot that is told to stop", () => {
  it("a bot that is told to stop posts the answers of its running turns first, and exits cleanly", async () => {
    const { surfaces, model, bot: process, start } = bot();
    const { promise: isTold, resolve: go } = Promise.withResolvers<void>();
    model.when("last words", async function* () {
      await isTold;
      yield "Goodbye.";
    });
    const threads = { slack: "", discord: "" };
    for (const name of names) threads[name] = await surfaces[name].ask("last words");
    await expect.poll(() => model.askedOf("last words").length).toBe(2);

    const stopping = process();
    const exit = stopping.terminate();
    await stopping.says("Stopping after the running turns");
    go();

    expect(await exit).toBe(0);
    for (const name of names) expect(await surfaces[name].shown(threads[name])).toEqual(["Goodbye."]);
    await start();
    for (const name of names) {
      await finished(bot(), surfaces[name], threads[name]);
      expect(await surfaces[name].shown(threads[name])).toEqual(["Goodbye."]);
    }
    expect(model.askedOf("last words")).toHaveLength(2);
    await expectCleanSlack(bot(), "ratelimited");
  });
});

describe("a bot whose Slack token is revoked", () => {
  it("a bot whose Slack token is revoked says what to do, and continues with Discord", async () => {
    const { surfaces, slack, bot: process } = bot();

    await slack.revoke({ token: slack.seed.workspaces[0]?.bot_token ?? "" });

    const check = async () => (await process().client.ready()).checks.find(({ name }) => name === "slack");
    await expect.poll(async () => (await check())?.ok, { timeout: 10_000 }).toBe(false);
    expect((await check())?.detail).toMatch(/token_revoked.*Install the app again/);
    const lost = await surfaces.slack.ask("question lost");
    const thread = await surfaces.discord.ask("question kept");
    expect(await surfaces.discord.shown(thread, 1)).toEqual(["Reply to question kept."]);
    await slack.until((state) => state.deliveries().every((each) => each.acked || each.given_up), "acks");
    expect(await surfaces.slack.shown(lost)).toEqual([]);
    expect((await process().client.call("bot.about", {})).name).toBe("Knack");
    expect(await process().client.ready()).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([expect.objectContaining({ name: "discord", ok: true })]),
    });
  });
});

describe("a bot that starts while a platform is down", () => {
  const bot = usePlatformBot();

  it("a bot that starts while Slack is down works on Discord, and on Slack once that is there", async () => {
    await startWithout("slack");
  });

  it("a bot that starts while Discord is down works on Slack, and on Discord until its token is reset", async () => {
    await startWithout("discord");
    const { surfaces, discord, bot: process } = bot();
    const before = (await discord.messages(ids.general)).length;

    await discord.revokeToken();

    const check = async () => (await process().client.ready()).checks.find(({ name }) => name === "discord");
    await expect.poll(async () => (await check())?.detail, { timeout: 10_000 }).toContain("DISCORD_TOKEN");
    expect((await check())?.ok).toBe(false);
    const thread = await surfaces.slack.ask("question still");
    expect(await surfaces.slack.shown(thread, 1)).toEqual(["Reply to question still."]);
    expect(await discord.messages(ids.general)).toHaveLength(before);
  });

  async function startWithout(down: (typeof names)[number]): Promise<void> {
    const { surfaces, start, kill, slack, discord, bot: process } = bot();
    const up = down === "slack" ? "discord" : "slack";
    await kill();
    surfaces[down].gate.cut(true);
    await start({ unconnected: true });
    if (up === "slack") await slack.until((state) => state.all.connections > 0, "a connection");
    else await discord.until(({ sessions }) => sessions.some(({ connected }) => connected));

    const thread = await surfaces[up].ask(`question up${down}`);
    expect(await surfaces[up].shown(thread, 1)).toEqual([`Reply to question up${down}.`]);
    const isThere = async () => (await process().client.ready()).checks.find(({ name }) => name === down)?.ok;
    expect(await isThere()).toBe(false);
    surfaces[down].gate.cut(false);
    await expect.poll(isThere, { timeout: 15_000 }).toBe(true);
    const late = await surfaces[down].ask(`question late${down}`);
    expect(await surfaces[down].shown(late, 1)).toEqual([`Reply to question late${down}.`]);
  }
});
