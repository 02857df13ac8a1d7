/** What is new of the platforms is refused once: people hear of it or miss nothing, and the bot goes on. */
import { describe, expect, test } from "vitest";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { ids } from "../../support/discord/example-world.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { shippedSkills } from "../../support/skills/shipped-skills.ts";
import type { Observation } from "../../support/slack/observation.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import { buttonsOf } from "../../support/surfaces/slack-chat.ts";
import { buttons, discordBot, fakeDiscord, said } from "../support/discord-bot.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const { general, adam, bot: self } = ids;
const room = "C0GENERAL";
const ben = { user: "U0BEN", channel: room };
/** What the words of a message have the agent do. */
const calls: Record<string, { call: string; with: object }> = {
  vote: {
    call: "chat_send",
    with: { to: "here", text: "What for lunch?", poll: { answers: ["Pizza", "Soup"], hours: 2 } },
  },
  pin: { call: "chat_act", with: { do: "pin", message: "this" } },
  mark: { call: "chat_act", with: { do: "react", message: "this", emoji: "tada" } },
  "write to Anna": { call: "chat_send", with: { to: "U0ANNA", text: "Lunch." } },
  "write to Mia": { call: "chat_send", with: { to: ids.mia, text: "Lunch." } },
};

/** Calls the tool that the last message names; then answers with what it returned. */
function obedientModel() {
  return scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `It said: ${toolResults(messages).at(-1)}`;
    const text = last !== undefined && "text" in last ? last.text : "";
    const [, call] = Object.entries(calls).find(([words]) => text.includes(words)) ?? [];
    return call === undefined ? "Here I am, as ever." : [call];
  });
}

async function onSlack() {
  const slack = await fakeSlack();
  await slackBot(slack, obedientModel(), { sources: shippedSkills });
  const asked = async (text: string, count = 1) => {
    const { ts } = await slack.say({ ...ben, text: `<@U0KNACK> ${text}` });
    return (await slack.until((state) => answers(state, room, ts, count), "the answer"))?.join("\n") ?? "";
  };
  return { slack, asked };
}

/** A word to Ben alone, in the channel or in his direct messages. */
const whisper = (slack: SlackServer) =>
  slack.until(
    (state) => (state.ephemerals("U0BEN")[0] ?? state.botMessages("D0BEN")[0])?.text,
    "a word to Ben alone",
  );

/** What a person does while Slack refuses, and what they then read. */
type Doing = (slack: SlackServer, asked: (text: string) => Promise<string>) => Promise<string>;
const form: Doing = async (slack) => {
  await slack.command({ ...ben, command: "/skill", text: "run text-analyzer" });
  return whisper(slack);
};
const edit: Doing = async (slack) => {
  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> write to Anna" });
  const card = await slack.until(
    (state) => state.botMessages(room, ts).find(({ blocks }) => buttonsOf(blocks).length > 0),
    "the card",
  );
  const { action_id = "" } = buttonsOf(card.blocks).find(({ label }) => label === "Edit") ?? {};
  await slack.click({ ...ben, message_ts: card.ts, action_id });
  return whisper(slack);
};
const listed: Doing = async (slack) => {
  await slack.command({ ...ben, command: "/skill", text: "list" });
  return whisper(slack);
};
const home: Doing = async (slack) => {
  await slack.openHome({ user: "U0BEN" });
  await slack.until((state) => state.refusals()[0], "the refusal");
  await slack.openHome({ user: "U0BEN" });
  return JSON.stringify((await slack.until((state) => state.home("U0BEN"), "the home")).blocks);
};
const prompts: Doing = async (slack) => {
  await slack.openHome({ user: "U0BEN", tab: "messages" });
  await slack.until((state) => state.refusals()[0], "the refusal");
  return "";
};

describe("a method that Slack refuses once", () => {
  test.each<[string, string, Doing, RegExp]>([
    ["agents.sessions.setStatus", "internal_error", (_, asked) => asked("hello there"), /as ever/],
    ["assistant.threads.setStatus", "internal_error", (_, asked) => asked("hello there"), /as ever/],
    ["assistant.threads.setSuggestedPrompts", "internal_error", prompts, /^$/],
    ["views.publish", "internal_error", home, /text-analyzer/],
    ["views.open", "expired_trigger_id", form, /text is required/],
    ["views.open", "expired_trigger_id", edit, /form could not be opened. Press \*?\*?Edit/],
    ["response_url", "expired_url", listed, /channel-summary/],
    ["reactions.add", "too_many_reactions", (_, asked) => asked("let us vote"), /"sent":true/],
    ["reactions.add", "too_many_reactions", (_, asked) => asked("mark it"), /It said: .*Slack/],
    ["pins.add", "permission_denied", (_, asked) => asked("pin it"), /It said: .*Slack/],
    ["conversations.open", "internal_error", (_, asked) => asked("write to Anna"), /It said: .*Slack/],
  ])("%# %s (%s): people miss nothing, or read why", async (method, error, act, reads) => {
    const { slack, asked } = await onSlack();
    // The bot's 👀 is refused as well.
    await slack.fail({ method, error, times: method === "reactions.add" ? 2 : 1 });
    expect(await act(slack, asked)).toMatch(reads);
    // A response address is no method: that it was refused shows in the way that is taken then.
    const refused = (state: Observation) =>
      method === "response_url"
        ? state.calls("chat.postEphemeral")[0]
        : state.refusals().find((call) => call.method === method);
    await slack.until(refused, "the refusal");
    expect(await asked("hello there")).toContain("as ever");
  });
});

