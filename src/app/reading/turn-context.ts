import { LRUCache } from "lru-cache";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, TurnLog, TurnReading } from "../../core/log/turn-log.ts";
import type { ThreadMessage } from "../../core/ports/chat-actions.ts";
import { type ChatPlatform, type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { DocumentReader, Transcriber } from "../../core/ports/documents.ts";
import type { Clock, FileStore } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { isWordless, type MessageContext, type ReadFile } from "../../core/values/message.ts";
import type { Place } from "../../core/values/place.ts";
import type { CountTokens } from "../../core/values/profile.ts";
import { fitThread, type HeardInThread } from "./fit-thread.ts";
import { type FilesRead, type ReadFilesDeps, readFiles, type SentFile } from "./read-files.ts";
import { TookTooLongError, within } from "./within.ts";

/** What the bot reads where it is called: the thread so far, and the files of the message. */
export interface TurnContextReader {
  /**
   * The context of a turn: read once, before its first model call, and from its log ever after. Undefined when there is nothing
   * to read. Yields the event that keeps it, after those of what reading it cost. What fails is told in the context; it never
   * fails the turn.
   */
  read(claimed: ClaimedTurn, signal: AbortSignal): AsyncGenerator<TurnEventBody, MessageContext | undefined>;
}

export interface TurnContextDeps {
  log: TurnLog;
  platforms: ChatPlatforms;
  files: FileStore;
  folders: WorkingFolders;
  documents: DocumentReader;
  transcriber: Transcriber;
  clock: Clock;
  countTokens: CountTokens;
  /** Tokens of a person's message: files may take as much, the thread half of it. */
  message_tokens: number;
  /** An error nobody expected; the turn goes on. */
  report(error: unknown, where: string): void;
}

/** Messages asked of the platform. */
const maxMessages = 200;
/** How long the platform may take for a thread, ms. */
const patience = 20_000;

interface ReadThread extends HeardInThread {
  sent: SentFile[];
}

interface ReadContext extends Pick<FilesRead, "usage"> {
  context: MessageContext;
}

export function createTurnContextReader(deps: TurnContextDeps): TurnContextReader {
  const knownMessages = createKnownMessages(deps.log);

  const readThread = async (
    platform: ChatPlatform,
    { inbound }: ClaimedTurn,
    signal: AbortSignal,
  ): Promise<ReadThread> => {
    const [messages, known] = await Promise.all([
      within(patience, deps.clock, signal, () => platform.readThread(inbound, maxMessages)),
      knownMessages(inbound),
    ]);
    const fresh = messages.filter(
      (message, at) =>
        (isForeign(message) || (at === 0 && isRoot(message, known.posted))) &&
        !known.ids.has(message.id) &&
        message.at > known.newest,
    );
    const room = Math.floor(deps.message_tokens / 2);
    const { thread, notes } = fitThread(fresh, messages[0]?.id, room, deps.countTokens);
    const kept = new Set(thread.map(({ id }) => id));
    const shown = fresh.filter(({ id }) => kept.has(id));
    const outside = await outsiders(platform, inbound, shown, { clock: deps.clock, signal });
    const marked = thread.map((heard) =>
      outside.has(heard.id) ? { ...heard, outside: true as const } : heard,
    );
    const sent = shown.toReversed();
    return {
      thread: marked,
      notes: [...notes, ...longThread(messages, known.newest)],
      sent: sent.flatMap(filesOf),
    };
  };

  const readAll = async (
    { turn_id, inbound }: ClaimedTurn,
    thread: ReadThread,
    download: ReadFilesDeps["download"],
    signal: AbortSignal,
  ): Promise<ReadContext> => {
    const { namespace, thread: name, origin, files: given = [] } = inbound;
    const own = [...(origin?.files ?? []), ...given].map(
      (file): SentFile => ({ file, by: inbound.author.name }),
    );
    const { files, usage } = await readFiles(
      { ...deps, download, store: deps.files, folder: deps.folders.of({ namespace, thread: name }) },
      {
        turn_id,
        sent: withoutRepeated([...own, ...thread.sent]),
        tokens: deps.message_tokens,
        signal,
      },
    );
    const context = {
      thread: thread.thread,
      files: files.map((file, at) => ownFile(file, own[at], inbound)),
      ...(thread.notes.length === 0 ? {} : { notes: thread.notes }),
      ...(thread.thread.length === 0 ? {} : { time_zone: inbound.author.time_zone }),
    };
    return { context, usage };
  };

  /** What was read where a platform showed the message, and with it. Undefined when there is nothing. */
  const readContext = async (claimed: ClaimedTurn, signal: AbortSignal): Promise<ReadContext | undefined> => {
    const { inbound, turn_id } = claimed;
    const { origin, namespace, files = [] } = inbound;
    if (origin === undefined) {
      const download = fromStore(deps.files, turn_id);
      return files.length === 0 ? undefined : await readAll(claimed, nothing, download, signal);
    }
    const platform = deps.platforms.of(namespace);
    if (platform === undefined || (!origin.in_thread && origin.files.length === 0)) return undefined;
    const thread = origin.in_thread
      ? await readThread(platform, claimed, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          return unreadable(error, deps.report);
        })
      : nothing;
    const place = { namespace, thread: inbound.thread };
    return await readAll(claimed, thread, (file, how) => platform.download(place, file, how), signal);
  };

  return {
    async *read(claimed, signal) {
      const made = claimed.events.find((event) => event.type === "context_read");
      if (made !== undefined) return made;
      const read = await unlessAborted(signal, () => readContext(claimed, signal));
      if (read === undefined) return undefined;
      const { context, usage } = read;
      yield* usage;
      yield { type: "context_read", ...context };
      await removeGiven(deps.files, claimed, context);
      return context;
    },
  };
}

