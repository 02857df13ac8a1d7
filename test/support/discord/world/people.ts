import type { ControlInput } from "../control-protocol.ts";
import { mentionsOf } from "./mentions.ts";
import { changeMessage, deleteMessage, postMessage, setReaction } from "./messages.ts";
import { openThread } from "./open-thread.ts";
import type { PermissionName } from "./permission-bits.ts";
import { may, sendPermission } from "./permissions.ts";
import { type Attachment, type Channel, channelTypes, type Message, type User, type World } from "./world.ts";

/** Messages of people. Throws an ordinary error for an action that Discord does not allow: the test is wrong. */
export function say(
  world: World,
  { user, channel: id, content, replyTo, files, agoMs, parts }: ControlInput<"say">,
): Message {
  const channel = channelOf(world, id);
  const author = userOf(world, user);
  if (channel.type === channelTypes.forum || channel.type === channelTypes.category) {
    throw new Error(`Nobody can write into ${channel.name}: it is a forum or a category.`);
  }
  if (channel.recipient !== undefined && channel.recipient !== user) {
    throw new Error(`${author.name} is not in this direct message.`);
  }
  require(world, channel, user, sendPermission(channel));
  const replied = replyTo === undefined ? undefined : messageOf(world, replyTo);
  const before =
    agoMs === undefined
      ? {}
      : { id: world.snowflakes.next(agoMs), sentAt: new Date(Date.now() - agoMs).toISOString() };
  return postMessage(world, {
    ...before,
    channel: id,
    author: user,
    content,
    type: replied ? 19 : 0,
    replyTo: replied?.id ?? null,
    ...(parts === undefined ? {} : { parts }),
    attachments: (files ?? []).map((file) => attachmentOf(world, file)),
    mentions: mentionsOf(world, channel, {
      content,
      repliedTo: replied?.author,
      everyone: may(world, user, channel, "MentionEveryone"),
    }),
  });
}

function attachmentOf(world: World, file: { name: string; contentType: string; base64: string }): Attachment {
  const bytes = Buffer.from(file.base64, "base64");
  return { id: world.snowflakes.next(), filename: file.name, contentType: file.contentType, bytes };
}

/** The author edits a message. */
export function edit(world: World, { message: id, content }: ControlInput<"edit">): void {
  const message = messageOf(world, id);
  const channel = channelOf(world, message.channel);
  const mentions = mentionsOf(world, channel, { content, everyone: false });
  changeMessage(world, message, { content, mentions });
}

/** Discord shows a preview of a link: an update without an edit. */
export function unfurl(world: World, { message, embeds }: ControlInput<"unfurl">): void {
  changeMessage(world, messageOf(world, message), { embeds }, true);
}

export function remove(world: World, { message }: ControlInput<"remove">): void {
  deleteMessage(world, messageOf(world, message));
}

export function react(world: World, input: ControlInput<"react">): void {
  const message = messageOf(world, input.message);
  require(world, channelOf(world, message.channel), input.user, "ViewChannel");
  setReaction(world, message, input.user, input.emoji, !input.remove);
}

/** A person starts a thread, from a message or without one. */
export function startThread(world: World, input: ControlInput<"startThread">): Channel {
  const parent = channelOf(world, input.channel);
  require(world, parent, input.user, input.private ? "CreatePrivateThreads" : "CreatePublicThreads");
  const from = input.message === undefined ? undefined : messageOf(world, input.message);
  return openThread(world, {
    parent,
    name: input.name,
    owner: input.user,
    ...(input.private ? { private: true } : {}),
    ...(from ? { from } : {}),
  });
}

/** A person posts in a forum: a thread whose first message has its id. */
export function createForumPost(world: World, input: ControlInput<"createForumPost">): Channel {
  const parent = channelOf(world, input.channel);
  if (parent.type !== channelTypes.forum) throw new Error(`${parent.name} is no forum.`);
  require(world, parent, input.user, "SendMessages");
  const thread = openThread(world, { parent, name: input.name, owner: input.user });
  const { content, user } = input;
  const mentions = mentionsOf(world, thread, {
    content,
    everyone: may(world, user, thread, "MentionEveryone"),
  });
  postMessage(world, { id: thread.id, channel: thread.id, author: user, content, mentions });
  return thread;
}

export function channelOf(world: World, id: string): Channel {
  const channel = world.channels.get(id);
  if (!channel) throw new Error(`There is no channel ${id}.`);
  return channel;
}

export function messageOf(world: World, id: string): Message {
  const message = world.messages.get(id);
  if (!message) throw new Error(`There is no message ${id}.`);
  return message;
}

export function userOf(world: World, id: string): User {
  const user = world.users.get(id);
  if (!user) throw new Error(`There is no user ${id}.`);
  return user;
}

/** Throws unless the person may do this here. */
export function require(world: World, channel: Channel, user: string, ...names: PermissionName[]): void {
  if (may(world, user, channel, "ViewChannel", ...names)) return;
  throw new Error(
    `${userOf(world, user).name} may not ${names.join(", ")} in ${channel.name || channel.id}.`,
  );
}