async function onDiscord() {
  const discord = await fakeDiscord();
  await discordBot(discord, obedientModel(), { sources: shippedSkills });
  const asked = async (text: string) => {
    const id = await discord.say({ user: adam, channel: general, content: `<@${self}> ${text}` });
    const found = await discord.until((state) => {
      const here = said(state, id) ?? said(state, general)?.filter(({ replyTo }) => replyTo === id);
      return here?.some(({ content }) => /as ever|It said/.test(content)) ? here : undefined;
    });
    return found.map(({ content }) => content).join("\n");
  };
  return { discord, asked };
}

/** What a person does while Discord refuses, and what they then read. */
type OnDiscord = (discord: DiscordServer, asked: (text: string) => Promise<string>) => Promise<string>;
const does =
  (text: string): OnDiscord =>
  (_, asked) =>
    asked(text);
const skill = { user: adam, channel: general, name: "skill" };
const editOnDiscord: OnDiscord = async (discord) => {
  const id = await discord.say({ user: adam, channel: general, content: `<@${self}> write to Mia` });
  const [card] = await discord.until((state) => said(state, id));
  const { custom_id = "" } = (card && buttons(card).find(({ label }) => label === "Edit")) ?? {};
  await discord.click({ user: adam, message: card?.id ?? "", customId: custom_id });
  return "";
};
const typed: OnDiscord = async (discord) => {
  const given = { ...skill, subcommand: "run", options: { skill: "text-an" }, focused: "skill" };
  await discord.autocomplete(given);
  const { choices } = await (await discord.autocomplete(given)).until(({ choices: shown }) => shown !== null);
  return JSON.stringify(choices);
};
const command: OnDiscord = async (discord) => {
  await discord.command({ ...skill, subcommand: "list" });
  return (await (await discord.command({ ...skill, subcommand: "list" })).answer()).content;
};

describe("a method that Discord refuses once", () => {
  const callback = "POST /interactions/:interaction/:token/callback";
  const unknown = { status: 404, code: 10062, message: "Unknown interaction" };
  const forbidden = { status: 403, code: 50013, message: "Missing Permissions" };
  test.each<[string, object, OnDiscord, RegExp]>([
    ["POST /channels/:channel/messages", forbidden, does("let us vote"), /It said: .*Discord/],
    ["PUT /channels/:channel/messages/:message/reactions/:emoji/@me", forbidden, does("mark it"), /It said/],
    ["POST /channels/:channel/messages/:message/threads", forbidden, does("hello there"), /as ever/],
    ["POST /users/@me/channels", { status: 403, code: 50007 }, does("write to Mia"), /It said: .*direct/],
    [callback, unknown, editOnDiscord, /^$/],
    [callback, unknown, typed, /text-analyzer/],
    [callback, unknown, command, /text-analyzer/],
  ])("%# %s: people miss nothing, or read why", async (route, fault, act, reads) => {
    const { discord, asked } = await onDiscord();
    await discord.fail({ route, status: 400, ...fault });
    expect(await act(discord, asked)).toMatch(reads);
    await expect.poll(async () => (await discord.calls(route)).some((call) => call.status >= 400)).toBe(true);
    expect(await asked("hello there")).toContain("as ever");
  });

  test("PUT /applications/:application/commands: the bot answers messages all the same", async () => {
    const discord = await fakeDiscord();
    await discord.fail({ route: "PUT /applications/:application/commands", status: 400, code: 30034 });
    await discordBot(discord, obedientModel(), { unconnected: true });
    await discord.until(({ sessions }) => sessions.some(({ connected }) => connected));
    const id = await discord.say({ user: adam, channel: general, content: `<@${self}> hello there` });
    await discord.until((state) => said(state, id)?.some(({ content }) => content.includes("as ever")));
  });
});
