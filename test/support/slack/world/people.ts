import { randomUUID } from "node:crypto";
import type { Backend } from "../api/method.ts";
import { richText } from "../api/rich-text.ts";
import { ControlRefusal } from "../control-refusal.ts";
import type { MessageRecord } from "./message-record.ts";
import type { SeedUser } from "./seed.ts";
import type { Channel } from "./world.ts";

interface SaidFile {
  name: string;
  mimetype: string;
  /** The file's text, or its bytes as base64 in `content_base64`. */
  content?: string;
  content_base64?: string;
  /** Makes it a clip that was recorded in Slack. */
  duration_ms?: number;
}

export interface Said {
  user: string;
  channel: string;
  /** As Slack's events have it: `&`, `<`, `>` escaped, mentions as `<@U…>`. */
  text: string;
  thread_ts?: string;
  files?: readonly SaidFile[];
  /** What another app posts in this name, as events have it: in the place of the text's own block, and of no attachments. */
  app?: { bot_id: string };
  blocks?: readonly unknown[];
  attachments?: readonly unknown[];
  /** A reply that also goes to the channel. */
  broadcast?: boolean;
  /** It was written so long ago, ms, and stands where it belongs. */
  ago_ms?: number;
}

/** Not validated, so that tests can send unusual content. */
type Parts = Record<string, unknown>[];

interface Place {
  channel: string;
  ts: string;
}

/** Actions of people on messages. */
export function peopleControls(backend: Backend) {
  const { world, events } = backend;
  return {
    /** Writes a message; the app gets Slack's event. */
    say: (said: Said): { ts: string } => {
      const channel = requireChannel(backend, said.channel);
      const user = requireMemberUser(backend, said.user, channel);
      const message = personMessage(backend, said, channel, user);
      world.messages.push(message);
      if (said.ago_ms !== undefined) world.messages.sort((a, b) => Number(a.ts) - Number(b.ts));
      events.posted(message);
      world.touch();
      return { ts: message.ts };
    },
    /** Edits the person's own message. */
    edit: ({ channel, ts, text }: Place & { text: string }): void => {
      const message = requireMessage(backend, channel, ts);
      if (message.bot_id !== undefined) throw new ControlRefusal("cant_edit", "People edit only their own.");
      const previous = events.snapshot(message);
      message.text = text;
      message.blocks = [richText(text, world.id("b"))];
      message.edited = { user: message.user, ts: world.timestamp() };
      message.edits += 1;
      events.changed(message, previous, true);
      world.touch();
    },
    /** Slack adds a link's preview: `message_changed` with the same text and no `edited`. */
    unfurl: ({ channel, ts, url }: Place & { url?: string }): void => {
      const message = requireMessage(backend, channel, ts);
      const previous = events.snapshot(message);
      const link = url ?? "https://example.com/";
      message.attachments = [
        { id: 1, from_url: link, original_url: link, fallback: "Example", title: "Example" },
      ];
      events.changed(message, previous, false);
      world.touch();
    },
    /** A person deletes a message: their own, or as an admin any. A parent with replies stays as a tombstone. */
    remove: ({ channel, ts }: Place): void => {
      const message = requireMessage(backend, channel, ts);
      const previous = events.snapshot(message);
      const hasReplies = world.messages.some((each) => each.thread_ts === ts && !each.gone);
      if (hasReplies) {
        const { metadata: _, client_msg_id: __, ...rest } = message;
        const tombstone = { ...rest, text: "This message was deleted.", subtype: "tombstone", blocks: [] };
        world.messages[world.messages.indexOf(message)] = {
          ...tombstone,
          user: "USLACKBOT",
          attachments: [],
        };
        events.changed({ ...tombstone, user: "USLACKBOT" }, previous, false);
      } else {
        message.gone = true;
        events.deleted(message, previous);
      }
      world.touch();
    },
    react: ({ channel, ts, user, reaction }: Place & { user: string; reaction: string }): void => {
      const message = requireMessage(backend, channel, ts);
      requireMemberUser(backend, user, requireChannel(backend, channel));
      const existing = message.reactions.find(({ name }) => name === reaction);
      if (existing?.users.includes(user) === true)
        throw new ControlRefusal("already_reacted", `${user} has reacted with ${reaction} before.`);
      if (existing === undefined) message.reactions.push({ name: reaction, users: [user] });
      else existing.users.push(user);
      reactionEvent(backend, "reaction_added", message, user, reaction);
      world.touch();
    },
    /** The bytes of a file that was said or uploaded. */
    file: ({ id }: { id: string }): { name: string; text: string; base64: string } => {
      const file = world.files.get(id);
      if (file === undefined) throw new ControlRefusal("file_not_found", `There is no file ${id}.`);
      const { name, content } = file;
      return { name, text: content.toString(), base64: content.toString("base64") };
    },
    /** Slack closes the streams that run, as it does in long turns. */
    closeStreams: (): { closed: number } => {
      const running = world.messages.filter((message) => message.stream?.state === "in_progress");
      for (const { stream } of running) if (stream !== undefined) stream.state = "errored";
      world.touch();
      return { closed: running.length };
    },
  };
}

