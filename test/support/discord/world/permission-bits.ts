/** Bits of a permission bitfield. Source: Discord reference, "Permissions". */
export const permissionBits = {
  KickMembers: 1n << 1n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  Connect: 1n << 20n,
  Speak: 1n << 21n,
  ManageRoles: 1n << 28n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
  SendPolls: 1n << 49n,
  PinMessages: 1n << 51n,
} as const;

export type PermissionName = keyof typeof permissionBits;

/** Every bit there is. */
export const allPermissions = (1n << 53n) - 1n;

/** Permissions of people in an unconfigured guild: everything except moderation. */
export const ordinaryPermissions: readonly PermissionName[] = [
  "AddReactions",
  "ViewChannel",
  "SendMessages",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "Connect",
  "Speak",
  "UseApplicationCommands",
  "CreatePublicThreads",
  "CreatePrivateThreads",
  "SendMessagesInThreads",
  "SendPolls",
];

export function bitfield(names: readonly PermissionName[] = []): bigint {
  return names.reduce((bits, name) => bits | permissionBits[name], 0n);
}
