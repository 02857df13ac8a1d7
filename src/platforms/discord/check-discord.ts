import type { APIApplication, APIUser, REST, RESTAPIPartialCurrentUserGuild } from "discord.js";
import { OAuth2Scopes } from "discord-api-types/v10";
import { errorText } from "../../base/error-text.ts";
import { missingPermissions, neededPermissions } from "./channel/missing-permissions.ts";

/** One thing that was checked against Discord. */
export interface DiscordFinding {
  name: "token" | "intents" | "invitation" | "servers" | "permissions";
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, as a sentence. */
  advice?: string;
}

/** Maximum servers whose permissions are checked. */
const maxServers = 20;

/**
 * Checks the token with Discord: its bot, the intents that are on, the bot's servers and its missing permissions there. Never
 * throws.
 */
export async function checkDiscord({
  token,
  api_url,
}: {
  token: string;
  api_url: string;
}): Promise<DiscordFinding[]> {
  const { REST, Routes } = await import("discord.js");
  const rest = new REST({
    api: api_url,
    retries: 0,
    timeout: 10_000,
    rejectOnRateLimit: () => true,
  }).setToken(token);
  try {
    const user = (await rest.get(Routes.user())) as APIUser;
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    return [
      { name: "token", status: "ok", detail: `the bot ${user.username}` },
      await intents(application),
      ...(await servers(rest, application.id)),
    ];
  } catch (error) {
    return [await failure(error)];
  }
}

/** https://discord.com/developers/docs/resources/application#application-object-application-flags */
async function intents({ flags }: APIApplication): Promise<DiscordFinding> {
  const { ApplicationFlags } = await import("discord.js");
  const content = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
  if ((Number(flags) & content) !== 0)
    return { name: "intents", status: "ok", detail: "Message Content is on" };
  const detail =
    "Message Content is off: the bot works when it is mentioned, replied to or written to directly, but does not hear follow-ups in its threads";
  const advice =
    "Switch it on under Bot → Privileged Gateway Intents of the application in https://discord.com/developers/applications.";
  return { name: "intents", status: "warning", detail, advice };
}

async function servers(rest: REST, applicationId: string): Promise<DiscordFinding[]> {
  const { Routes } = await import("discord.js");
  const query = new URLSearchParams({ limit: String(maxServers) });
  const guilds = (await rest.get(Routes.userGuilds(), { query })) as RESTAPIPartialCurrentUserGuild[];
  const link = inviteLink(applicationId);
  if (guilds.length === 0) {
    const advice = `Invite it: ${link}`;
    return [{ name: "servers", status: "warning", detail: "the bot is in no server", advice }];
  }
  const invitation: DiscordFinding = {
    name: "invitation",
    status: "ok",
    detail: `for further servers: ${link}`,
  };
  const names = guilds.map((guild) => guild.name).join(", ");
  const lacking = guilds.flatMap((guild) => missingIn(guild, link));
  return [{ name: "servers", status: "ok", detail: names }, ...lacking, invitation];
}

function missingIn({ name, permissions }: RESTAPIPartialCurrentUserGuild, link: string): DiscordFinding[] {
  const missing = missingPermissions(BigInt(permissions));
  if (missing.length === 0) return [];
  const list = missing.map((each) => `${each.name} (needed for ${each.stops})`).join("; ");
  const advice = `Give its role these permissions in the server's settings, or invite it again: ${link}`;
  return [{ name: "permissions", status: "warning", detail: `${name}: missing ${list}`, advice }];
}

async function failure(error: unknown): Promise<DiscordFinding> {
  const { DiscordAPIError, HTTPError, RateLimitError } = await import("discord.js");
  const name = "token";
  if (error instanceof RateLimitError) {
    const advice = `Try again in ${Math.ceil(error.timeToReset / 1000)} s.`;
    return { name, status: "warning", detail: "Discord limits the bot's requests right now", advice };
  }
  const status = error instanceof DiscordAPIError || error instanceof HTTPError ? error.status : undefined;
  if (status === 401) {
    const advice =
      "Reset and copy the token on the page Bot of the application in https://discord.com/developers/applications.";
    return { name, status: "error", detail: "Discord refuses the token: it is wrong or was reset", advice };
  }
  const reason = errorText(error);
  const advice = "Check the network, a proxy in between, and DISCORD_API_URL.";
  return { name, status: "error", detail: `Discord cannot be reached: ${reason}`, advice };
}

/**
 * The page that invites the bot with exactly the permissions it needs, and its slash commands.
 * https://discord.com/developers/docs/topics/oauth2#bot-authorization-flow
 */
function inviteLink(applicationId: string): string {
  const link = new URL("https://discord.com/oauth2/authorize");
  link.searchParams.set("client_id", applicationId);
  link.searchParams.set("scope", [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(" "));
  link.searchParams.set("permissions", String(neededPermissions));
  return link.href;
}
