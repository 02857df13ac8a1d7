import { percentDecoded } from "../base/percent-decoded.ts";
import { slackMode } from "../config/incomplete-platforms.ts";
import type { Config } from "../config/schema.ts";
import type { SecretForm } from "../core/values/redact.ts";
import { modelSecrets } from "./app-settings.ts";

/** Tokens of installations are not in the configuration. Their prefixes: https://docs.slack.dev/authentication/tokens */
export function secretForms(config: Config): SecretForm[] {
  if (slackMode(config) !== "installations") return [];
  return [{ mark: "xox", pattern: /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g }];
}

/** Every secret of the configuration, to be removed from everything shown or stored. */
export function secretsOf(config: Config): string[] {
  const { server, skills, search, slack, discord, secret_key, data } = config;
  const ofSkills = Object.values(skills.env).flatMap((variables) => Object.values(variables));
  const ofPlatforms = [
    slack.bot_token,
    slack.app_token,
    slack.signing_secret,
    slack.client_secret,
    discord.token,
  ];
  const ofSearch = [search.brave_api_key, search.tavily_api_key, search.exa_api_key];
  const own = [server.token, secret_key, ...databaseSecrets(data.database_url), ...modelSecrets(config)];
  return [...own, ...ofSearch, ...ofPlatforms, ...ofSkills].filter((secret) => secret !== undefined);
}

/** The address of the database, and the password in it as it is written and as it is meant. */
function databaseSecrets(address: string | undefined): string[] {
  const password = address === undefined ? "" : (URL.parse(address)?.password ?? "");
  return [address ?? "", password, percentDecoded(password)].filter((secret) => secret !== "");
}
