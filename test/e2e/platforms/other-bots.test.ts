import { describe, expect, it } from "vitest";
import type { BotMode } from "../../../src/core/skill/namespace-state.ts";
import { updateNamespace } from "../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { slackText } from "../../support/bot/platform-slack.ts";
import { exampleWorld, ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { discordBot, fakeDiscord } from "../support/discord-bot.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const access = { bots: ["*"] };

/** A store in which the channel has this rule for other bots. */
async function ruled(namespace: string, bots: BotMode) {
  const store = createMemoryKeyValue();
  await updateNamespace(store, namespace, ({ settings }) => {
    settings.bots = bots;
    settings.reply = "always";
  });
  return store;
}

/** An alert of another bot in #general, with and without a mention, and what the bot answers to a person after it. */
const places = {
  async slack(bots: BotMode) {
    const slack = await fakeSlack();
    const store = await ruled("slack:T0ACME:C0GENERAL", bots);
    await slackBot(
      slack,
      scriptedModel((request) => `Seen: ${request.messages.at(-1)?.text}`),
      {
        store,
        chat: { access },
      },
    );
    const place = { user: "U0BEN", channel: "C0GENERAL" };
    const app = { bot_id: "B0CI" };
    for (const text of ["<@U0KNACK> build 7 failed", "build 8 failed"])
      await slack.say({ ...place, text, app });
    await slack.say({ ...place, text: "<@U0KNACK> hello" });
    return () => slack.until((state) => all(state.botMessages("C0GENERAL").map(slackText)), "the greeting");
  },
  async discord(bots: BotMode) {
    const ci = { id: "1000000000000000901", name: "CI", bot: true };
    const world = exampleWorld();
    const guilds = world.guilds.map((guild) => ({
      ...guild,
      members: guild.id === ids.guild ? [...(guild.members ?? []), { user: ci.id }] : (guild.members ?? []),
    }));
    const discord = await fakeDiscord({ users: [...world.users, ci], guilds });
    const store = await ruled(`discord:${ids.guild}:${ids.general}`, bots);
    await discordBot(
      discord,
      scriptedModel((request) => `Seen: ${request.messages.at(-1)?.text}`),
      {
        store,
        chat: { access },
      },
    );
    const say = (user: string, content: string) => discord.say({ user, channel: ids.general, content });
    await say(ci.id, `<@${ids.bot}> build 7 failed`);
    await say(ci.id, "build 8 failed");
    await say(ids.adam, `<@${ids.bot}> hello`);
    return () =>
      discord.until(({ messages }) =>
        all(messages.filter(({ author }) => author === ids.bot).map(({ content }) => content)),
      );
  },
};

/** The texts, once the person was answered. */
function all(texts: readonly string[]): string | undefined {
  const joined = texts.join("\n");
  return joined.includes("hello") ? joined : undefined;
}

describe.each(["slack", "discord"] as const)("messages of other bots on %s", (name) => {
  it.each([
    ["ignore", 0],
    ["mention", 1],
    ["people", 2],
  ] as const)("a channel with the rule “%s” answers %i of two alerts", async (rule, count) => {
    const look = await places[name](rule);
    const answered = async () => (await look())?.match(/Seen: [^\n]*build \d/g)?.length ?? 0;
    await expect.poll(answered, { timeout: 10_000 }).toBe(count);
  });
});
