import { pageInstead } from "../../base/file-kind.ts";
import { PlatformError } from "../../core/ports/chat-platform.ts";
import {
  type ReadContent,
  type Remarks,
  readFileContent,
  shownText,
  soundTypeOf,
  type Transcriber,
} from "../../core/ports/documents.ts";
import { type WorkingFolder, WorkingFolderError } from "../../core/ports/working-folder.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { cutForModel } from "../../core/values/cut.ts";
import type { FileReference } from "../../core/values/inbound.ts";
import type { ReadFile } from "../../core/values/message.ts";
import { type CountTokens, fitBeginning } from "../../core/values/profile.ts";
import { type Heard, hearFile, maxRecordings, skippedRecording } from "./hear-file.ts";
import { TimeLimitError, within } from "./within.ts";

/** A file of a message, and who sent it when it was not the asker. */
export interface SentFile {
  file: FileReference;
  by?: string | undefined;
  /** The platform's id of that person. */
  author?: string | undefined;
}

/** The files as read, and the usage of transcribing them. */
export interface FilesRead {
  files: ReadFile[];
  usage: NonNullable<Heard["usage"]>[];
}

/** Maximum files read for one turn. */
const maxFiles = 20;
/** Maximum bytes of one file, and of all together. */
const maxFileBytes = 50_000_000;
const maxTotalBytes = 100_000_000;
/** Maximum files fetched at the same time. */
const maxParallel = 2;
const totalTooLarge = `at most ${megabytes(maxTotalBytes)} of files are read at once; send it again alone`;
/** Maximum tokens of one file that enter the conversation: of a text, and of an extracted document. The rest is read with read_file. */
const maxTokens = { text: 2_000, document: 8_000 };
/** Time limit for fetching one file, ms. */
const fetchTimeoutMs = 60_000;
/** Maximum pictures a model is shown, and their bytes together: requests to Anthropic may have 32 MB, with base64. */
const maxImages = 8;
const maxImageBytes = 20_000_000;

/** What reading files needs of the bot. */
export interface FileReadingPorts
  extends Pick<TurnPorts, "documents" | "clock" | "countTokens" | "report" | "files"> {
  transcriber: Transcriber;
}

/** The message whose files are read. */
interface MessageWithFiles {
  turn_id: string;
  /** The folder of its thread. */
  folder: Pick<WorkingFolder, "attach" | "open">;
  /** Fetches a file. @throws PlatformError */
  download(file: FileReference, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array>;
  signal: AbortSignal;
}

export type Download = MessageWithFiles["download"];

/**
 * Fetches files, the most important ones first, keeps them in the working folder, and reads them. A file that cannot be kept or read is
 * listed with the reason.
 * @param tokens maximum tokens of their texts together
 * @throws the signal's reason, nothing else
 */
export async function readFiles(
  ports: FileReadingPorts,
  message: MessageWithFiles,
  sent: readonly SentFile[],
  tokens: number,
): Promise<FilesRead> {
  const reading = new FileReading(ports, message);
  const read: KnownFile[] = [];
  const queue = plan(sent).entries();
  const work = async () => {
    for (const [at, { sent, problem }] of queue)
      read[at] = problem === undefined ? await reading.read(sent) : { ...about(sent), problem };
  };
  await Promise.all(Array.from({ length: maxParallel }, work));
  message.signal.throwIfAborted();
  return { files: withinTokens(read, tokens, ports.countTokens), usage: reading.usage };
}

/** Selects the files to fetch, by the sizes that the platform reports. */
function plan(sent: readonly SentFile[]): { sent: SentFile; problem: string | undefined }[] {
  let files = 0;
  let bytes = 0;
  return sent.map((each) => {
    const { file } = each;
    const problem =
      (file.bytes > maxFileBytes ? tooLarge(file.bytes) : undefined) ??
      (files >= maxFiles ? `at most ${maxFiles} files are read at once; send it again alone` : undefined) ??
      (bytes + file.bytes > maxTotalBytes ? totalTooLarge : undefined);
    if (problem === undefined) {
      files += 1;
      bytes += file.bytes;
    }
    return { sent: each, problem };
  });
}

function about({ file, by, author }: SentFile): ReadFile {
  const { name, media_type, bytes } = file;
  return { name, media_type, bytes, by, author };
}

/** Reads the files of one message, and counts what is left of the limits. */
class FileReading {
  readonly #ports: FileReadingPorts;
  readonly #message: MessageWithFiles;
  readonly usage: FilesRead["usage"] = [];
  #bytes = maxTotalBytes;
  #images = maxImages;
  #imageBytes = maxImageBytes;
  #recordings = maxRecordings;

