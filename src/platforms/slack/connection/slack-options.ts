import type { App } from "../../../app/app.ts";
import type { ChatHub } from "../../../app/chat/chat-hub.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";

/** How Slack is reached, as configured. One workspace has a `bot_token`; several install the app with `client_id` and secret. */
export interface SlackSettings {
  bot_token?: string | undefined;
  /** With it events come over a socket, otherwise over HTTP. */
  app_token?: string | undefined;
  signing_secret?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** Address of the Web API, with a slash at its end. */
  api_url: string;
  /** Where people are sent to install the app; Slack's own page unless set. */
  authorize_url?: string | undefined;
  /** Slack's own streams and task cards where the workspace has them, or edited messages. */
  streaming: "auto" | "off";
  /** `auto` goes by what the app is in a workspace. */
  direct_messages: DirectMessages | "auto";
  /** Address of this bot as Slack and browsers reach it, for installations. */
  public_url?: string | undefined;
  /** Slack user ids of those who run the bot. */
  operators: readonly string[];
  /** How often a read of the Web API is tried again at once after a connection failed; 2 unless set. */
  read_retries?: number | undefined;
}

/** Whether workspaces install the app, each with its own token; a configured one then counts for nothing. */
export function isInstalledByMany({ client_id, client_secret }: SlackSettings): boolean {
  return client_id !== undefined && client_secret !== undefined;
}

export interface SlackOptions {
  settings: SlackSettings;
  hub: ChatHub;
  app: App;
  /** Encrypted at rest: tokens of installations. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
}

/** Whether direct messages with the bot are one conversation, or each thread of them is one. */
export type DirectMessages = "one" | "threads";

/**
 * How direct messages are taken in a workspace. Slack shows those with an agent as threads, each begun by a top-level message; an app
 * that is none has a plain conversation, where the next message goes on with the last. Whoever makes an app an agent gives it
 * `assistant:write`, and no other app has that. https://docs.slack.dev/ai/developing-agents
 * @param scopes what the bot's token may do; undefined where Slack did not tell, and then it is taken for an agent
 */
export function directMessagesOf(
  setting: DirectMessages | "auto",
  scopes: readonly string[] | undefined,
): DirectMessages {
  if (setting !== "auto") return setting;
  return scopes === undefined || scopes.includes("assistant:write") ? "threads" : "one";
}