/** Undefined when it was stopped meanwhile: the loop says so. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return signal.aborted ? undefined : await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Files that came with the message are in the working folder now; pictures stay, as the transcript keeps them. */
async function removeGiven(
  files: Pick<FileStore, "remove">,
  { turn_id, inbound }: ClaimedTurn,
  context: MessageContext,
): Promise<void> {
  const shown = new Set(context.files.map(({ image }) => image));
  for (const { id } of inbound.files ?? []) if (!shown.has(id)) await files.remove(turn_id, id);
}

const nothing: ReadThread = { thread: [], notes: [], sent: [] };

/** Files that came with the message itself. */
function fromStore(files: Pick<FileStore, "get">, turnId: string): ReadFilesDeps["download"] {
  return async ({ id }) => {
    const found = await files.get(turnId, id);
    if (found === undefined) throw new PlatformError("gone", "it is not there any more");
    return found.data;
  };
}

/**
 * A file as it is told when it is the asker's own: then it need not be said whose it is, and a voice message without a text is what
 * they say. A program that hands in sound alone speaks too; on platforms a recording may be of anybody.
 */
function ownFile(file: ReadFile, own: SentFile | undefined, { text, origin }: Inbound): ReadFile {
  if (own === undefined) return file;
  const { by: _, ...mine } = file;
  const { spoken } = mine;
  const speaks = isWordless(text) && (own.file.voice !== undefined || origin === undefined);
  return spoken === undefined || !speaks ? mine : { ...mine, spoken: { ...spoken, is_message: true } };
}

/** Authors of a thread that are looked up; what the others said counts as a stranger's. */
const maxAuthors = 20;

