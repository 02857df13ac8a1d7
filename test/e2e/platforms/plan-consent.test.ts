import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { colleagueDiscord, discordStage } from "../colleague/discord-stage.ts";
import { colleagueSlack, slackStage } from "../colleague/slack-stage.ts";

/** A bot with a trigger of Ann's that writes to Ben. */
const fixture = usePlatformBot({ slack: { seed: colleagueSlack() }, discord: colleagueDiscord() });

const ben = { slack: "U0BEN1", discord: "1000000000000000502" };

beforeAll(async () => {
  const { start, slack, discord } = fixture();
  await start({ env: { SLACK_API_URL: `${slack.url}/api/`, DISCORD_API_URL: discord.apiUrl } });
});

describe.each(["slack", "discord"] as const)("the consent of a receiver on %s", (name) => {
  it("the receiver alone is asked, in private, before a trigger writes to them", async () => {
    const { slack, discord, model } = fixture();
    model.when("watch for", ({ results }) =>
      results.length === 0
        ? [
            {
              call: "invoke_skill",
              with: {
                skill_id: "schedule#add_trigger",
                params: { on: "message", words: '"deploy failed"', text: `tell Ben on ${name}` },
              },
            },
          ]
        : ["I watch for it."],
    );
    model.when(`tell Ben on ${name}`, ({ results }) =>
      results.length === 0
        ? [{ call: "chat_send", with: { to: ben[name], text: "A deploy failed." } }]
        : ["Ben knows."],
    );
    const stage = name === "slack" ? slackStage(slack) : await discordStage(discord);
    const talk = await stage.say({ say: "watch for deploy failed", effect: {} });
    const bens = await stage.say({ say: "/agent usage", who: "ben", direct: true, effect: {} });
    const shown = (label: string, where: string) =>
      expect
        .poll(async () => (await talk.posted()).filter((each) => each.where === where), { timeout: 15_000 })
        .toContainEqual(expect.objectContaining({ buttons: expect.arrayContaining([label]) }));
    await shown("Approve", "general");
    await talk.press("Approve");
    await expect.poll(() => stage.planned(), { timeout: 15_000 }).toContain("deploy failed");
    await stage.happen("message", "deploy failed again");
    await shown("Approve", "general");
    await talk.press("Approve");
    await shown("Accept", "dm:ben");
    await bens.press("Accept");
    await expect
      .poll(
        async () => (await talk.posted()).filter(({ where }) => where === "dm:ben").map(({ text }) => text),
        {
          timeout: 30_000,
        },
      )
      .toContainEqual(expect.stringMatching(/A deploy failed\.[\s\S]*agent schedule refuse/));
  });

  it("a colleague is asked in private before a reminder for them is planned", async () => {
    const { slack, discord, model } = fixture();
    model.when(`of the price list on ${name}`, ({ results }) =>
      results.length === 0
        ? [
            {
              call: "invoke_skill",
              with: {
                skill_id: "schedule#add",
                params: { text: "the price list", in: "PT3H", for: "Ben" },
              },
            },
          ]
        : ["Planned."],
    );
    const stage = name === "slack" ? slackStage(slack) : await discordStage(discord);
    const talk = await stage.say({ say: `remind Ben in 3 hours of the price list on ${name}`, effect: {} });
    const bens = await stage.say({ say: "/agent usage", who: "ben", direct: true, effect: {} });
    await expect
      .poll(async () => (await talk.posted()).filter(({ where }) => where === "dm:ben"), { timeout: 15_000 })
      .toContainEqual(
        expect.objectContaining({
          text: expect.stringContaining("remind you of this"),
          buttons: expect.arrayContaining(["Accept"]),
        }),
      );
    await bens.press("Accept");
    await expect.poll(() => stage.planned(), { timeout: 15_000 }).toContain("the price list");
  });
});
