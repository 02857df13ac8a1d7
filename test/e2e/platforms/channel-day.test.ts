import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { colleagueDiscord, discordStage } from "../colleague/discord-stage.ts";
import { colleagueSlack, slackStage } from "../colleague/slack-stage.ts";

/** A bot whose channels have used up their day with the first answer. */
const fixture = usePlatformBot({
  config: "spending: { per_channel_day_tokens: 10 }\n",
  slack: { seed: colleagueSlack() },
  discord: colleagueDiscord(),
});

beforeAll(async () => {
  const { start, slack, discord } = fixture();
  await start({ env: { SLACK_API_URL: `${slack.url}/api/`, DISCORD_API_URL: discord.apiUrl } });
});

describe.each(["slack", "discord"] as const)("the day of a channel on %s", (name) => {
  it("its thread is told that it is used up, once", async () => {
    const { slack, discord, model } = fixture();
    model.when("How far is it?", () => ["384,400 km."]);
    const stage = name === "slack" ? slackStage(slack) : await discordStage(discord);
    const talk = await stage.say({ say: "How far is it?", effect: {} });
    const told = async () => (await talk.posted()).filter(({ text }) => /has used all of what/.test(text));
    await expect.poll(told, { timeout: 30_000 }).toHaveLength(1);
    expect((await told())[0]?.only).toBeUndefined();
    expect((await told())[0]).toEqual(expect.objectContaining({ top: false }));
  });
});
