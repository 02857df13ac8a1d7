import type { Heard } from "./notified.ts";
import type { World } from "./world.ts";

interface StreamTask {
  id: string;
  title: string;
  status: string;
  details?: string;
  output?: string;
}

export interface StreamRecord {
  state: "in_progress" | "completed" | "errored";
  tasks: StreamTask[];
  plan_title?: string;
  task_display_mode: string;
  recipient_user_id?: string;
  /** How often text or chunks came: start, appends and stop. */
  pieces: number;
}

export interface MessageMetadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

/** A message as the fake keeps it. */
export interface MessageRecord {
  team_id: string;
  channel: string;
  ts: string;
  user: string;
  bot_id?: string;
  username?: string;
  text: string;
  blocks: Record<string, unknown>[];
  attachments: Record<string, unknown>[];
  /** Ids. */
  files: string[];
  metadata?: MessageMetadata;
  thread_ts?: string;
  broadcast: boolean;
  subtype?: string;
  client_msg_id?: string;
  edited?: { user: string; ts: string };
  /** How often its content was replaced. Pieces of a stream and link previews do not count. */
  edits: number;
  /** True if the app sent more than 40,000 characters and Slack silently cut them. */
  truncated: boolean;
  stream?: StreamRecord;
  reactions: { name: string; users: string[] }[];
  pinned?: boolean;
  /** Whom the app's message has notified (`notified.ts`). */
  notified?: string[];
  /** Who heard that the app posted it (`notified.ts`). */
  heard?: Heard;
  /** Deleted without a trace; a parent with replies stays as a tombstone instead. */
  gone: boolean;
}

interface Rendering {
  metadata: boolean;
  baseUrl: string;
}

/** The message as events and Web API show it. Metadata is left out unless asked for, as in conversations.history. */
export function renderMessage(
  world: World,
  message: MessageRecord,
  rendering: Rendering,
): Record<string, unknown> {
  const channel = world.channels.get(message.channel);
  const replies = repliesTo(world, message);
  return {
    type: "message",
    ...(message.subtype === undefined ? {} : { subtype: message.subtype }),
    user: message.user,
    ...(message.client_msg_id === undefined ? {} : { client_msg_id: message.client_msg_id }),
    text: message.text,
    ...botFields(world, message),
    team: message.team_id,
    ...(channel?.is_ext_shared === true
      ? {
          user_team: message.team_id,
          source_team: message.team_id,
          user_profile: profileOf(world, message.user),
        }
      : {}),
    ts: message.ts,
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
    ...(message.files.length > 0
      ? {
          files: message.files.map((id) => renderFile(world, id, message.channel, rendering.baseUrl)),
          upload: false,
        }
      : {}),
    ...(message.edited === undefined ? {} : { edited: message.edited }),
    ...threadFields(message, replies),
    ...(message.reactions.length > 0
      ? { reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })) }
      : {}),
    ...(message.stream === undefined ? {} : { streaming_state: message.stream.state }),
    ...(rendering.metadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
}

export function repliesTo(world: World, parent: MessageRecord): MessageRecord[] {
  return world.messages.filter(
    (reply) =>
      reply.channel === parent.channel &&
      reply.thread_ts === parent.ts &&
      reply.ts !== parent.ts &&
      !reply.gone,
  );
}

function threadFields(message: MessageRecord, replies: readonly MessageRecord[]): Record<string, unknown> {
  if (message.thread_ts !== undefined) return { thread_ts: message.thread_ts };
  if (replies.length === 0) return {};
  const people = [...new Set(replies.map((reply) => reply.user))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: people.length,
    reply_users: people,
    latest_reply: replies.at(-1)?.ts,
    is_locked: false,
    subscribed: false,
  };
}

function botFields(world: World, message: MessageRecord): Record<string, unknown> {
  if (message.bot_id === undefined) return {};
  const app = world.seed.app;
  return {
    bot_id: message.bot_id,
    app_id: app.id,
    ...(message.username === undefined ? {} : { username: message.username }),
    bot_profile: {
      id: message.bot_id,
      deleted: false,
      name: app.name,
      updated: 1_700_000_000,
      app_id: app.id,
      user_id: message.user,
      icons: { image_36: "https://a.slack-edge.com/36.png" },
      team_id: message.team_id,
    },
  };
}

export function profileOf(world: World, userId: string): Record<string, unknown> {
  const user = world.users.get(userId);
  return {
    name: user?.name ?? "",
    real_name: user?.real_name ?? "",
    first_name: user?.real_name.split(" ")[0] ?? "",
    display_name: user?.display_name ?? "",
    team: user?.team_id ?? "",
    avatar_hash: "g0000",
    image_72: "https://secure.gravatar.com/avatar/0.jpg",
    is_restricted: user?.is_restricted === true,
    is_ultra_restricted: user?.is_ultra_restricted === true,
  };
}

/** A file object. In a channel shared with another company only the id is there; `files.info` has the rest. */
function renderFile(world: World, id: string, channelId: string, baseUrl: string): Record<string, unknown> {
  const file = world.files.get(id);
  if (file === undefined) return { id, mode: "tombstone" };
  if (world.channels.get(channelId)?.is_ext_shared === true)
    return { id, mode: "file_access", file_access: "check_file_info" };
  return fileFields(world, id, baseUrl);
}

export function fileFields(world: World, id: string, baseUrl: string): Record<string, unknown> {
  const file = world.files.get(id);
  if (file === undefined) return { id };
  const path = `${baseUrl}/files-pri/${file.team_id}-${id}`;
  return {
    id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.name.split(".").at(-1) ?? "",
    pretty_type: file.mimetype,
    user: file.user,
    user_team: file.team_id,
    editable: false,
    size: file.content.byteLength,
    mode: "hosted",
    is_external: false,
    external_type: "",
    is_public: file.channels.some((channel) => world.channels.get(channel)?.kind === "public"),
    public_url_shared: false,
    display_as_bot: false,
    username: "",
    url_private: `${path}/${encodeURIComponent(file.name)}`,
    url_private_download: `${path}/download/${encodeURIComponent(file.name)}`,
    permalink: `https://acme.slack.com/files/${file.user}/${id}/${encodeURIComponent(file.name)}`,
    permalink_public: "",
    has_rich_preview: false,
    ...(file.duration_ms === undefined ? {} : { subtype: "slack_audio", duration_ms: file.duration_ms }),
    file_access: "visible",
    channels: file.channels,
  };
}
