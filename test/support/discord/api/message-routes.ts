import { mentionsOf } from "../world/mentions.ts";
import { changeMessage, deleteMessage, postMessage, setReaction } from "../world/messages.ts";
import { may, requireOfBot, seenByBot, sendPermission } from "../world/permissions.ts";
import { byAge } from "../world/snowflakes.ts";
import { type Channel, channelTypes, type Message, type World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { type ApiRequest, type ApiRoute, noContent, ok, route } from "./api-request.ts";
import { allWords } from "./component-check.ts";
import { isObject, type Json, text } from "./json.ts";
import { messageFlags, readMessageBody } from "./message-body.ts";
import { wireMessage } from "./wire.ts";

/** Messages, reactions and the typing indicator of channels. */
export function messageRoutes(world: World): ApiRoute[] {
  return [
    route("POST /channels/:channel/messages", (request) => post(world, request)),
    route("GET /channels/:channel/messages", (request) => list(world, request)),
    route("GET /channels/:channel/messages/:message", (request) => {
      const { channel, message } = find(world, request);
      requireOfBot(world, channel, "ReadMessageHistory");
      return ok(wireMessage(world, message, "rest"));
    }),
    route("PATCH /channels/:channel/messages/:message", (request) => edit(world, request)),
    route("DELETE /channels/:channel/messages/:message", (request) => {
      const { channel, message } = find(world, request);
      if (message.author !== world.bot) {
        if (channel.recipient !== undefined) throw refusals.missingPermissions();
        requireOfBot(world, channel, "ManageMessages");
      }
      refuseArchived(channel);
      deleteMessage(world, message);
      return noContent;
    }),
    route("POST /channels/:channel/typing", (request) => {
      const channel = seenByBot(world, request.at("channel"));
      requireOfBot(world, channel, sendPermission(channel));
      world.typing.push({ channel: channel.id, at: Date.now() });
      return noContent;
    }),
    route("PUT /channels/:channel/messages/:message/reactions/:emoji/@me", (request) => {
      const { channel, message } = find(world, request);
      const emoji = request.at("emoji");
      if (!isEmoji(world, channel, emoji)) throw refusals.unknownEmoji();
      requireOfBot(world, channel, "ReadMessageHistory");
      if (!message.reactions.get(emoji)?.size) requireOfBot(world, channel, "AddReactions");
      refuseArchived(channel);
      setReaction(world, message, world.bot, emoji, true);
      return noContent;
    }),
    route("DELETE /channels/:channel/messages/:message/reactions/:emoji/@me", (request) => {
      const { message } = find(world, request);
      if (!message.reactions.get(request.at("emoji"))?.has(world.bot)) throw refusals.unknownEmoji();
      setReaction(world, message, world.bot, request.at("emoji"), false);
      return noContent;
    }),
    // Source: Discord reference, "Pin Message". Service messages ("pinned a message") are left out.
    route("PUT /channels/:channel/messages/pins/:message", (request) => pin(world, request, true)),
    route("DELETE /channels/:channel/messages/pins/:message", (request) => pin(world, request, false)),
    route("DELETE /channels/:channel/messages/:message/reactions/:emoji/:user", (request) => {
      const { channel, message } = find(world, request);
      requireOfBot(world, channel, "ManageMessages");
      setReaction(world, message, request.at("user"), request.at("emoji"), false);
      return noContent;
    }),
  ];
}

/** A message of a channel that the bot sees. Throws 10003, 50001, 10008. */
function find(world: World, request: ApiRequest): { channel: Channel; message: Message } {
  const channel = seenByBot(world, request.at("channel"));
  const message = world.messages.get(request.at("message"));
  if (message?.channel !== channel.id || message.ephemeralFor !== null) throw refusals.unknownMessage();
  return { channel, message };
}

/** Source: Discord reference, "Create Reaction": the character, or `name:id` of one that the bot may use. */
function isEmoji(world: World, channel: Channel, emoji: string): boolean {
  const own = world.guildOf(channel)?.emojis ?? [];
  if (own.some(({ id, name }) => emoji === `${name}:${id}`)) return true;
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v.test(emoji);
}

function pin(world: World, request: ApiRequest, pinned: boolean) {
  const { channel, message } = find(world, request);
  if (world.guildOf(channel)) requireOfBot(world, channel, "PinMessages");
  refuseArchived(channel);
  message.pinned = pinned;
  world.changes.note();
  return noContent;
}

function refuseArchived(channel: Channel): void {
  if (channel.thread?.archived) throw refusals.archivedThread();
}

/** Throws unless the bot may post the content of the body here. */
export function requireSending(world: World, channel: Channel, body: Json, files: number): void {
  if (channel.type === channelTypes.category || channel.type === channelTypes.forum)
    throw refusals.notAText();
  requireOfBot(world, channel, sendPermission(channel));
  if (files > 0) requireOfBot(world, channel, "AttachFiles");
  if (Array.isArray(body.embeds) && body.embeds.length > 0) requireOfBot(world, channel, "EmbedLinks");
  if (body.poll !== undefined) requireOfBot(world, channel, "SendPolls");
  if (channel.thread?.locked && channel.thread.archived) requireOfBot(world, channel, "ManageThreads");
  if (world.users.get(channel.recipient ?? "")?.closedDms) throw refusals.closedDms();
}

/** Whether AutoMod of the guild blocks these words. */
export function isModerated(world: World, channel: Channel, words: string): boolean {
  const blocked = world.guildOf(channel)?.blockedWords ?? [];
  return blocked.some((word) => words.toLowerCase().includes(word.toLowerCase()));
}

function post(world: World, { at, body, files }: ApiRequest) {
  const channel = seenByBot(world, at("channel"));
  requireSending(world, channel, body, files.length);
  const content = readMessageBody(world, body, files);
  if (isModerated(world, channel, allWords(content))) throw refusals.blockedByAutoMod();
  const nonce = typeof body.nonce === "number" ? body.nonce : text(body.nonce) || null;
  if (body.enforce_nonce === true && nonce !== null) {
    const before = world
      .messagesOf(channel.id)
      .find((one) => one.author === world.bot && one.nonce === nonce);
    if (before) return ok(wireMessage(world, before, "rest"));
  }
  return ok(wireMessage(world, writeAsBot(world, channel, body, { ...content, nonce }), "rest"));
}

/** Posts a message of the bot: reply, mentions, flags. Throws 50035 if the message it replies to was deleted. */
function writeAsBot(
  world: World,
  channel: Channel,
  body: Json,
  content: ReturnType<typeof readMessageBody> & { nonce: string | number | null },
): Message {
  const replied = repliedTo(world, channel, body);
  return postMessage(world, {
    ...content,
    flags: content.flags & (messageFlags.suppressEmbeds | messageFlags.silent | messageFlags.modern),
    channel: channel.id,
    author: world.bot,
    type: replied ? 19 : 0,
    replyTo: replied?.id ?? null,
    mentions: mentionsOf(world, channel, {
      content: allWords(content),
      repliedTo: replied?.author,
      allowed: body.allowed_mentions,
      everyone: may(world, world.bot, channel, "MentionEveryone"),
    }),
  });
}

function repliedTo(world: World, channel: Channel, body: Json): Message | undefined {
  const reference = body.message_reference;
  if (!isObject(reference)) return undefined;
  if (!may(world, world.bot, channel, "ReadMessageHistory")) throw refusals.noHistoryForReply();
  const original = world.messages.get(text(reference.message_id));
  if (original?.channel === channel.id) return original;
  if (reference.fail_if_not_exists === false) return undefined;
  throw refusals.unknownReference();
}

function edit(world: World, request: ApiRequest) {
  const { channel, message } = find(world, request);
  if (message.author !== world.bot) throw refusals.notYours();
  refuseArchived(channel);
  const { body, files } = request;
  const content = readMessageBody(world, body, files, message);
  if (isModerated(world, channel, allWords(content))) throw refusals.blockedByAutoMod();
  const mentions = mentionsOf(world, channel, {
    content: allWords(content),
    allowed: body.allowed_mentions,
    everyone: may(world, world.bot, channel, "MentionEveryone"),
  });
  changeMessage(world, message, { ...content, mentions });
  return ok(wireMessage(world, message, "rest"));
}

function list(world: World, { at, query }: ApiRequest) {
  const channel = seenByBot(world, at("channel"));
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw refusals.badLimit(100);
  if (!may(world, world.bot, channel, "ReadMessageHistory")) return ok([]);
  const newestFirst = world.messagesOf(channel.id).sort(byAge).reverse();
  const page = pageOf(newestFirst, query, limit);
  return ok(page.map((message) => wireMessage(world, message, "rest")));
}

/** One page, newest first: before or after an id, or around it. Source: Discord reference, "Get Channel Messages". */
function pageOf(newestFirst: Message[], query: URLSearchParams, limit: number): Message[] {
  const [before, after, around] = ["before", "after", "around"].map((name) => query.get(name));
  if (around) {
    const newer = newestFirst.filter((message) => BigInt(message.id) > BigInt(around));
    const rest = newestFirst.filter((message) => BigInt(message.id) <= BigInt(around));
    const half = Math.floor(limit / 2);
    return [...newer.slice(-half), ...rest.slice(0, limit - Math.min(half, newer.length))];
  }
  if (after) {
    const newer = newestFirst.filter((message) => BigInt(message.id) > BigInt(after));
    return newer.slice(-limit);
  }
  const older = before ? newestFirst.filter((message) => BigInt(message.id) < BigInt(before)) : newestFirst;
  return older.slice(0, limit);
}
