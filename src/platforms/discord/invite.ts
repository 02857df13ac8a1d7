/** The least the bot needs in a server, each with what stops working without it. Names are discord.js's. */
export const neededPermissions = {
  ViewChannel: "it sees no messages",
  SendMessages: "it cannot answer",
  SendMessagesInThreads: "it cannot answer in threads",
  CreatePublicThreads: "it answers in the channel instead of opening threads",
  EmbedLinks: "links in answers show no preview",
  AttachFiles: "it cannot answer with files",
  AddReactions: "it cannot mark messages as seen or react",
  PinMessages: "it cannot pin messages",
  ReadMessageHistory: "it cannot read the thread it is called into, or reply to a message",
} as const;

export type NeededPermission = keyof typeof neededPermissions;

/**
 * The page that invites the bot with exactly these permissions and its slash commands.
 * https://discord.com/developers/docs/topics/oauth2#bot-authorization-flow
 */
export async function inviteLink(applicationId: string): Promise<string> {
  const { OAuth2Scopes, PermissionsBitField } = await import("discord.js");
  const names = Object.keys(neededPermissions) as NeededPermission[];
  const link = new URL("https://discord.com/oauth2/authorize");
  link.searchParams.set("client_id", applicationId);
  link.searchParams.set("scope", [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(" "));
  link.searchParams.set("permissions", PermissionsBitField.resolve(names).toString());
  return link.href;
}
