import type { ConfigProblem } from "./config-error.ts";
import type { Config } from "./schema.ts";

/** How the bot is connected to Slack; undefined when nothing is set. */
export type SlackMode = "socket" | "http" | "installations";

/**
 * How Slack is connected with what is set: one workspace over a socket or over HTTP, or any workspace that installs the app.
 * Undefined when not at all, or not completely.
 */
export function slackMode({ slack, server }: Pick<Config, "slack" | "server">): SlackMode | undefined {
  const { bot_token, app_token, signing_secret, client_id, client_secret } = slack;
  if (client_id !== undefined && client_secret !== undefined && signing_secret !== undefined) {
    return server.public_url === undefined ? undefined : "installations";
  }
  if (bot_token === undefined) return undefined;
  if (app_token !== undefined) return "socket";
  return signing_secret === undefined ? undefined : "http";
}

/** Platforms with some of their settings and not all: what is missing, where it is found. Asked when the bot is started. */
export function incompletePlatforms(config: Config): ConfigProblem[] {
  const { bot_token, app_token, signing_secret, client_id, client_secret } = config.slack;
  const set = [bot_token, app_token, signing_secret, client_id, client_secret].some(
    (value) => value !== undefined,
  );
  if (!set || slackMode(config) !== undefined) return [];
  const problem = (key: string, message: string, hint: string): ConfigProblem[] => [
    { where: "configuration", key, message, hint: `${hint}. \`knack connect slack\` leads you through it` },
  ];
  if (client_id !== undefined || client_secret !== undefined) {
    const missing = Object.entries({
      "slack.client_id": client_id,
      "slack.client_secret": client_secret,
      "slack.signing_secret": signing_secret,
      "server.public_url": config.server.public_url,
    }).filter(([, value]) => value === undefined);
    return missing.flatMap(([key]) =>
      problem(key, "is missing for an app that several workspaces install", "Set it"),
    );
  }
  if (bot_token === undefined) {
    return problem("slack.bot_token", "is missing", "Set SLACK_BOT_TOKEN (begins with xoxb-)");
  }
  return problem(
    "slack.app_token",
    "is missing",
    "Set SLACK_APP_TOKEN (begins with xapp-) for Socket Mode, or SLACK_SIGNING_SECRET to be called over HTTP",
  );
}
