/** Numbers of Discord's API, version 10, as far as they are needed before discord.js is loaded. */

/** Source: Discord reference, "Channel Types". */
export const channelTypes = {
  text: 0,
  dm: 1,
  voice: 2,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  forum: 15,
  media: 16,
} as const;

/** Source: Discord reference, "Bitwise Permission Flags". */
export const permissions = {
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  createPublicThreads: 1n << 35n,
  sendMessagesInThreads: 1n << 38n,
} as const;

/** What makes a channel a thread. */
export function isThreadType(type: number): boolean {
  return type >= channelTypes.announcementThread && type <= channelTypes.privateThread;
}

/** Source: Discord reference, "JSON Error Codes". */
export const errorCodes = {
  unknownChannel: 10_003,
  unknownMember: 10_007,
  unknownMessage: 10_008,
  unknownUser: 10_013,
  unknownInteraction: 10_062,
  tooManyThreads: 160_006,
  threadExists: 160_004,
  fileTooLarge: 40_005,
  alreadyAnswered: 40_060,
  blockedByAutoMod: 200_000,
  titleBlockedByAutoMod: 200_001,
  missingAccess: 50_001,
  cannotMessageUser: 50_007,
  missingPermissions: 50_013,
  wrongChannelType: 50_024,
  archivedThread: 50_083,
} as const;

/** Source: Discord reference, "Message Flags". */
export const messageFlags = { suppressEmbeds: 1 << 2, ephemeral: 1 << 6, silent: 1 << 12 } as const;

/** Source: Discord reference, "Component Types", "Button Styles", "Text Input Styles". */
export const componentTypes = { row: 1, button: 2, stringSelect: 3, textInput: 4, label: 18 } as const;

/** Source: Discord reference, "Interaction Type". */
export const interactionTypes = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Source: Discord reference, "Interaction Callback Type". */
export const callbackTypes = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  autocomplete: 8,
  modal: 9,
} as const;

/** ms since the epoch of Discord's first second. Source: Discord reference, "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/** When something with this id was made, ms since the epoch. */
export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}

/** The least id of things made at this time (ms since the epoch). */
export function snowflakeAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n);
}

/** Whether a text is an id of Discord's. */
export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}
