import type { MessageRecord } from "./message-record.ts";
import type { ChannelKind, SeedChannel, SeedUser, SeedWorkspace, SlackSeed } from "./seed.ts";

export interface Token {
  token: string;
  kind: "bot" | "app";
  team_id: string;
  /** The organisation that installed the app for its workspaces: each call has to name one of them. */
  enterprise_id?: string;
  scopes: readonly string[];
  /** The error that the token answers from now on. */
  refused?: string;
  /** Milliseconds since 1970; only rotated tokens have it. */
  expires_at?: number;
}

export interface Channel extends Omit<SeedChannel, "members"> {
  members: string[];
  created: number;
}

export interface Workspace extends SeedWorkspace {}

export interface EphemeralRecord {
  user: string;
  channel: string;
  ts: string;
  text: string;
  blocks: unknown[];
  thread_ts?: string;
  /** False after the app deleted it through a response_url. */
  shown: boolean;
  /** How often the app replaced it. */
  edits: number;
}

export interface ViewRecord {
  id: string;
  type: "modal" | "home";
  user: string;
  team_id: string;
  hash: string;
  callback_id: string;
  external_id: string;
  view: Record<string, unknown>;
  blocks: Record<string, unknown>[];
  root_view_id: string;
  previous_view_id: string | null;
  /** Whether the person sees it now. A pushed view hides the one below, which stays open. */
  open: boolean;
  updates: number;
  /** The errors shown at its inputs since the last submission, by block id. */
  errors: Record<string, string>;
}

export interface FileRecord {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  /** Of a clip that was recorded in Slack. */
  duration_ms?: number;
  user: string;
  team_id: string;
  content: Buffer;
  /** Channels it was shared to. */
  channels: string[];
  state: "upload-open" | "uploaded" | "complete";
  created: number;
}

export interface CallRecord {
  method: string;
  arguments: Record<string, unknown>;
  token: string;
  /** Milliseconds since 1970. */
  at: number;
  status: number;
  ok: boolean;
  error?: string;
}

export interface AssistantThread {
  channel: string;
  thread_ts: string;
  user: string;
}

export interface StatusRecord {
  channel: string;
  thread_ts: string;
  status: string;
  loading_messages: string[];
  at: number;
}

/** An agent session: its title, and every status it has had. */
export interface SessionRecord {
  channel: string;
  thread_ts: string;
  title?: string;
  statuses: string[];
}

/** The complete state of the fake Slack. Callers that change it call `touch`. */
export class World {
  readonly seed: SlackSeed;
  readonly workspaces = new Map<string, Workspace>();
  readonly users = new Map<string, SeedUser>();
  readonly channels = new Map<string, Channel>();
  readonly tokens = new Map<string, Token>();
  readonly messages: MessageRecord[] = [];
  readonly ephemerals: EphemeralRecord[] = [];
  readonly views = new Map<string, ViewRecord>();
  readonly files = new Map<string, FileRecord>();
  readonly calls: CallRecord[] = [];
  readonly assistantThreads: AssistantThread[] = [];
  readonly statuses: StatusRecord[] = [];
  readonly sessions: SessionRecord[] = [];
  /** What people have open beside the app, by user, as `entities`. */
  readonly looking = new Map<string, readonly unknown[]>();
  /** Tokens that came with messages to the bot, each with the person who wrote one. */
  readonly actionTokens = new Map<string, string>();
  readonly titles: { channel: string; thread_ts: string; title: string }[] = [];
  readonly prompts: { channel: string; thread_ts?: string; title?: string; prompts: unknown[] }[] = [];
  version = 1;
  /** The error that all blocks of messages are refused with, if they are. */
  blockRefusal: string | undefined;
  #listeners = new Set<() => void>();
  #lastMicroseconds = 0;
  #ids = 0;

  constructor(seed: SlackSeed) {
    this.seed = seed;
    for (const workspace of seed.workspaces) this.#addWorkspace(workspace);
    for (const user of seed.users) this.users.set(user.id, user);
    for (const channel of seed.channels) this.addChannel(channel);
    const app = seed.app;
    this.tokens.set(app.app_token, {
      token: app.app_token,
      kind: "app",
      team_id: "",
      scopes: ["connections:write"],
    });
  }

  /** Says that something changed to everyone who waits. */
  touch(): void {
    this.version += 1;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /** Resolves at the next change, or after `milliseconds`. */
  changed(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.#listeners.add(done);
    });
  }

  /** A message's ts: seconds with six decimals, never twice the same, always rising unless it is to be older. */
  timestamp(agoMs = 0): string {
    const now = Date.now() * 1000;
    this.#lastMicroseconds = Math.max(now, this.#lastMicroseconds + 1);
    const digits = String(this.#lastMicroseconds - agoMs * 1000);
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  }

  /** An id of the kind Slack makes: a letter and ten characters. */
  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${this.#ids.toString(36).toUpperCase().padStart(10, "0")}`;
  }

  addChannel(channel: SeedChannel): Channel {
    const added = { ...channel, members: [...channel.members], created: 1_700_000_000 };
    this.channels.set(channel.id, added);
    return added;
  }

  /** Whether a thread has replies: Slack shows no ephemeral message in a thread without replies. */
  isOpenThread(channel: string, ts: string | undefined): boolean {
    return this.messages.some((each) => each.channel === channel && each.thread_ts === ts && each.ts !== ts);
  }

  workspaceOfBot(userId: string): Workspace | undefined {
    return [...this.workspaces.values()].find((workspace) => workspace.bot_user_id === userId);
  }

  /** Workspaces whose bot is in the channel and whose app is installed: those get its events. */
  workspacesIn(channel: Channel): Workspace[] {
    return [...this.workspaces.values()].filter(
      (workspace) => workspace.installed && channel.members.includes(workspace.bot_user_id),
    );
  }

  message(channel: string, ts: string): MessageRecord | undefined {
    return this.messages.find((message) => message.channel === channel && message.ts === ts && !message.gone);
  }

  /** The newest working token of a workspace's bot. */
  botToken(teamId: string): Token | undefined {
    const tokens = [...this.tokens.values()].filter((token) => token.team_id === teamId);
    return tokens.findLast((token) => token.refused === undefined);
  }

  #addWorkspace(workspace: SeedWorkspace): void {
    this.workspaces.set(workspace.id, { ...workspace });
    const { id, name, bot_user_id } = { ...workspace, name: this.seed.app.name };
    this.users.set(bot_user_id, {
      id: bot_user_id,
      team_id: id,
      name: name.toLowerCase(),
      real_name: name,
      display_name: name,
      tz: "America/Los_Angeles",
      is_bot: true,
    });
    if (!workspace.installed) return;
    this.tokens.set(workspace.bot_token, {
      token: workspace.bot_token,
      kind: "bot",
      team_id: id,
      scopes: workspace.bot_scopes,
    });
  }
}

/** The word that scopes and event names use: `channels:history`, `channel_type`. */
export const kindWords: Record<ChannelKind, { scope: string; channelType: string }> = {
  public: { scope: "channels", channelType: "channel" },
  private: { scope: "groups", channelType: "group" },
  im: { scope: "im", channelType: "im" },
  mpim: { scope: "mpim", channelType: "mpim" },
};