  constructor(ports: FileReadingPorts, message: MessageWithFiles) {
    this.#ports = ports;
    this.#message = message;
  }

  async read(sent: SentFile): Promise<KnownFile> {
    const fetched = await this.#fetch(sent.file);
    if ("problem" in fetched) return { ...about(sent), problem: fetched.problem };
    const { data } = fetched;
    const known: ReadFile = { ...about(sent), bytes: data.byteLength };
    const kept = await this.#keepInFolder(sent, data);
    if ("problem" in kept) return { ...known, problem: kept.problem };
    const { path } = kept;
    const type = soundTypeOf(sent.file);
    if (type !== undefined)
      return { ...known, path, ...(await this.#hear({ ...sent.file, media_type: type }, data)) };
    return { ...known, path, ...(await this.#readKept(known, path)) };
  }

  async #hear(file: FileReference, data: Uint8Array): Promise<Partial<ReadFile>> {
    if (this.#recordings === 0) return skippedRecording(file);
    this.#recordings -= 1;
    const { transcriber, report } = this.#ports;
    const { told, usage } = await hearFile(transcriber, report, file, data, this.#message.signal);
    if (usage !== undefined) this.usage.push(usage);
    return { ...told, media_type: file.media_type };
  }

  async #keepInFolder(
    { file, by }: SentFile,
    data: Uint8Array,
  ): Promise<{ path: string } | { problem: string }> {
    const { folder, turn_id } = this.#message;
    try {
      const { name, media_type } = file;
      return await folder.attach({ name, media_type, data }, { turn_id, by });
    } catch (error) {
      if (error instanceof WorkingFolderError) return { problem: `it was not kept: ${error.message}` };
      this.#ports.report(error, "keeping a file");
      return { problem: "it could not be kept on the bot's disk" };
    }
  }

  /** What the model is told about a file in the folder. */
  async #readKept(known: ReadFile, path: string): Promise<Partial<KnownFile>> {
    const file = await this.#message.folder.open(path);
    if (file === undefined) return { problem: "it is gone" };
    try {
      const content = await readFileContent(file, this.#ports.documents, this.#message.signal);
      if (content.kind === "unreadable") return { problem: content.problem };
      if (content.kind === "image")
        return await this.#keepImage(known.name, content.media_type, content.data);
      const { text, left_out } = shownText(content);
      const note = [kindOf(content), content.note].filter((each) => each !== undefined).join("; ");
      const maxTextTokens = content.kind === "text" ? maxTokens.text : maxTokens.document;
      return { text, left_out, maxTextTokens, problem: note === "" ? undefined : note };
    } finally {
      await file.close();
    }
  }

  async #keepImage(name: string, media_type: string, data: Uint8Array): Promise<Partial<ReadFile>> {
    if (this.#images < 1 || this.#imageBytes < data.byteLength) {
      const most = `${maxImages} pictures of together ${megabytes(maxImageBytes)}`;
      return { media_type, problem: `at most ${most} are shown at once; read_file shows it` };
    }
    this.#images -= 1;
    this.#imageBytes -= data.byteLength;
    const { files, report } = this.#ports;
    try {
      const stored = await files.put(this.#message.turn_id, { name, media_type, data });
      return { media_type, image: stored.name };
    } catch (error) {
      report(error, "keeping a picture");
      return { media_type, problem: "it could not be kept on the bot's disk" };
    }
  }

  async #fetch(file: FileReference): Promise<{ data: Uint8Array } | { problem: string }> {
    // For some files the size is known only after the download.
    if (this.#bytes <= 0) return { problem: totalTooLarge };
    const { download, signal } = this.#message;
    try {
      const data = await within(fetchTimeoutMs, this.#ports.clock, signal, (limit) =>
        download(file, { maxBytes: maxFileBytes, signal: limit }),
      );
      this.#bytes -= data.byteLength;
      const problem = data.byteLength > maxFileBytes ? tooLarge(data.byteLength) : pageInstead(file, data);
      return problem === undefined ? { data } : { problem };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TimeLimitError) {
        return { problem: `it could not be fetched within ${fetchTimeoutMs / 1000} s; send it again` };
      }
      if (error instanceof PlatformError) {
        const problem = `it could not be fetched: ${error.message}`;
        return { problem: error.code === "too_large" ? tooLarge(file.bytes) : problem };
      }
      this.#ports.report(error, "fetching a file");
      return { problem: "it could not be fetched; send it again" };
    }
  }
}

function kindOf(content: Extract<ReadContent, Remarks>): string | undefined {
  if (content.kind === "text") return undefined;
  if (content.kind === "document") return `the text of a file of the kind ${content.format}`;
  return "a table, as its columns and first rows; code reads all of it";
}

function tooLarge(bytes: number): string {
  const size = bytes > maxFileBytes ? megabytes(bytes) : `more than ${megabytes(maxFileBytes)}`;
  return `it has ${size}; at most ${megabytes(maxFileBytes)} are read`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

/** A file, the maximum tokens of its text in the conversation, and what the text lacks of the file; unknown of a transcript. */
type KnownFile = ReadFile & { maxTextTokens?: number; left_out?: readonly string[] };

/** Gives every text an equal share; tokens that a short text leaves go to the files after it. A longer text keeps its beginning and end. */
function withinTokens(files: readonly KnownFile[], tokens: number, countTokens: CountTokens): ReadFile[] {
  let room = tokens;
  let waiting = files.filter((file) => file.text !== undefined).length;
  return files.map(({ maxTextTokens = Number.POSITIVE_INFINITY, left_out, ...file }) => {
    if (file.text === undefined) return file;
    const share = Math.min(maxTextTokens, Math.floor(room / waiting));
    const cut = fitFile(file, file.text, share, countTokens);
    const isWhole = left_out?.length === 0 && cut === file;
    const missing = left_out?.length ? `not here: ${left_out.join(", ")}` : undefined;
    const remark = isWhole ? "whole" : missing;
    const fitted = remark === undefined ? cut : { ...cut, problem: noted(cut, remark) };
    waiting -= 1;
    room -= countTokens(fitted.text ?? "");
    return fitted;
  });
}

function noted({ problem }: ReadFile, note: string): string {
  return problem === undefined ? note : `${problem}; ${note}`;
}

/** A transcript cannot be read further with a tool, so only its beginning is kept. */
function fitFile(file: ReadFile, whole: string, tokens: number, countTokens: CountTokens): ReadFile {
  const { path, spoken } = file;
  if (path === undefined || spoken !== undefined) {
    const { text, left_out } = fitBeginning(whole, tokens, countTokens);
    if (left_out === 0) return file;
    const rest = `only the beginning is here, ${left_out.toLocaleString("en")} more characters are not`;
    return { ...file, text, problem: noted(file, rest) };
  }
  const text = cutForModel(whole, tokens, path, countTokens);
  if (text === whole) return file;
  const rest = "only its beginning and end are here; read_file has all of it";
  return { ...file, text, problem: noted(file, rest) };
}
