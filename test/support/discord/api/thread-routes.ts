import { mentionsOf } from "../world/mentions.ts";
import { postMessage } from "../world/messages.ts";
import { openThread } from "../world/open-thread.ts";
import { may, permissionsIn, requireOfBot, seenByBot, sendPermission } from "../world/permissions.ts";
import { byAge } from "../world/snowflakes.ts";
import { deleteChannel, joinThread, setArchived } from "../world/threads.ts";
import { type Channel, channelTypes, type World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { type ApiReply, type ApiRequest, type ApiRoute, noContent, ok, route } from "./api-request.ts";
import { FormErrors } from "./form-errors.ts";
import { isObject, type Json, text } from "./json.ts";
import { readMessageBody } from "./message-body.ts";
import { isModerated, requireSending } from "./message-routes.ts";
import { hasThreadFlag, wireChannel, wireMessage, wireThreadMember } from "./wire.ts";

const threaded: readonly number[] = [channelTypes.text, channelTypes.announcement];

/** Channels themselves and the threads in them. */
export function threadRoutes(world: World): ApiRoute[] {
  return [
    route("GET /channels/:channel", ({ at }) => ok(wireChannel(world, seenByBot(world, at("channel"))))),
    route("PATCH /channels/:channel", (request) => change(world, request)),
    route("DELETE /channels/:channel", ({ at }) => {
      const channel = seenByBot(world, at("channel"));
      requireOfBot(world, channel, channel.thread ? "ManageThreads" : "ManageChannels");
      const body = wireChannel(world, channel);
      deleteChannel(world, channel);
      return ok(body);
    }),
    route("POST /channels/:channel/messages/:message/threads", (request) => startFromMessage(world, request)),
    route("POST /channels/:channel/threads", (request) => start(world, request)),
    route("GET /channels/:channel/threads/archived/public", (request) => archived(world, request, false)),
    route("GET /channels/:channel/threads/archived/private", (request) => archived(world, request, true)),
    route("GET /guilds/:guild/threads/active", ({ at }) => active(world, at("guild"))),
    route("PUT /channels/:channel/thread-members/@me", ({ at }) => {
      const thread = findThread(world, at("channel"));
      if (thread.thread?.archived) throw refusals.archivedThread();
      joinThread(world, thread, world.bot);
      return noContent;
    }),
    route("PUT /channels/:channel/thread-members/:user", ({ at }) => {
      const thread = findThread(world, at("channel"));
      if (thread.thread?.archived) throw refusals.archivedThread();
      requireOfBot(world, thread, sendPermission(thread));
      joinThread(world, thread, at("user"));
      return noContent;
    }),
    route("GET /channels/:channel/thread-members/:user", ({ at }) => {
      const thread = seenByBot(world, at("channel"));
      if (!thread.thread?.members.includes(at("user"))) throw refusals.unknownMember();
      return ok(wireThreadMember(thread, at("user")));
    }),
    route("GET /channels/:channel/thread-members", ({ at }) => {
      const thread = findThread(world, at("channel"));
      return ok(thread.thread?.members.map((user) => wireThreadMember(thread, user)) ?? []);
    }),
  ];
}

function findThread(world: World, id: string): Channel {
  const channel = seenByBot(world, id);
  if (!channel.thread) throw refusals.wrongChannelType();
  return channel;
}

/** Throws 50035 unless the body describes a thread. */
function checkThread(body: Json): { name: string; autoArchive?: number } {
  const errors = new FormErrors();
  errors.text(["name"], body.name, { least: 1, most: 100 });
  const minutes = body.auto_archive_duration;
  const allowed: unknown[] = [60, 1440, 4320, 10_080];
  if (minutes !== undefined && minutes !== null && !allowed.includes(minutes)) {
    errors.choices(["auto_archive_duration"], allowed.join(", "));
  }
  errors.refuse();
  return { name: text(body.name), ...(typeof minutes === "number" ? { autoArchive: minutes } : {}) };
}

function startFromMessage(world: World, { at, body }: ApiRequest): ApiReply {
  const parent = seenByBot(world, at("channel"));
  const from = world.messages.get(at("message"));
  if (from?.channel !== parent.id) throw refusals.unknownMessage();
  if (!threaded.includes(parent.type)) throw refusals.wrongChannelType();
  requireOfBot(world, parent, "CreatePublicThreads", "ReadMessageHistory");
  const seed = checkThread(body);
  if ((from.flags & hasThreadFlag) !== 0) throw refusals.threadExists();
  if (isModerated(world, parent, seed.name)) throw refusals.titleBlockedByAutoMod();
  const thread = openThread(world, { parent, owner: world.bot, from, ...seed });
  return { status: 201, body: wireChannel(world, thread) };
}

function start(world: World, { at, body, files }: ApiRequest): ApiReply {
  const parent = seenByBot(world, at("channel"));
  if (parent.type === channelTypes.forum) return startPost(world, parent, body, files);
  if (!threaded.includes(parent.type)) throw refusals.wrongChannelType();
  const isPrivate = (body.type ?? channelTypes.privateThread) === channelTypes.privateThread;
  requireOfBot(world, parent, isPrivate ? "CreatePrivateThreads" : "CreatePublicThreads");
  const thread = openThread(world, { parent, owner: world.bot, private: isPrivate, ...checkThread(body) });
  return { status: 201, body: wireChannel(world, thread) };
}

/** A post in a forum: a thread whose first message has the thread's id. */
function startPost(world: World, parent: Channel, body: Json, files: ApiRequest["files"]): ApiReply {
  requireOfBot(world, parent, "SendMessages");
  const said = body.message;
  const errors = new FormErrors();
  if (!isObject(said)) errors.required(["message"]);
  errors.refuse();
  const message = isObject(said) ? said : {};
  const content = readMessageBody(world, message, files);
  const thread = openThread(world, { parent, owner: world.bot, ...checkThread(body) });
  requireSending(world, thread, message, files.length);
  const mentions = mentionsOf(world, thread, {
    content: content.content,
    allowed: message.allowed_mentions,
    everyone: may(world, world.bot, thread, "MentionEveryone"),
  });
  const first = postMessage(world, {
    ...content,
    id: thread.id,
    channel: thread.id,
    author: world.bot,
    mentions,
  });
  return { status: 201, body: { ...wireChannel(world, thread), message: wireMessage(world, first, "rest") } };
}

function change(world: World, { at, body }: ApiRequest): ApiReply {
  const channel = seenByBot(world, at("channel"));
  if (!channel.thread) {
    requireOfBot(world, channel, "ManageChannels");
    throw refusals.wrongChannelType();
  }
  const manages = may(world, world.bot, channel, "ManageThreads");
  const opensOnly = body.archived === false && !channel.thread.locked && Object.keys(body).length === 1;
  if (opensOnly) requireOfBot(world, channel, sendPermission(channel));
  else if (!manages && channel.thread.owner !== world.bot) throw refusals.missingPermissions();
  else if (!manages && (body.locked !== undefined || channel.thread.locked))
    throw refusals.missingPermissions();
  if (channel.thread.archived && body.archived !== false) throw refusals.archivedThread();
  const named = body.name === undefined ? {} : { name: checkThread(body).name };
  setArchived(world, channel, {
    ...named,
    ...(typeof body.archived === "boolean" ? { archived: body.archived } : {}),
    ...(typeof body.locked === "boolean" ? { locked: body.locked } : {}),
    ...(typeof body.auto_archive_duration === "number" ? { autoArchive: body.auto_archive_duration } : {}),
  });
  return ok(wireChannel(world, channel));
}

function threadList(world: World, threads: readonly Channel[]): Json {
  return {
    threads: threads.map((thread) => wireChannel(world, thread)),
    members: threads
      .filter(({ thread }) => thread?.members.includes(world.bot))
      .map((thread) => wireThreadMember(thread, world.bot)),
    has_more: false,
  };
}

function active(world: World, id: string): ApiReply {
  const guild = world.guilds.get(id);
  if (!guild?.joined) throw guild ? refusals.missingAccess() : refusals.unknownGuild();
  const threads = [...world.channels.values()].filter(
    (channel) =>
      channel.guild === id &&
      channel.thread?.archived === false &&
      permissionsIn(world, world.bot, channel) !== 0n,
  );
  return ok(threadList(world, threads.sort(byAge).reverse()));
}

function archived(world: World, { at, query }: ApiRequest, isPrivate: boolean): ApiReply {
  const parent = seenByBot(world, at("channel"));
  requireOfBot(world, parent, "ReadMessageHistory");
  if (isPrivate) requireOfBot(world, parent, "ManageThreads");
  const limit = Number(query.get("limit") ?? 50);
  const before = query.get("before");
  const threads = [...world.channels.values()]
    .filter((channel) => channel.parent === parent.id && channel.thread?.archived === true)
    .filter((channel) => (channel.type === channelTypes.privateThread) === isPrivate)
    .filter((channel) => before === null || (channel.thread?.archivedAt ?? "") < before)
    .sort((left, right) => (right.thread?.archivedAt ?? "").localeCompare(left.thread?.archivedAt ?? ""));
  return ok({ ...threadList(world, threads.slice(0, limit)), has_more: threads.length > limit });
}
