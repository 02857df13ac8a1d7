import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, TurnLog } from "../../core/log/turn-log.ts";
import { type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { DocumentReader, Transcriber } from "../../core/ports/documents.ts";
import type { Clock, FileStore } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { isWordless, type MessageContext, type ReadFile } from "../../core/values/message.ts";
import type { CountTokens } from "../../core/values/profile.ts";
import { type FilesRead, type ReadFilesDeps, readFiles, type SentFile } from "./read-files.ts";
import { createThreadReader, type ThreadRead, type ThreadReader } from "./read-thread.ts";

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

interface ReadContext extends Pick<FilesRead, "usage"> {
  context: MessageContext;
}

export function createTurnContextReader(deps: TurnContextDeps): TurnContextReader {
  const readThread = createThreadReader(deps);
  return {
    async *read(claimed, signal) {
      const made = claimed.events.find((event) => event.type === "context_read");
      if (made !== undefined) return made;
      const read = await unlessAborted(signal, () => readContext(deps, readThread, claimed, signal));
      if (read === undefined) return undefined;
      const { context, usage } = read;
      yield* usage;
      yield { type: "context_read", ...context };
      await removeGiven(deps.files, claimed, context);
      return context;
    },
  };
}

/** The thread where a platform showed the message, and the files that came with it; undefined when there is neither. */
async function readContext(
  deps: TurnContextDeps,
  readThread: ThreadReader,
  claimed: ClaimedTurn,
  signal: AbortSignal,
): Promise<ReadContext | undefined> {
  const { inbound, turn_id } = claimed;
  const { origin, namespace, files = [] } = inbound;
  if (origin === undefined) {
    const download = fromStore(deps.files, turn_id);
    return files.length === 0 ? undefined : await readAll(deps, claimed, noThread, download, signal);
  }
  const platform = deps.platforms.of(namespace);
  if (platform === undefined || (!origin.in_thread && origin.files.length === 0)) return undefined;
  const thread = origin.in_thread ? await readThread(platform, inbound, signal) : noThread;
  const place = { namespace, thread: inbound.thread };
  return await readAll(deps, claimed, thread, (file, how) => platform.download(place, file, how), signal);
}

async function readAll(
  deps: TurnContextDeps,
  { turn_id, inbound }: ClaimedTurn,
  { thread, notes, sent }: ThreadRead,
  download: ReadFilesDeps["download"],
  signal: AbortSignal,
): Promise<ReadContext> {
  const { namespace, origin, files: given = [] } = inbound;
  const own = [...(origin?.files ?? []), ...given].map(
    (file): SentFile => ({ file, by: inbound.author.name }),
  );
  const folder = deps.folders.of({ namespace, thread: inbound.thread });
  const { files, usage } = await readFiles(
    { ...deps, download, store: deps.files, folder },
    { turn_id, sent: withoutRepeated([...own, ...sent]), tokens: deps.message_tokens, signal },
  );
  const context = {
    thread,
    files: files.map((file, at) => ownFile(file, own[at], inbound)),
    ...(notes.length === 0 ? {} : { notes }),
    ...(thread.length === 0 ? {} : { time_zone: inbound.author.time_zone }),
  };
  return { context, usage };
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

const noThread: ThreadRead = { thread: [], notes: [], sent: [] };

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

/** A file that was sent twice is read once, as the asker's if it is among theirs. */
function withoutRepeated(sent: readonly SentFile[]): SentFile[] {
  const seen = new Set<string>();
  return sent.filter(({ file }) => seen.size !== seen.add(file.id).size);
}
