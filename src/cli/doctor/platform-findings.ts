import { incompletePlatforms, slackMode, unprotectedServer } from "../../config/incomplete-platforms.ts";
import type { Config } from "../../config/schema.ts";
import { type Finding, failure, fine } from "./doctor-finding.ts";

/** The platforms that start with this configuration, and the missing settings of others. Makes no requests. */
export function platformFindings(config: Config): Finding[] {
  const incomplete = incompletePlatforms(config).map(({ key, message, hint = "" }) =>
    failure("slack", `${key} ${message}`, `${hint}.`),
  );
  const unprotected = unprotectedServer(config).map(({ key, message, hint = "" }) =>
    failure("server", `${key} ${message}`, `${hint}.`),
  );
  return [
    ...unprotected,
    ...(incomplete.length > 0 ? incomplete : [slackFinding(config)]),
    discordFinding(config),
  ];
}

function slackFinding(config: Config): Finding {
  const meaning = {
    socket: "one workspace, over Socket Mode",
    http: "one workspace, called over HTTP at POST /slack/events",
    installations: `any workspace that installs it at ${config.server.public_url}/slack/install`,
  };
  const mode = slackMode(config);
  return fine(
    "slack",
    mode === undefined ? "not connected (`knack connect slack` shows how)" : meaning[mode],
  );
}

function discordFinding({ discord }: Config): Finding {
  const detail =
    discord.token === undefined
      ? "not connected (`knack connect discord` shows how)"
      : "a token is set (`knack doctor --live` asks Discord about it)";
  return fine("discord", detail);
}

/** Slack's findings about the tokens. */
export async function liveSlackFindings({ slack }: Config): Promise<Finding[]> {
  if (slack.bot_token === undefined && slack.app_token === undefined) return [];
  const { checkSlack } = await import("../../platforms/slack/connection/check-slack.ts");
  return (await checkSlack(slack)).map((finding) => ({ ...finding, name: `slack ${finding.name}` }));
}

/** Discord's findings about the token. */
export async function liveDiscordFindings({ discord }: Config): Promise<Finding[]> {
  const { token, api_url } = discord;
  if (token === undefined) return [];
  const { checkDiscord } = await import("../../platforms/discord/connection/check-discord.ts");
  return (await checkDiscord({ token, api_url })).map((finding) => ({
    ...finding,
    name: `discord ${finding.name}`,
  }));
}
