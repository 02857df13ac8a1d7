import type { ConfigProblem } from "../../config/config-error.ts";
import { incompletePlatforms, slackMode, unprotectedServer } from "../../config/incomplete-platforms.ts";
import type { Config } from "../../config/schema.ts";
import { type Finding, failure, fine } from "./doctor-finding.ts";

/** The platforms that start with this configuration, and the missing settings of others. Makes no requests. */
export function platformFindings(config: Config): Finding[] {
  const failures = (name: string, problems: readonly ConfigProblem[]) =>
    problems.map(({ key, message, hint }) => failure(name, `${key} ${message}`, `${hint}.`));
  const slack = failures("slack", incompletePlatforms(config));
  const discord =
    config.discord.token === undefined
      ? "not connected (`knack connect discord` shows how)"
      : "a token is set (`knack doctor --live` asks Discord about it)";
  return [
    ...failures("server", unprotectedServer(config)),
    ...(slack.length > 0 ? slack : [fine("slack", slackWords(config))]),
    fine("discord", discord),
  ];
}

function slackWords(config: Config): string {
  const meaning = {
    socket: "one workspace, over Socket Mode",
    http: "one workspace, called over HTTP at POST /slack/events",
    installations: `any workspace that installs it at ${config.server.public_url}/slack/install`,
  };
  const mode = slackMode(config);
  return mode === undefined ? "not connected (`knack connect slack` shows how)" : meaning[mode];
}

/** Slack's findings about the tokens. */
export async function liveSlackFindings({ slack }: Config): Promise<Finding[]> {
  if (slack.bot_token === undefined && slack.app_token === undefined) return [];
  const { checkSlack } = await import("../../platforms/slack/check-slack.ts");
  return (await checkSlack(slack)).map((finding) => ({ ...finding, name: `slack ${finding.name}` }));
}

/** Discord's findings about the token. */
export async function liveDiscordFindings({ discord: { token, api_url } }: Config): Promise<Finding[]> {
  if (token === undefined) return [];
  const { checkDiscord } = await import("../../platforms/discord/check-discord.ts");
  const findings = await checkDiscord({ token, api_url });
  return findings.map((finding) => ({ ...finding, name: `discord ${finding.name}` }));
}
