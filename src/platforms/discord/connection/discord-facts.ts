/** Numbers of Discord's API, version 10, from discord-api-types, which loads without discord.js. */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  ComponentType,
  GatewayCloseCodes,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  TextInputStyle,
} from "discord-api-types/v10";

export const channelTypes = {
  text: ChannelType.GuildText,
  dm: ChannelType.DM,
  voice: ChannelType.GuildVoice,
  announcement: ChannelType.GuildAnnouncement,
  announcementThread: ChannelType.AnnouncementThread,
  publicThread: ChannelType.PublicThread,
  privateThread: ChannelType.PrivateThread,
  stage: ChannelType.GuildStageVoice,
  forum: ChannelType.GuildForum,
  media: ChannelType.GuildMedia,
} as const;

export const permissions = {
  administrator: PermissionFlagsBits.Administrator,
  manageChannels: PermissionFlagsBits.ManageChannels,
  manageGuild: PermissionFlagsBits.ManageGuild,
  manageThreads: PermissionFlagsBits.ManageThreads,
  pinMessages: PermissionFlagsBits.PinMessages,
  mentionEveryone: PermissionFlagsBits.MentionEveryone,
  addReactions: PermissionFlagsBits.AddReactions,
  viewChannel: PermissionFlagsBits.ViewChannel,
  sendMessages: PermissionFlagsBits.SendMessages,
  embedLinks: PermissionFlagsBits.EmbedLinks,
  attachFiles: PermissionFlagsBits.AttachFiles,
  readMessageHistory: PermissionFlagsBits.ReadMessageHistory,
  connect: PermissionFlagsBits.Connect,
  createPublicThreads: PermissionFlagsBits.CreatePublicThreads,
  sendMessagesInThreads: PermissionFlagsBits.SendMessagesInThreads,
  sendPolls: PermissionFlagsBits.SendPolls,
} as const;

/** Whether a channel type is a thread. */
export function isThreadType(type: number): boolean {
  return type >= channelTypes.announcementThread && type <= channelTypes.privateThread;
}

/** Channels that hold posts, each a thread, and no messages of their own. */
export function isForumType(type: number): boolean {
  return type === channelTypes.forum || type === channelTypes.media;
}

/** Voice channels. Only people who may connect can read their text. */
export function isVoiceType(type: number): boolean {
  return type === channelTypes.voice || type === channelTypes.stage;
}

export const messageTypes = {
  plain: MessageType.Default,
  reply: MessageType.Reply,
  command: MessageType.ChatInputCommand,
  menuCommand: MessageType.ContextMenuCommand,
  /** The result of a poll, posted by Discord in the name of its creator. */
  pollResult: MessageType.PollResult,
} as const;

/** The type of a message reference that forwards the message. */
export const forwardType = MessageReferenceType.Forward;

export const errorCodes = {
  unknownChannel: RESTJSONErrorCodes.UnknownChannel,
  unknownMember: RESTJSONErrorCodes.UnknownMember,
  unknownMessage: RESTJSONErrorCodes.UnknownMessage,
  unknownUser: RESTJSONErrorCodes.UnknownUser,
  unknownEmoji: RESTJSONErrorCodes.UnknownEmoji,
  unknownInteraction: RESTJSONErrorCodes.UnknownInteraction,
  tooManyThreads: RESTJSONErrorCodes.MaximumActiveThreads,
  threadExists: RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage,
  tooManyFollowUps: RESTJSONErrorCodes.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages,
  fileTooLarge: RESTJSONErrorCodes.RequestEntityTooLarge,
  alreadyAnswered: RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  blockedByAutoMod: RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration,
  titleBlockedByAutoMod: RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration,
  missingAccess: RESTJSONErrorCodes.MissingAccess,
  cannotMessageUser: RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  missingPermissions: RESTJSONErrorCodes.MissingPermissions,
  noTextChannel: RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel,
  tooManyPins: RESTJSONErrorCodes.MaximumNumberOfPinsReachedForTheChannel,
  tooManyReactions: RESTJSONErrorCodes.MaximumNumberOfReactionsReached,
  wrongChannelType: RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
  archivedThread: RESTJSONErrorCodes.InvalidActionOnArchivedThread,
} as const;

export const messageFlags = {
  suppressEmbeds: MessageFlags.SuppressEmbeds,
  ephemeral: MessageFlags.Ephemeral,
  silent: MessageFlags.SuppressNotifications,
  voice: MessageFlags.IsVoiceMessage,
  components: MessageFlags.IsComponentsV2,
} as const;

export const componentTypes = {
  container: ComponentType.Container,
  section: ComponentType.Section,
  text: ComponentType.TextDisplay,
  thumbnail: ComponentType.Thumbnail,
  gallery: ComponentType.MediaGallery,
  file: ComponentType.File,
  row: ComponentType.ActionRow,
  button: ComponentType.Button,
  stringSelect: ComponentType.StringSelect,
  textInput: ComponentType.TextInput,
  label: ComponentType.Label,
} as const;

export const textInputStyles = { line: TextInputStyle.Short, paragraph: TextInputStyle.Paragraph } as const;

/** A slash command, and a command of a message's menu. */
export const commandTypes = {
  slash: ApplicationCommandType.ChatInput,
  menu: ApplicationCommandType.Message,
} as const;

/** Who adds an app: a server for its members, or a person for themselves. */
export const installations = {
  server: ApplicationIntegrationType.GuildInstall,
  person: ApplicationIntegrationType.UserInstall,
} as const;

/** Where a command is used. `private`: direct messages and groups without the bot. */
export const interactionContexts = {
  server: InteractionContextType.Guild,
  direct: InteractionContextType.BotDM,
  private: InteractionContextType.PrivateChannel,
} as const;

export const optionTypes = {
  subcommand: ApplicationCommandOptionType.Subcommand,
  group: ApplicationCommandOptionType.SubcommandGroup,
  number: ApplicationCommandOptionType.Integer,
  flag: ApplicationCommandOptionType.Boolean,
  text: ApplicationCommandOptionType.String,
} as const;

/** Close codes after which the gateway accepts no reconnect. */
export const closeCodes = {
  wrongToken: GatewayCloseCodes.AuthenticationFailed,
  invalidShard: GatewayCloseCodes.InvalidShard,
  shardingRequired: GatewayCloseCodes.ShardingRequired,
  invalidVersion: GatewayCloseCodes.InvalidAPIVersion,
  invalidIntents: GatewayCloseCodes.InvalidIntents,
  intentsNotAllowed: GatewayCloseCodes.DisallowedIntents,
} as const;

export const interactionTypes = {
  command: InteractionType.ApplicationCommand,
  component: InteractionType.MessageComponent,
  autocomplete: InteractionType.ApplicationCommandAutocomplete,
  modal: InteractionType.ModalSubmit,
} as const;

export const callbackTypes = {
  message: InteractionResponseType.ChannelMessageWithSource,
  deferredMessage: InteractionResponseType.DeferredChannelMessageWithSource,
  deferredUpdate: InteractionResponseType.DeferredMessageUpdate,
  autocomplete: InteractionResponseType.ApplicationCommandAutocompleteResult,
  modal: InteractionResponseType.Modal,
} as const;

/** Start of Discord's ids, ms since the epoch. Source: Discord reference, "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/** Creation time of an id, ms since the epoch. */
export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}

/** The smallest id with this creation time, ms since the epoch. */
export function snowflakeAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n);
}

/** Whether a text is a Discord id. */
export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}
