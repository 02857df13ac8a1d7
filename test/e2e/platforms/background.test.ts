import { beforeAll, describe, expect, test } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { colleagueDiscord, discordStage } from "../colleague/discord-stage.ts";
import { colleagueSlack, slackStage } from "../colleague/slack-stage.ts";
import type { Posted } from "../colleague/stage.ts";

const platformBot = usePlatformBot({ slack: { seed: colleagueSlack() }, discord: colleagueDiscord() });

const shownIn = (posts: readonly Posted[]) =>
  posts.map(({ text, progress = "" }) => `${progress}\n${text}`).join("\n");

const ask = (to: string, reason: string, background?: true) => ({
  call: "handoff",
  with: { to, reason, ...(background === undefined ? {} : { background }) },
});

/** The model: two agents at once, then one in the background that is held until `open`. */
function teach() {
  const { model } = platformBot();
  const [pair, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const files = [{ call: "list_files", with: {} }];
  model.when("Compare the two vans", ({ results }) => {
    if (results.length === 0)
      return [ask("research", "Find the price of the small van."), ask("data", "Add up the trips of May.")];
    if (results.length === 2)
      return [ask("research", "Watch the price of the van and compare offers.", true)];
    return [
      "The small van costs 31,000 euro, and you made 14 trips. I have the offers compared and write when it is done.",
    ];
  });
  const held = async function* (results: readonly string[], gate: Promise<void>, text: string) {
    if (results.length === 0) return yield* files;
    await gate;
    yield text;
  };
  model.when("Find the price", ({ results }) => held(results, pair.promise, "31,000 euro."));
  model.when("Add up the trips", ({ results }) => held(results, pair.promise, "14 trips."));
  model.when("Watch the price", ({ results }) =>
    held(results, work.promise, "The offer of **Vans & Sons** is the best: 29,400 euro, delivered in June."),
  );
  model.when("Which one was it?", ({ body }) => [
    body.includes("<background_result") ? "Vans & Sons, for 29,400 euro." : "I do not know yet.",
  ]);
  return { finishPair: pair.resolve, finishWork: work.resolve };
}

beforeAll(async () => {
  const { start, slack, discord } = platformBot();
  await start({ env: { SLACK_API_URL: `${slack.url}/api/`, DISCORD_API_URL: discord.apiUrl } });
});

describe.each(["slack", "discord"] as const)("work in the background on %s", (name) => {
  test("an agent that works in the background posts its answer anew and mentions who asked", async () => {
    const { slack, discord } = platformBot();
    const stage = name === "slack" ? slackStage(slack) : await discordStage(discord);
    const { finishPair, finishWork } = teach();
    const talk = await stage.say({
      say: "Compare the two vans, and have research look for offers.",
      effect: {},
    });
    const until = (words: RegExp, isIt: (post: Posted) => boolean = () => true) =>
      expect
        .poll(async () => shownIn((await talk.posted()).filter(isIt)), { timeout: 30_000 })
        .toMatch(words);
    await until(/Asking data/);
    finishPair();
    await until(/write when it is done/);
    await until(/research, in the background/, ({ buttons }) => buttons.includes("Stop"));
    finishWork();
    await until(/research, in the background[\s\S]*29,400/, ({ calls }) => calls.includes("ann"));
    await expect
      .poll(async () => (await talk.posted()).some(({ buttons }) => buttons.includes("Stop")), {
        timeout: 10_000,
      })
      .toBe(false);
  });
});
