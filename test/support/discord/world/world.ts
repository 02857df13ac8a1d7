import type { Json } from "../api/json.ts";
import type { DiscordOptions } from "../discord-options.ts";
import { Changes } from "./changes.ts";
import { Snowflakes } from "./snowflakes.ts";

export interface User {
  id: string;
  name: string;
  bot: boolean;
  closedDms: boolean;
  /** Has added the app to their account. */
  installed: boolean;
}

interface Role {
  id: string;
  name: string;
  permissions: bigint;
  /** Anybody may call it. */
  mentionable?: boolean;
}

export interface Member {
  user: string;
  roles: string[];
  nick: string | null;
  /** ISO time until which a moderator took their voice. */
  timeoutUntil?: string;
}

export interface Guild {
  id: string;
  name: string;
  owner: string;
  roles: Role[];
  members: Member[];
  blockedWords: readonly string[];
  emojis: readonly { id: string; name: string }[];
  /** Whether the bot is in it. */
  joined: boolean;
}

export interface Overwrite {
  id: string;
  kind: "role" | "member";
  allow: bigint;
  deny: bigint;
}

/** Channel types by name. Source: Discord reference, "Channel Types". */
export const channelTypes = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
} as const;

/** Message types. Source: Discord reference, "Message Types". */
export const messageTypes = {
  plain: 0,
  threadCreated: 18,
  reply: 19,
  command: 20,
  threadStarter: 21,
} as const;

/** Notes that Discord writes in a person's name. */
export function isSystemNote(message: { type: number }): boolean {
  return message.type === messageTypes.threadCreated || message.type === messageTypes.threadStarter;
}

export interface Thread {
  owner: string;
  members: string[];
  archived: boolean;
  locked: boolean;
  /** ISO time of the last change of `archived`. */
  archivedAt: string;
  /** Minutes. */
  autoArchive: number;
  invitable: boolean;
}

export interface Channel {
  id: string;
  type: number;
  /** Undefined in direct messages. */
  guild?: string;
  name: string;
  topic: string | null;
  parent: string | null;
  overwrites: Overwrite[];
  thread?: Thread;
  /** The person of a direct message. */
  recipient?: string;
}

export interface Attachment {
  id: string;
  filename: string;
  contentType: string;
  description?: string;
  bytes: Buffer;
}

/** Whom a message calls. */
export interface Mentions {
  users: string[];
  roles: string[];
  everyone: boolean;
}

export interface Message {
  id: string;
  channel: string;
  author: string;
  /** One of `messageTypes`. */
  type: number;
  content: string;
  /** Other content in the format of the API. */
  parts?: Json;
  embeds: Json[];
  components: Json[];
  attachments: Attachment[];
  flags: number;
  /** ISO time. */
  sentAt: string;
  editedAt: string | null;
  /** Number of edits of its content; unfurling a link does not count. */
  edits: number;
  /** Whom it names and may call; an edit changes this. */
  mentions: Mentions;
  /** The people who were notified. Only posting notifies, editing never does. */
  notified: string[];
  /** What the notification read: its words when it was posted. */
  notifiedText: string;
  replyTo: string | null;
  nonce: string | number | null;
  reactions: Map<string, Set<string>>;
  pinned?: boolean;
  /** The interaction it answers. */
  interaction: string | null;
  /** Only this person sees it. */
  ephemeralFor: string | null;
}

/** An event on its way to whoever is connected. */
export interface GatewayEvent {
  name: string;
  /** Decides the shard; direct messages go to shard 0. */
  guild?: string | undefined;
  /** A session gets it only if it asked for this intent's bit. */
  intent: number;
  /** Its data, for a session with these intents. */
  data: (intents: number) => Json;
}

/** Intents' bits. Source: Discord gateway reference, "List of Intents". */
export const intents = {
  none: 0,
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  presences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  messageContent: 1 << 15,
} as const;

/** Everything that exists on the fake Discord. */
export class World {
  readonly options: DiscordOptions;
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly messages = new Map<string, Message>();
  readonly snowflakes = new Snowflakes();
  readonly changes = new Changes();
  readonly typing: { channel: string; at: number }[] = [];
  /** Where attachments are served, e.g. `http://127.0.0.1:1234`; known once the server listens. */
  origin = "";
  revoked = false;
  /** How many sessions were begun by IDENTIFY. */
  sessionStarts = 0;
  /** Takes events to the sessions. */
  deliver: (event: GatewayEvent) => void = () => undefined;

  constructor(options: DiscordOptions) {
    this.options = options;
  }

  get bot(): string {
    return this.options.application.id;
  }

  /** The messages of a channel, oldest first; without what only one person sees. */
  messagesOf(channel: string): Message[] {
    return [...this.messages.values()].filter(
      (message) => message.channel === channel && message.ephemeralFor === null,
    );
  }

  guildOf(channel: Channel): Guild | undefined {
    return channel.guild === undefined ? undefined : this.guilds.get(channel.guild);
  }

  /** The direct message of the bot and a person, created if it does not exist. */
  directMessage(user: string): Channel {
    const known = [...this.channels.values()].find((channel) => channel.recipient === user);
    if (known) return known;
    const channel: Channel = {
      id: this.snowflakes.next(),
      type: channelTypes.dm,
      name: "",
      topic: null,
      parent: null,
      overwrites: [],
      recipient: user,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }
}
