import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
import type { ThreadMessage } from "../../core/ports/chat-actions.ts";
import { type ChatPlatform, PlatformError } from "../../core/ports/chat-platform.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { HeardMessage } from "../../core/values/message.ts";
import type { Place } from "../../core/values/place.ts";
import { type CountTokens, fitBeginning } from "../../core/values/profile.ts";
import type { SentFile } from "./read-files.ts";
import { TimeLimitError, within } from "./within.ts";

/** Messages of a thread, oldest first, notes about those that are missing, and the files of the messages, newest first. */
export interface ThreadRead extends HeardInThread {
  sent: SentFile[];
}

/** Maximum messages requested from the platform. */
const maxMessages = 200;
/** Time limit for a request to the platform, ms. */
const platformTimeoutMs = 20_000;

/** Reads the parts of threads that no earlier turn has read. */
export class ThreadReader {
  readonly #known: KnownMessages;
  readonly #ports: Pick<TurnPorts, "clock" | "countTokens" | "report">;
  readonly #tokens: number;

  /** @param tokens maximum tokens of the messages of a thread */
  constructor(log: TurnReading, ports: Pick<TurnPorts, "clock" | "countTokens" | "report">, tokens: number) {
    this.#known = new KnownMessages(log);
    this.#ports = ports;
    this.#tokens = tokens;
  }

