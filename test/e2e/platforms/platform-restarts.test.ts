import { describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { defaultSeed } from "../../support/slack/world/seed.ts";
import { expectCleanSlack, finished, refusedAfterKill } from "../support/platform-turns.ts";

const long = (word: string) => `${word} `.repeat(60);

describe("a bot that is stopped sooner than its turns end", () => {
  const bot = usePlatformBot({ config: "turns: { drain_seconds: 0.3 }" });

  it("a bot stopped before its turns end completes growing answers after its next start", async () => {
    const { surfaces, model, start, bot: process } = bot();
    await start();
    let tries = 0;
    model.when("unfinished", async function* () {
      yield long("alpha");
      tries += 1;
      if (tries <= 2) await new Promise(() => {});
      yield "omega";
    });
    const growing = [surfaces.slack, surfaces.discord].map(async (surface) => {
      const thread = await surface.ask("unfinished");
      await surface.shows(thread, "alpha alpha");
      return { surface, thread };
    });
    const grown = await Promise.all(growing);

    expect(await process().terminate()).toBe(0);
    for (const { surface, thread } of grown) expect(await surface.shown(thread)).toHaveLength(1);
    await start();

    for (const { surface, thread } of grown) {
      await surface.shows(thread, "omega");
      await finished(bot(), surface, thread);
      expect(await surface.shown(thread)).toEqual([`${long("alpha")}omega`]);
    }
    await expectCleanSlack(bot());
  });
});

describe("a bot that Slack calls over HTTP", () => {
  const { signing_secret } = defaultSeed().app;
  const bot = usePlatformBot({ env: { SLACK_APP_TOKEN: "", SLACK_SIGNING_SECRET: signing_secret } });

  it("a bot that Slack calls over HTTP answers signed events once, even those sent while it was down, and no others", async () => {
    const { surfaces, slack, model, start, bot: process } = bot();
    const startCalled = async () => {
      await start({ unconnected: true });
      await expect.poll(async () => (await process().client.ready()).ok, { timeout: 10_000 }).toBe(true);
      await slack.deliverTo({ url: `${process().url}/slack/events` });
    };
    await startCalled();
    expect(await slack.verifyUrl()).toMatchObject({ verified: true });
    const thread = await surfaces.slack.ask("question signed");
    expect(await surfaces.slack.shown(thread, 1)).toEqual(["Reply to question signed."]);

    await process().kill();
    const missed = await surfaces.slack.ask("question missed");
    await slack.until(
      (state) => state.deliveries().every((each) => each.acked || each.given_up),
      "the end of all tries",
    );
    await startCalled();
    for (const { id, payload } of (await slack.look()).deliveries())
      if (JSON.stringify(payload).includes(missed)) await slack.redeliver({ id });

    expect(await surfaces.slack.shown(missed, 1)).toEqual(["Reply to question missed."]);
    await finished(bot(), surfaces.slack, missed);
    expect(model.askedOf("missed")).toHaveLength(1);
    const forged = { type: "event_callback", team_id: "T0ACME", event: { type: "app_mention" } };
    expect(await slack.forge({ body: forged, signature: "v0=00" })).toMatchObject({ status: 401 });
    await expectCleanSlack(bot(), ...refusedAfterKill);
  });
});
