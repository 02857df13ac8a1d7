import { OAuth2Scopes } from "discord-api-types/v10";
import { neededPermissions } from "../channel/missing-permissions.ts";

/**
 * The page that invites the bot with exactly the permissions it needs, and its slash commands.
 * https://discord.com/developers/docs/topics/oauth2#bot-authorization-flow
 */
export function inviteLink(applicationId: string): string {
  const link = new URL("https://discord.com/oauth2/authorize");
  link.searchParams.set("client_id", applicationId);
  link.searchParams.set("scope", [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(" "));
  link.searchParams.set("permissions", String(neededPermissions));
  return link.href;
}
