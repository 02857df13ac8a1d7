import type { APIMessage, APIThreadChannel } from "discord.js";
import { ChannelType, PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";
import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { growingTo } from "../../../base/growing-cache.ts";
import { madeOnce } from "../../../base/made-once.ts";
import { beginningOf, cutText } from "../../../base/markdown-text.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { isForumType, isThreadType } from "../connection/discord-facts.ts";
import { DiscordProblem, type DiscordRest } from "../connection/discord-rest.ts";
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

/** Finds the channel or thread of a conversation, and begins threads. */
export class ConversationTargets {
  readonly #rest: DiscordRest;
  readonly #directory: Directory;
  readonly #chains: ReplyChains;
  readonly #logger: Log;
  /** By message id: whether its thread exists, and the beginning of the message's text. */
  readonly #threads: LRUCache<string, { exists: boolean; text: string }>;
  readonly #beginning = new Map<string, Promise<Target>>();

  constructor(rest: DiscordRest, directory: Directory, chains: ReplyChains, clock: Clock, logger: Log) {
    this.#rest = rest;
    this.#directory = directory;
    this.#chains = chains;
    this.#logger = logger;
    const aging = { noDeleteOnStaleGet: true, ttlResolution: 0, perf: clock };
    this.#threads = new LRUCache({ ...growingTo(10_000), ...aging });
  }

  /** The place to post to; begins the thread if there is none. @throws DiscordProblem */
  async open(place: Place): Promise<Target> {
    const target = await this.look(place);
    const { channel, root } = target;
    if (!target.begins || root === undefined) return target;
    const running = madeOnce(this.#beginning, root, () => this.#begin(channel, root));
    try {
      return await running;
    } finally {
      this.#beginning.delete(root);
    }
  }

  /** The place to read from; begins no thread. @throws DiscordProblem */
  async look(place: Place): Promise<Target & { begins: boolean }> {
    const { channel = "", person, thread } = readPlace(place);
    if (person !== undefined)
      return { channel: await this.#directory.directMessage(person), root: undefined, begins: false };
    if (thread === undefined) return { channel, root: undefined, begins: false };
    const replied = await this.#chains.messagesOf(channel, thread);
    if (replied.length > 0) return { channel, root: thread, begins: false };
    if (await this.#exists(thread)) return { channel: thread, root: undefined, begins: false };
    return { channel, root: thread, begins: true };
  }

  /** The channel of a message of the place, as far as ids tell. @throws DiscordProblem */
  async channelOf(place: Place, message: string): Promise<string> {
    const { channel, thread } = readPlace(place);
    const target = await this.look(place);
    const isRoot = message === thread && channel !== undefined;
    if (!isRoot || target.root !== undefined) return target.channel;
    const parent = await this.#directory.channel(channel);
    return parent !== undefined && isForumType(parent.type) ? target.channel : channel;
  }

  /** Notes that a message has no thread yet, and the text that would name one. */
  noteMessage(id: string, text: string): void {
    if (!this.#threads.has(id)) this.#note(id, false, beginningOf(text, maxBeginning));
  }

  noteThread(id: string): void {
    this.#note(id, true);
  }

  forgetThread(id: string): void {
    this.#threads.delete(id);
  }

  #note(thread: string, exists: boolean, text = ""): void {
    this.#threads.set(thread, { exists, text }, exists ? {} : { ttl: maxMissingMs });
  }

  async #exists(thread: string): Promise<boolean> {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known.exists;
    const channel = await this.#directory.channel(thread);
    const exists = channel !== undefined && isThreadType(channel.type);
    this.#note(thread, exists, this.#textOf(thread));
    return exists;
  }

  #textOf(message: string): string {
    return this.#threads.get(message, { allowStale: true })?.text ?? "";
  }

  async #begin(channel: string, thread: string): Promise<Target> {
    const isBegun =
      !(await this.#chains.isRefused(channel)) &&
      (await mayBegin(this.#directory, channel)) &&
      (await this.#beginThread(channel, thread));
    if (!isBegun) return { channel, root: thread };
    this.#note(thread, true);
    return { channel: thread, root: undefined };
  }

  /** Begins a thread from a message. False if the bot may not; this is remembered. */
  async #beginThread(channel: string, message: string): Promise<boolean> {
    const path = `/channels/${channel}/messages/${message}` as const;
    const said = this.#textOf(message) || saidText(await this.#rest.request<APIMessage>("GET", path));
    const beginAs = async (name: string) => {
      const body = { name, auto_archive_duration: archiveAfter };
      this.#directory.noteChannel(
        await this.#rest.request<APIThreadChannel>("POST", `${path}/threads`, { body }),
      );
      return undefined;
    };
    let refused = await beginAs(threadName(said)).catch(refusalOf);
    if (refused?.discordCode === RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration)
      refused = await beginAs(fallbackName).catch(refusalOf);
    if (refused === undefined || refused.discordCode === RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)
      return true;
    if (!refusals.includes(refused.discordCode)) throw refused;
    this.#logger.info({ channel, err: refused }, "may not begin threads in this channel, replies instead");
    await this.#chains.refused(channel);
    return false;
  }
}

function refusalOf(error: unknown): DiscordProblem {
  if (error instanceof DiscordProblem) return error;
  throw error;
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
