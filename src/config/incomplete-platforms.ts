import type { ConfigProblem } from "./config-error.ts";
import type { Config } from "./schema.ts";

/** How the bot is connected to Slack. */
export type SlackMode = "socket" | "http" | "installations";

/**
 * How the settings connect Slack: one workspace over a socket or over HTTP, or any workspace that installs the app. Undefined if the
 * settings are missing or incomplete.
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

/** A public server needs a token: without one, anyone who finds it can use the console. Checked when the bot starts. */
export function unprotectedServer({ server }: Config): ConfigProblem[] {
  if (server.public_url === undefined || server.token !== undefined) return [];
  const { hostname } = new URL(server.public_url);
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return [];
  const message = `is missing, and server.public_url says that others reach this server at ${hostname}`;
  const hint =
    "Set KNACK_API_TOKEN to a long random text, e.g. from `openssl rand -hex 32`: then they reach Slack's paths alone";
  return [{ where: "configuration", key: "server.token", message, hint }];
}

/** Platforms with incomplete settings: what is missing and where to find it. Checked when the bot starts. */
export function incompletePlatforms(config: Config): ConfigProblem[] {
  const { bot_token, app_token, signing_secret, client_id, client_secret } = config.slack;
  const given = [bot_token, app_token, signing_secret, client_id, client_secret];
  if (given.every((value) => value === undefined) || slackMode(config) !== undefined) return [];
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
  if (bot_token === undefined)
    return problem("slack.bot_token", "is missing", "Set SLACK_BOT_TOKEN (begins with xoxb-)");
  const advice =
    "Set SLACK_APP_TOKEN (begins with xapp-) for Socket Mode, or SLACK_SIGNING_SECRET to be called over HTTP";
  return problem("slack.app_token", "is missing", advice);
}
