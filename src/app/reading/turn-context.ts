import type { Emit } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import { type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { FileStore } from "../../core/ports/storage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { isWordless, type MessageContext, type ReadFile, saidText } from "../../core/values/message.ts";
import type { AppDeps } from "../app-deps.ts";
import {
  type Download,
  type FileReadingPorts,
  type FilesRead,
  readFiles,
  type SentFile,
} from "./read-files.ts";
import { type ThreadRead, ThreadReader } from "./read-thread.ts";

type Queued = Pick<ClaimedTurn, "turn_id" | "inbound">;

type ReadContext = Pick<FilesRead, "usage"> & { context: MessageContext };

/** Reads the context of a message: the thread so far, and the files. */
export class TurnContextReader {
  readonly #ports: FileReadingPorts & Pick<TurnPorts, "folders">;
  readonly #platforms: ChatPlatforms;
  readonly #threads: ThreadReader;
  /** Maximum tokens of a person's message. Files may take as many, the thread half as many. */
  readonly #tokens: number;

  constructor(
    { log, limits, transcriber }: Pick<AppDeps, "log" | "limits" | "transcriber">,
    { files, folders, documents, clock, countTokens, report }: TurnPorts,
    platforms: ChatPlatforms,
  ) {
    this.#ports = { files, folders, documents, clock, countTokens, report, transcriber };
    this.#platforms = platforms;
    this.#tokens = limits.message_tokens;
    this.#threads = new ThreadReader(log, this.#ports, Math.floor(this.#tokens / 2));
  }

  /**
   * The context of a turn: read once, before its first model call, and from the turn's log afterwards. Undefined when there is nothing to
   * read. Emits usage events, then the event that stores the context. A failure becomes a note in the context and never fails the turn.
   */
  async read(claimed: ClaimedTurn, emit: Emit, signal: AbortSignal): Promise<MessageContext | undefined> {
    const made = claimed.events.find((event) => event.type === "context_read");
    if (made !== undefined) return made;
    const read = await unlessAborted(signal, () => this.#readContext(claimed, signal));
    if (read === undefined) return undefined;
    const { context, usage } = read;
    for (const event of usage) await emit(event);
    await emit({ type: "context_read", ...context });
    await removeGiven(this.#ports.files, claimed, context);
    return context;
  }

  /** As `TurnLink.readWhole`. */
  async whole(queued: Queued, signal: AbortSignal): Promise<{ text: string } & Pick<FilesRead, "usage">> {
    const { text } = queued.inbound;
    const download = this.#downloadFor(queued);
    if (download === undefined) return { text, usage: [] };
    const { context, usage } = await this.#readAll(queued, noThread, download, signal);
    const lines = [saidText(text, context), ...context.files.flatMap(fileLine)];
    return { text: lines.filter(Boolean).join("\n"), usage };
  }

  /** The thread where a platform showed the message, and the files that came with it; undefined when there is neither. */
  async #readContext(claimed: ClaimedTurn, signal: AbortSignal): Promise<ReadContext | undefined> {
    const { inbound } = claimed;
    const { origin, namespace, files = [] } = inbound;
    const platform = this.#platforms.of(namespace);
    const download = this.#downloadFor(claimed);
    const hasFiles = (origin?.files ?? files).length > 0;
    if (download === undefined || (!origin?.in_thread && !hasFiles)) return undefined;
    const thread =
      origin?.in_thread && platform ? await this.#threads.read(platform, inbound, signal) : noThread;
    return await this.#readAll(claimed, thread, download, signal);
  }

  /** Where the files of a message come from; undefined where its platform is not served. */
  #downloadFor({ turn_id, inbound: { namespace, thread, origin } }: Queued): Download | undefined {
    if (origin === undefined) return fromStore(this.#ports.files, turn_id);
    const platform = this.#platforms.of(namespace);
    return platform && ((file, how) => platform.download({ namespace, thread }, file, how));
  }

  async #readAll(
    { turn_id, inbound }: Queued,
    { thread, notes, sent }: ThreadRead,
    download: Download,
    signal: AbortSignal,
  ): Promise<ReadContext> {
    const { namespace, origin, files: given = [] } = inbound;
    const own = [...(origin?.files ?? []), ...given].map(
      (file): SentFile => ({ file, by: inbound.author.name }),
    );
    const folder = this.#ports.folders.of({ namespace, thread: inbound.thread });
    const message = { turn_id, folder, download, signal };
    const all = withoutRepeated([...own, ...sent]);
    const { files, usage } = await readFiles(this.#ports, message, all, this.#tokens);
    const context = {
      thread,
      files: files.map((file, at) => ownFile(file, own[at], inbound)),
      notes: notes.length === 0 ? undefined : notes,
      time_zone: thread.length === 0 ? undefined : inbound.author.time_zone,
    };
    return { context, usage };
  }
}

/** A file without its content, which is not the person's words. A recording that is the message stands there as its text. */
function fileLine({ name, path, spoken, problem }: ReadFile): string[] {
  if (spoken?.is_message === true) return [];
  return [path === undefined ? `[file that was not read: ${name}; ${problem}]` : `[file: ${path}]`];
}

/** Undefined when the turn was stopped; the loop reports that. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return signal.aborted ? undefined : await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Removes files that are in the working folder now; pictures stay, because the transcript refers to them. */
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
function fromStore(files: Pick<FileStore, "get">, turnId: string): Download {
  return async ({ id }) => {
    const found = await files.get(turnId, id);
    if (found === undefined) throw new PlatformError("gone", "it is not there any more");
    return found.data;
  };
}

/**
 * The asker's own file needs no sender, and a voice message without text is the asker's message. Sound that a program submits without text
 * counts as the message too; on platforms a recording may be of anyone.
 */
function ownFile(file: ReadFile, own: SentFile | undefined, { text, origin }: Inbound): ReadFile {
  if (own === undefined) return file;
  const { by: _, ...mine } = file;
  const { spoken } = mine;
  const speaks = isWordless(text) && (own.file.voice !== undefined || origin === undefined);
  return spoken === undefined || !speaks ? mine : { ...mine, spoken: { ...spoken, is_message: true } };
}

/** Keeps the first of repeated files; the asker's own files come first. */
function withoutRepeated(sent: readonly SentFile[]): SentFile[] {
  const seen = new Set<string>();
  return sent.filter(({ file }) => seen.size !== seen.add(file.id).size);
}