/** Slack tells of everybody's reactions, the bot's own too. */
export function reactionEvent(
  { world, events }: Backend,
  type: "reaction_added" | "reaction_removed",
  message: MessageRecord,
  user: string,
  reaction: string,
): void {
  const channel = world.channels.get(message.channel);
  if (channel === undefined) return;
  const item = { type: "message", channel: channel.id, ts: message.ts };
  const event = { type, user, reaction, item, item_user: message.user, event_ts: world.timestamp() };
  for (const workspace of world.workspacesIn(channel)) events.send(workspace, event, "reactions:read");
}

export function requireChannel(backend: Backend, id: string): Channel {
  const channel = backend.world.channels.get(id);
  if (channel === undefined) throw new ControlRefusal("channel_not_found", `There is no channel ${id}.`);
  return channel;
}

export function requireUser(backend: Backend, id: string): SeedUser {
  const user = backend.world.users.get(id);
  if (user === undefined) throw new ControlRefusal("user_not_found", `There is no user ${id}.`);
  return user;
}

export function requireMemberUser(backend: Backend, id: string, channel: Channel): SeedUser {
  const user = requireUser(backend, id);
  if (channel.is_archived === true) throw new ControlRefusal("is_archived", `${channel.id} is archived.`);
  if (!channel.members.includes(id))
    throw new ControlRefusal("not_in_channel", `${id} is not in ${channel.id}, so cannot do that there.`);
  return user;
}

export function requireMessage(backend: Backend, channel: string, ts: string): MessageRecord {
  const message = backend.world.message(channel, ts);
  if (message === undefined)
    throw new ControlRefusal("message_not_found", `There is no message ${ts} in ${channel} now.`);
  return message;
}

function personMessage(backend: Backend, said: Said, channel: Channel, user: SeedUser): MessageRecord {
  const { world } = backend;
  const ts = world.timestamp(said.ago_ms);
  const thread = threadOf(backend, said);
  const files = (said.files ?? []).map((file) => storeFile(backend, file, user, channel));
  const subtype =
    said.app !== undefined
      ? "bot_message"
      : files.length > 0
        ? "file_share"
        : said.broadcast === true
          ? "thread_broadcast"
          : undefined;
  return {
    team_id: user.team_id,
    channel: channel.id,
    ts,
    user: user.id,
    text: said.text,
    blocks: (said.blocks ?? (said.text === "" ? [] : [richText(said.text, world.id("b"))])) as Parts,
    attachments: (said.attachments ?? []) as Parts,
    ...(said.app ?? {}),
    files,
    ...thread,
    ...(subtype === undefined ? {} : { subtype }),
    client_msg_id: randomUUID(),
    broadcast: said.broadcast === true,
    edits: 0,
    truncated: false,
    reactions: [],
    gone: false,
  };
}

function threadOf(backend: Backend, said: Said): { thread_ts?: string } {
  if (said.thread_ts === undefined) return {};
  const parent = backend.world.message(said.channel, said.thread_ts);
  if (parent === undefined)
    throw new ControlRefusal("thread_not_found", `There is no message ${said.thread_ts} to reply to.`);
  return { thread_ts: parent.thread_ts ?? parent.ts };
}

function storeFile(backend: Backend, file: SaidFile, user: SeedUser, channel: Channel): string {
  const id = backend.world.id("F");
  backend.world.files.set(id, {
    id,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    ...(file.duration_ms === undefined ? {} : { duration_ms: file.duration_ms }),
    user: user.id,
    team_id: user.team_id,
    content:
      file.content_base64 === undefined
        ? Buffer.from(file.content ?? "")
        : Buffer.from(file.content_base64, "base64"),
    channels: [channel.id],
    state: "complete",
    created: Math.floor(Date.now() / 1000),
  });
  return id;
}
