import type { APIMessage, APIThreadChannel } from "discord.js";
import { ChannelType, PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";
import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { growingTo } from "../../../base/growing-cache.ts";
import { beginningOf, cutText } from "../../../base/markdown-text.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { isThreadType } from "../connection/discord-facts.ts";
import { type DiscordProblem, type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { Directory } from "./directory.ts";
import { channelPermissions, has } from "./directory-facts.ts";
import { readPlace } from "./discord-place.ts";
import type { ReplyChains } from "./reply-chains.ts";
import { saidText } from "./said-text.ts";

/** The channel or thread to which the messages of a conversation go. */
interface Target {
  channel: string;
  /** The message that began the conversation, if it has no thread of its own. */
  root: string | undefined;
}

/** Finds the channel or thread of a conversation, and begins threads. */
export interface ConversationTargets {
  /** The place to post to; begins the thread if there is none. @throws DiscordProblem */
  open(place: Place): Promise<Target>;
  /** The place to read from; begins no thread. @throws DiscordProblem */
  look(place: Place): Promise<Target>;
  /** The channel of a message of the place, as far as ids tell. @throws DiscordProblem */
  channelOf(place: Place, message: string): Promise<string>;
  /** Notes that a message has no thread yet, and the text that would name one. */
  noteMessage(id: string, text: string): void;
  noteThread(id: string): void;
  forgetThread(id: string): void;
}

export interface TargetDeps {
  rest: DiscordRest;
  directory: Directory;
  chains: ReplyChains;
  clock: Clock;
  logger: Log;
}

/** Refusals of a thread after which a reply is still possible. */
const refusals: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
  RESTJSONErrorCodes.MaximumActiveThreads,
];

/** Time after which it is looked up again whether a message has a thread, ms: another process may have begun it. */
const maxMissingMs = 60_000;

/** Maximum characters kept of a message, to name a thread. */
const maxBeginning = 200;

/** Minutes without a message after which Discord hides a thread. */
const archiveAfter = 1440;

export function createConversationTargets(deps: TargetDeps): ConversationTargets {
  const { directory, chains, clock } = deps;
  /** By message id: whether its thread exists, and the beginning of the message's text. */
  const threads = new LRUCache<string, { exists: boolean; text: string }>({
    ...growingTo(10_000),
    noDeleteOnStaleGet: true,
    ttlResolution: 0,
    perf: clock,
  });
  const beginning = new Map<string, Promise<Target>>();

  const note = (thread: string, exists: boolean, text = "") =>
    threads.set(thread, { exists, text }, exists ? {} : { ttl: maxMissingMs });
  const exists = async (thread: string): Promise<boolean> => {
    const known = threads.get(thread);
    if (known !== undefined) return known.exists;
    const channel = await directory.channel(thread);
    const found = channel !== undefined && isThreadType(channel.type);
    note(thread, found, textOf(thread));
    return found;
  };
  const textOf = (message: string) => threads.get(message, { allowStale: true })?.text ?? "";
  const begin = async (channel: string, thread: string): Promise<Target> => {
    const begun = await beginThread(deps, channel, thread, textOf(thread));
    if (!begun) return { channel, root: thread };
    note(thread, true);
    return { channel: thread, root: undefined };
  };
  const look = async (place: Place): Promise<Target & { begins: boolean }> => {
    const { channel = "", person, thread } = readPlace(place);
    if (person !== undefined)
      return { channel: await directory.directMessage(person), root: undefined, begins: false };
    if (thread === undefined) return { channel, root: undefined, begins: false };
    const replied = await chains.messagesOf(channel, thread);
    if (replied.length > 0) return { channel, root: thread, begins: false };
    if (await exists(thread)) return { channel: thread, root: undefined, begins: false };
    return { channel, root: thread, begins: true };
  };

  return {
    look,
    async open(place) {
      const target = await look(place);
      const { channel, root } = target;
      if (!target.begins || root === undefined) return target;
      const running = beginning.get(root) ?? begin(channel, root);
      beginning.set(root, running);
      try {
        return await running;
      } finally {
        beginning.delete(root);
      }
    },
    async channelOf(place, message) {
      const { channel, thread } = readPlace(place);
      const target = await look(place);
      const isRoot = message === thread && channel !== undefined;
      if (!isRoot || target.root !== undefined) return target.channel;
      const parent = await directory.channel(channel);
      const isPost = parent?.type === ChannelType.GuildForum || parent?.type === ChannelType.GuildMedia;
      return isPost ? target.channel : channel;
    },
    noteMessage(id, text) {
      if (!threads.has(id)) note(id, false, beginningOf(text, maxBeginning));
    },
    noteThread(id) {
      note(id, true);
    },
    forgetThread(id) {
      threads.delete(id);
    },
  };
}

/** Begins a thread from a message. False if the bot may not; this is remembered. */
async function beginThread(
  { rest, directory, chains, logger }: TargetDeps,
  channelId: string,
  message: string,
  text: string,
): Promise<boolean> {
  if (await chains.isRefused(channelId)) return false;
  if (!(await mayBegin(directory, channelId))) return false;
  const path = `/channels/${channelId}/messages/${message}` as const;
  const said = text || saidText(await rest.request<APIMessage>("GET", path));
  let refused: DiscordProblem | undefined;
  const beginAs = (name: string, ...expected: (number | undefined)[]) => {
    const body = { name, auto_archive_duration: archiveAfter };
    return unlessRefused(rest.request<APIThreadChannel>("POST", `${path}/threads`, { body }), (problem) => {
      refused = problem;
      return [RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage, ...refusals, ...expected].includes(
        problem.discordCode,
      );
    });
  };
  let thread = await beginAs(threadName(said), RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration);
  if (refused?.discordCode === RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration)
    thread = await beginAs(fallbackName);
  if (thread !== undefined) directory.see.channel(thread);
  if (thread !== undefined || refused?.discordCode === RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)
    return true;
  logger.info({ channel: channelId, err: refused }, "may not begin threads in this channel, replies instead");
  await chains.refused(channelId);
  return false;
}

async function mayBegin(directory: Directory, channelId: string): Promise<boolean> {
  const channel = await directory.channel(channelId);
  if (channel?.guild_id === undefined) return false;
  if (channel.type !== ChannelType.GuildText && channel.type !== ChannelType.GuildAnnouncement) return false;
  const self = await directory.self();
  const [guild, member] = await Promise.all([
    directory.guild(channel.guild_id),
    directory.member(channel.guild_id, self.id),
  ]);
  const bits = channelPermissions(guild, channel, self.id, member?.roles ?? []);
  return has(bits, PermissionFlagsBits.CreatePublicThreads | PermissionFlagsBits.SendMessagesInThreads);
}

/** Name of a thread whose message has no text, or whose name a moderation rule forbids. */
const fallbackName = "Conversation";

/**
 * The name of a thread, from the text of its message: one line without marks, spoilers hidden, at most 100 characters. Source: Discord
 * reference, "Start Thread".
 */
function threadName(text: string): string {
  const line = plainWords(withoutSpoilers(text.replace(/<[@#][!&]?\d+>/g, "")))
    .replace(/\s+/g, " ")
    .trim();
  if (line === "") return fallbackName;
  return cutText(line, 80);
}

/** Names are shown as they are, so each pair of `||` hides what it encloses, in code too. */
function withoutSpoilers(text: string): string {
  const parts = text.split("||");
  const open = (part: string, at: number) => (at < parts.length - 1 ? "█████" : `||${part}`);
  return parts.map((part, at) => (at % 2 === 0 ? part : open(part, at))).join("");
}
