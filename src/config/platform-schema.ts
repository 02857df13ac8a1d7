/** Settings of the chat platforms, and of who may use the bot there. */
import { z } from "zod";
import { between, flag, ids, text, upTo, wholeBetween } from "./setting-kinds.ts";

/** A token with a known prefix. */
const token = (prefix: RegExp, wrong: string, description: string) =>
  z.string().regex(prefix, wrong).optional().meta({ description, secret: true });

const secret = (description: string) => text.optional().meta({ description, secret: true });

export const slackSchema = z.strictObject({
  bot_token: token(
    /^(xoxb-|xoxe\.xoxb-)\S+$/,
    "a bot token begins with xoxb-; it is under OAuth & Permissions of the Slack app",
    "Token of the bot in one workspace; begins with xoxb-",
  ),
  app_token: token(
    /^xapp-\S+$/,
    "an app-level token begins with xapp-; it is under Basic Information of the Slack app",
    "App-level token with connections:write, for Socket Mode; begins with xapp-",
  ),
  signing_secret: secret(
    "Checks requests from Slack; needed when there is no app token, and for several workspaces",
  ),
  client_id: text.optional().describe("Of the Slack app, to be installed in several workspaces"),
  client_secret: secret("Of the Slack app, to be installed in several workspaces"),
  api_url: z.url().default("https://slack.com/api/").describe("Address of Slack's Web API"),
  streaming: z
    .enum(["auto", "off"])
    .default("auto")
    .describe("Slack's own streaming and task cards where the workspace has them, or edited messages"),
  direct_messages: z
    .enum(["auto", "one", "threads"])
    .default("auto")
    .describe(
      "Meaning of a new top-level direct message: threads (starts a conversation, answered in its thread), one (part of one continuous conversation, answered below it), auto (threads for apps with an agent view, assistant:write, else one)",
    ),
});

export const discordSchema = z.strictObject({
  token: token(
    /^(?!Bot\b)\S{20,}$/i,
    "expected the bot's token alone, from the page Bot of the Discord application (not the client secret or public key)",
    "Token of the bot",
  ),
  api_url: z.url().default("https://discord.com/api").describe("Address of Discord's API, without version"),
  shards: z
    .union([z.literal("auto"), wholeBetween(1, 1000)])
    .default("auto")
    .describe("Number of gateway connections that share the servers; auto asks Discord"),
});

export const accessSchema = z.strictObject({
  workspaces: ids
    .default(["*"])
    .describe(
      "Ids of the Slack workspaces and Discord servers the bot works in; * means every one it is installed in",
    ),
  channels: ids
    .default(["*"])
    .describe("Channel ids the bot works in; * means every channel it is invited to"),
  users: ids.default(["*"]).describe("Ids of users who may use the bot; * means everyone"),
  roles: ids
    .default([])
    .describe("Role ids whose members may use the bot even when users does not list them"),
  guests: flag.default(false).describe("Whether guests of a Slack workspace may use the bot"),
  outsiders: flag
    .default(false)
    .describe("Whether people of other companies (Slack Connect) may use the bot"),
  direct_messages: z
    .enum(["members", "everyone", "nobody"])
    .default("members")
    .describe(
      "Who may write to the bot directly: people it shares a workspace or server with, everyone, nobody",
    ),
  bots: ids
    .default(["*"])
    .describe("Ids of bots that the bot answers; * means others too, where a manager chose /agent bots"),
  cooldown_seconds: between(0, 86_400)
    .default(0)
    .describe("Minimum time between two questions of one person, in seconds"),
});

export const chatSchema = z.strictObject({
  reply: z
    .enum(["mention", "thread", "always"])
    .default("thread")
    .describe(
      "When the bot answers in channels: mention (only when mentioned), thread (also in threads where the asker is alone with it), always",
    ),
  offers_per_day: wholeBetween(0, 20)
    .default(3)
    .describe(
      "How often a day (UTC) the bot may ask people of a channel with the reply mode ambient whether it shall answer; 0 never",
    ),
  judged_per_day: wholeBetween(0, 200)
    .default(50)
    .describe(
      "Messages a day (UTC) of a channel with the reply mode ambient that the small model judges for such an offer",
    ),
  stale_minutes: upTo(1440)
    .default(15)
    .describe(
      "Age in minutes from which the bot asks before it answers a missed message or continues an interrupted turn",
    ),
  catch_up_hours: between(0, 168)
    .default(24)
    .describe("How far back the bot looks for missed messages after a lost connection, in hours"),
  progress_delay_seconds: between(0, 60).default(3).describe("Delay before progress is shown, in seconds"),
  notify_after_seconds: between(0, 86_400)
    .default(30)
    .describe(
      "An answer whose message is older than this at the end, in seconds, is posted again as a new message, because an edit notifies nobody; 86400 practically never does",
    ),
  audit_channel: z
    .string()
    .regex(/^(slack|discord):[^:\s]+:[^:\s]+$/, "expected platform:workspace:channel, e.g. slack:T0123:C0456")
    .optional()
    .describe(
      "Channel where every change to skills, approval and deletion is posted, e.g. slack:T0123:C0456",
    ),
});