/** Ids of the messages that no member of the channel wrote, as far as the platform tells in time. */
async function outsiders(
  platform: ChatPlatform,
  place: Place,
  messages: readonly ThreadMessage[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<ReadonlySet<string | undefined>> {
  const people = messages.filter(({ author }) => !author.bot).map(({ author }) => author.id);
  const isMember = async (id: string): Promise<boolean> => {
    const person = await within(patience, clock, signal, () => platform.person(place, id));
    return person.standing === "member" && person.trust !== "guest";
  };
  const members = new Set<string>();
  const lookUp = async (id: string) => {
    // Who cannot be looked up is not vouched for; the turn goes on all the same.
    if (await isMember(id).catch(() => false)) members.add(id);
  };
  await Promise.all([...new Set(people)].slice(0, maxAuthors).map(lookUp));
  return new Set(messages.filter(({ author }) => !members.has(author.id)).map(({ id }) => id));
}

/** Neither said by the bot itself nor empty. */
function isForeign({ author, text, files }: ThreadMessage): boolean {
  return !author.self && (text.trim() !== "" || files.length > 0);
}

/** A message of the bot that people reply to, and that no turn of this thread wrote. */
function isRoot({ id, author, text }: ThreadMessage, posted: ReadonlySet<string>): boolean {
  return author.self && text.trim() !== "" && !posted.has(id);
}

function filesOf({ files, author }: ThreadMessage): SentFile[] {
  return files.map((file) => ({ file, by: author.name || author.id, author: author.id }));
}

/** When the platform had more to tell than was asked for, and none of it is known from before. */
function longThread(messages: readonly ThreadMessage[], newest: number): string[] {
  const oldest = messages[1]?.at ?? Number.NEGATIVE_INFINITY;
  if (messages.length < maxMessages || newest >= oldest) return [];
  return [`Only the latest ${maxMessages} messages of the thread were read; it may have more.`];
}

/** A file that was sent twice is read once, as the asker's if it is among theirs. */
function withoutRepeated(sent: readonly SentFile[]): SentFile[] {
  const seen = new Set<string>();
  return sent.filter(({ file }) => seen.size !== seen.add(file.id).size);
}

function unreadable(error: unknown, report: TurnContextDeps["report"]): ReadThread {
  const expected = error instanceof PlatformError || error instanceof TookTooLongError;
  if (!expected) report(error, "reading a thread");
  const reason =
    error instanceof PlatformError
      ? error.message
      : expected
        ? `it took longer than ${patience / 1000} s`
        : "something went wrong inside the bot";
  const note = `The thread could not be read (${reason}). What was said in it before is not known here; say so if it matters.`;
  return { thread: [], notes: [note], sent: [] };
}

/** What the log knows of a thread's messages. */
interface KnownMessages {
  /** Platform ids of messages that are turns, or that a turn has read. */
  ids: ReadonlySet<string>;
  /** Platform ids of what these turns have posted. */
  posted: ReadonlySet<string>;
  /** When the newest message was said that a turn has read, ms since the epoch. What came before it was there to be read. */
  newest: number;
}

/** Turns of a thread that are looked at, newest first. */
const maxTurns = 200;
/** Turns remembered by what they were and had read. */
const remembered = 4_000;

/** Reads what is known of a thread; a finished turn is read from the log once. */
function createKnownMessages(log: TurnReading): (place: Place) => Promise<KnownMessages> {
  const cache = new LRUCache<string, KnownMessages>({ max: remembered });

  const ofTurn = async (turnId: string, finished: boolean): Promise<KnownMessages> => {
    const cached = cache.get(turnId);
    if (cached !== undefined) return cached;
    const events = await log.read(turnId);
    const heard = events.flatMap((event) => (event.type === "context_read" ? event.thread : []));
    const said = events.flatMap((event) => (event.type === "inbound" ? event.inbound.origin?.message : []));
    const ids = [...said, ...heard.map(({ id }) => id)].filter((id) => id !== undefined);
    const posted = events.flatMap((event) => (event.type === "message_posted" ? event.reference : []));
    const known = {
      ids: new Set(ids),
      posted: new Set(posted),
      newest: latest(heard.map(({ at }) => at)),
    };
    if (finished) cache.set(turnId, known);
    return known;
  };

  return async ({ namespace, thread }) => {
    const turns = await log.list({ namespace, thread, limit: maxTurns });
    const all = await Promise.all(turns.map((turn) => ofTurn(turn.turn_id, turn.status === "finished")));
    return {
      ids: new Set(all.flatMap(({ ids }) => [...ids])),
      posted: new Set(all.flatMap(({ posted }) => [...posted])),
      newest: latest(all.map(({ newest }) => newest)),
    };
  };
}

function latest(times: readonly number[]): number {
  return times.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY);
}
