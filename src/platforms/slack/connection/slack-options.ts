import type { App } from "../../../app/app.ts";
import type { ChatHub } from "../../../app/chat/chat-hub.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { DirectMessages } from "./direct-messages.ts";

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