  /** When reading fails, a note says why. @throws the signal's reason, nothing else */
  async read(platform: ChatPlatform, place: Place, signal: AbortSignal): Promise<ThreadRead> {
    try {
      return await this.#read(platform, place, signal);
    } catch (error) {
      signal.throwIfAborted();
      return unreadable(error, this.#ports.report);
    }
  }

  async #read(platform: ChatPlatform, place: Place, signal: AbortSignal): Promise<ThreadRead> {
    const { clock, countTokens } = this.#ports;
    const [messages, known] = await Promise.all([
      within(platformTimeoutMs, clock, signal, () => platform.readThread(place, maxMessages)),
      this.#known.of(place),
    ]);
    const fresh = messages.filter(
      (message, at) =>
        (isForeign(message) || (at === 0 && isRoot(message, known.posted))) &&
        !known.ids.has(message.id) &&
        message.at > known.newest,
    );
    const { thread, notes } = fitThread(fresh, messages[0]?.id, this.#tokens, countTokens);
    const kept = new Set(thread.map(({ id }) => id));
    const shown = fresh.filter(({ id }) => kept.has(id));
    const outside = await outsiders(platform, place, shown, { clock, signal });
    return {
      thread: thread.map((heard) => ({ ...heard, outside: outside.has(heard.id) || undefined })),
      notes: [...notes, ...longThread(messages, known.newest)],
      sent: shown.toReversed().flatMap(filesOf),
    };
  }
}

/** Maximum authors of a thread that are looked up; messages of the others count as from outside. */
const maxAuthors = 20;

/** Ids of messages whose author is not known to be a member of the channel. */
async function outsiders(
  platform: ChatPlatform,
  place: Place,
  messages: readonly ThreadMessage[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<ReadonlySet<string | undefined>> {
  const people = messages.filter(({ author }) => !author.bot).map(({ author }) => author.id);
  const isMember = async (id: string): Promise<boolean> => {
    const person = await within(platformTimeoutMs, clock, signal, () => platform.person(place, id));
    return person.standing === "member" && person.trust !== "guest";
  };
  const members = new Set<string>();
  const lookUp = async (id: string) => {
    // An author who cannot be looked up does not count as a member.
    if (await isMember(id).catch(() => false)) members.add(id);
  };
  await Promise.all([...new Set(people)].slice(0, maxAuthors).map(lookUp));
  return new Set(messages.filter(({ author }) => !members.has(author.id)).map(({ id }) => id));
}

/** Neither empty nor from the bot itself. */
function isForeign({ author, text, files }: ThreadMessage): boolean {
  return !author.self && (text.trim() !== "" || files.length > 0);
}

/** A message of the bot that people reply to, and that is not from a turn of this thread. */
function isRoot({ id, author, text }: ThreadMessage, posted: ReadonlySet<string>): boolean {
  return author.self && text.trim() !== "" && !posted.has(id);
}

function filesOf({ files, author }: ThreadMessage): SentFile[] {
  return files.map((file) => ({ file, by: author.name || author.id, author: author.id }));
}

/** A note when the thread has more messages than were requested, and the earlier ones were never read. */
function longThread(messages: readonly ThreadMessage[], newest: number): string[] {
  const oldest = messages[1]?.at ?? Number.NEGATIVE_INFINITY;
  if (messages.length < maxMessages || newest >= oldest) return [];
  return [`Only the latest ${maxMessages} messages of the thread were read; it may have more.`];
}

function unreadable(error: unknown, report: TurnPorts["report"]): ThreadRead {
  const expected = error instanceof PlatformError || error instanceof TimeLimitError;
  if (!expected) report(error, "reading a thread");
  const reason =
    error instanceof PlatformError
      ? error.message
      : expected
        ? `it took longer than ${platformTimeoutMs / 1000} s`
        : "something went wrong inside the bot";
  const note = `The thread could not be read (${reason}). What was said in it before is not known here; say so if it matters.`;
  return { thread: [], notes: [note], sent: [] };
}

/** Messages of a thread, oldest first, and notes about those that are missing. */
interface HeardInThread {
  thread: HeardMessage[];
  notes: string[];
}

/** Tokens of a message in addition to its text: author and time. */
const overhead = 25;

/**
 * As much of a thread as fits: its first message, if it is among them, then the newest ones. One message takes at most a quarter of the
 * tokens; notes say what is cut.
 */
function fitThread(
  messages: readonly ThreadMessage[],
  rootId: string | undefined,
  tokens: number,
  countTokens: CountTokens,
): HeardInThread {
  const maxMessageTokens = Math.max(50, Math.floor(tokens / 4));
  const heard = messages.map((message) => () => asHeard(message, maxMessageTokens, countTokens));
  const hasRoot = messages[0] !== undefined && messages[0].id === rootId;
  const first = heard.slice(0, hasRoot ? 1 : 0).map((make) => make());
  let room = tokens - first.reduce((sum, { text }) => sum + countTokens(text) + overhead, 0);
  const latest: HeardMessage[] = [];
  for (const make of heard.slice(first.length).toReversed()) {
    const message = make();
    room -= countTokens(message.text) + overhead;
    if (room < 0) break;
    latest.push(message);
  }
  const left_out = messages.length - first.length - latest.length;
  const notes = left_out === 0 ? [] : [`${left_out} earlier messages of the thread are left out here.`];
  return { thread: [...first, ...latest.reverse()], notes };
}

function asHeard(message: ThreadMessage, tokens: number, countTokens: CountTokens): HeardMessage {
  const { text, left_out } = fitBeginning(withFileNames(message), tokens, countTokens);
  return {
    id: message.id,
    by: message.author.name || message.author.id,
    author: message.author.id,
    text: left_out === 0 ? text : `${text} [${left_out} more characters are cut]`,
    at: message.at,
    bot: message.author.bot || undefined,
  };
}

/** The text followed by the names of the files, whose contents are elsewhere in the context. */
function withFileNames({ text, files }: ThreadMessage): string {
  const names = files.map(({ name }) => `[file: ${name}]`);
  return [text.trim(), ...names].filter((part) => part !== "").join("\n");
}

/** What the log knows about the messages of a thread, or of one of its turns. */
interface Known {
  /** Platform ids of messages that began a turn, or that a turn has read. */
  ids: ReadonlySet<string>;
  /** Platform ids of messages that these turns posted. */
  posted: ReadonlySet<string>;
  /** Time of the newest message that a turn has read, ms since the epoch. Earlier messages could be read then. */
  newest: number;
}

/** Maximum turns of a thread that are looked at, newest first. */
const maxTurns = 200;
/** Maximum cached turns. */
const maxCached = 4_000;

/** Reads from the log what is known about threads; a finished turn is read once. */
class KnownMessages {
  readonly #log: TurnReading;
  readonly #cache = new LRUCache<string, Known>(growingTo(maxCached));

  constructor(log: TurnReading) {
    this.#log = log;
  }

  async of({ namespace, thread }: Place): Promise<Known> {
    const turns = await this.#log.list({ namespace, thread, limit: maxTurns });
    const all = await Promise.all(
      turns.map((turn) => this.#ofTurn(turn.turn_id, turn.status === "finished")),
    );
    return {
      ids: new Set(all.flatMap(({ ids }) => [...ids])),
      posted: new Set(all.flatMap(({ posted }) => [...posted])),
      newest: latest(all.map(({ newest }) => newest)),
    };
  }

  async #ofTurn(turnId: string, finished: boolean): Promise<Known> {
    const cached = this.#cache.get(turnId);
    if (cached !== undefined) return cached;
    const events = await this.#log.read(turnId);
    const heard = events.flatMap((event) => (event.type === "context_read" ? event.thread : []));
    const said = events.flatMap((event) => (event.type === "inbound" ? event.inbound.origin?.message : []));
    const ids = [...said, ...heard.map(({ id }) => id)].filter((id) => id !== undefined);
    const posted = events.flatMap((event) => (event.type === "message_posted" ? event.reference : []));
    const known = { ids: new Set(ids), posted: new Set(posted), newest: latest(heard.map(({ at }) => at)) };
    if (finished) this.#cache.set(turnId, known);
    return known;
  }
}

function latest(times: readonly number[]): number {
  return times.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY);
}
