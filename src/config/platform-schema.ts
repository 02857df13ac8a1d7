/** Settings of the chat platforms, and of who may use the bot there. */
import { z } from "zod";
import { between, flag, ids, text, upTo, wholeBetween } from "./setting-kinds.ts";

/** A token with a known prefix. */
const token = (prefix: RegExp, wrong: string) =>
  z.string().regex(prefix, wrong).optional().meta({ secret: true });

const secret = text.optional().meta({ secret: true });

export const slackSchema = z.strictObject({
  bot_token: token(
    /^(xoxb-|xoxe\.xoxb-)\S+$/,
    "a bot token begins with xoxb-; it is under OAuth & Permissions of the Slack app",
  ),
  app_token: token(
    /^xapp-\S+$/,
    "an app-level token begins with xapp-; it is under Basic Information of the Slack app",
  ),
  signing_secret: secret,
  client_id: text.optional(),
  client_secret: secret,
  api_url: z.url().default("https://slack.com/api/"),
  streaming: z.enum(["auto", "off"]).default("auto"),
  direct_messages: z.enum(["auto", "one", "threads"]).default("auto"),
});

export const discordSchema = z.strictObject({
  token: token(
    /^(?!Bot\b)\S{20,}$/i,
    "expected the bot's token alone, from the page Bot of the Discord application (not the client secret or public key)",
  ),
  api_url: z.url().default("https://discord.com/api"),
  shards: z.union([z.literal("auto"), wholeBetween(1, 1000)]).default("auto"),
});

export const accessSchema = z.strictObject({
  workspaces: ids.default(["*"]),
  channels: ids.default(["*"]),
  users: ids.default(["*"]),
  roles: ids.default([]),
  guests: flag.default(false),
  outsiders: flag.default(false),
  direct_messages: z.enum(["members", "everyone", "nobody"]).default("members"),
  bots: ids.default(["*"]),
  cooldown_seconds: between(0, 86_400).default(0),
});

export const chatSchema = z.strictObject({
  reply: z.enum(["mention", "thread", "always"]).default("thread"),
  offers_per_day: wholeBetween(0, 20).default(3),
  judged_per_day: wholeBetween(0, 200).default(50),
  stale_minutes: upTo(1440).default(15),
  catch_up_hours: between(0, 168).default(24),
  progress_delay_seconds: between(0, 60).default(3),
  notify_after_seconds: between(0, 86_400).default(30),
  audit_channel: z
    .string()
    .regex(/^(slack|discord):[^:\s]+:[^:\s]+$/, "expected platform:workspace:channel, e.g. slack:T0123:C0456")
    .optional(),
});
