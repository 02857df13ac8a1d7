import type { Json } from "./api/json.ts";
import type { Call } from "./api/rest-api.ts";

/** A message as tests look at it. */
export interface ObservedMessage {
  id: string;
  channel: string;
  author: string;
  type: number;
  /** Its words: the content, or the texts of its components. */
  content: string;
  embeds: Json[];
  components: Json[];
  /** Visible files: in a message made of components, the files that a component shows. */
  attachments: { id: string; filename: string; contentType: string; size: number; url: string }[];
  flags: number;
  sentAt: string;
  editedAt: string | null;
  /** Number of edits of its content; replacing "thinking…" does not count. */
  edits: number;
  replyTo: string | null;
  nonce: string | number | null;
  mentions: { users: string[]; roles: string[]; everyone: boolean };
  /** The people who were notified when it was posted. */
  notified: string[];
  /** What the notification read. */
  notifiedText: string;
  /** Emoji and who reacted with it. */
  reactions: Record<string, string[]>;
  pinned?: boolean;
  /** The interaction it answers. */
  interaction: string | null;
  /** The one person who sees it. */
  ephemeralFor: string | null;
}

export interface ObservedThread {
  id: string;
  parent: string | null;
  name: string;
  type: "public" | "private" | "announcement";
  owner: string;
  members: string[];
  archived: boolean;
  locked: boolean;
}

/** A person's use of a command or component of the bot, and the response. */
export interface ObservedInteraction {
  id: string;
  kind: "command" | "component" | "autocomplete" | "modal";
  user: string;
  channel: string;
  /** The first answer: 4 message, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal; `latency` in ms. */
  callback: { type: number; data: Json; ephemeral: boolean; latency: number } | null;
  /** Whether "thinking…" is still shown. */
  loading: boolean;
  /** The current `@original`; null if there is none or it was deleted. */
  original: ObservedMessage | null;
  followups: ObservedMessage[];
  modal: Json | null;
  choices: Json[] | null;
}

/** All of the fake Discord at one moment. */
export interface ObservedState {
  version: number;
  /** Oldest first, those that only one person sees included; Discord's own notes about threads are not. */
  messages: ObservedMessage[];
  threads: ObservedThread[];
  /** `recipient`: the person of a direct message. */
  channels: { id: string; guild: string | null; name: string; type: number; recipient?: string }[];
  commands: { global: Json[]; guilds: Record<string, Json[]>; puts: number };
  calls: Call[];
  /** `at` is ms since the epoch. */
  typing: { channel: string; at: number }[];
  identified: { at: number; payload: Json }[];
  sessions: { id: string; shard: number; connected: boolean; resumes: number; intents: number }[];
  interactions: ObservedInteraction[];
}
