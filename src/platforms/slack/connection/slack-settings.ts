/** The configuration of Slack. One workspace has a `bot_token`; several install the app with `client_id` and secret. */
export interface SlackSettings {
  bot_token?: string | undefined;
  /** If set, events come over a socket, otherwise over HTTP. */
  app_token?: string | undefined;
  signing_secret?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** Address of the Web API, with a trailing slash. */
  api_url: string;
  /** Page that people are sent to for an installation; Slack's own page if undefined. */
  authorize_url?: string | undefined;
  /** `auto` uses Slack's own streams and task cards if the workspace has them; `off` edits messages. */
  streaming: "auto" | "off";
  /** `auto` depends on whether the app is an agent in the workspace. */
  direct_messages: DirectMessages | "auto";
  /** Address at which Slack and browsers reach this bot, for installations. */
  public_url?: string | undefined;
  /** Slack user ids of the operators. */
  operators: readonly string[];
  /** Immediate retries of a read of the Web API after a failed connection; 2 if undefined. */
  read_retries?: number | undefined;
}

/** Whether workspaces install the app, each with its own token. A configured token is then ignored. */
export function isInstalledByMany({ client_id, client_secret }: SlackSettings): boolean {
  return client_id !== undefined && client_secret !== undefined;
}

/** Whether direct messages with the bot are one conversation, or one conversation per thread. */
export type DirectMessages = "one" | "threads";

/**
 * How direct messages are handled in a workspace. Slack shows direct messages with an agent as threads, each begun by a
 * top-level message; with any other app they are one conversation. Only agents have the scope `assistant:write`.
 * https://docs.slack.dev/ai/developing-agents
 * @param scopes of the bot's token; undefined if Slack did not report them, which counts as an agent
 */
export function directMessagesOf(
  setting: DirectMessages | "auto",
  scopes: readonly string[] | undefined,
): DirectMessages {
  if (setting !== "auto") return setting;
  return scopes === undefined || scopes.includes("assistant:write") ? "threads" : "one";
}
