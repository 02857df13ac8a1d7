/** Makes files in a separate thread, because input from people and models may block or crash a library. */
import { on } from "node:events";
import { Worker } from "node:worker_threads";

export const formats = ["docx", "pdf", "md", "html", "eml"] as const;
export type Format = (typeof formats)[number];

/** A request for files. */
export interface Job {
  title: string;
  markdown: string;
  formats: readonly Format[];
  author: string;
  /** A BCP 47 tag. */
  language: string | undefined;
  /** Addresses of a mail. */
  to: readonly string[];
  /** ms since the epoch. */
  now: number;
}

export interface MadeFiles {
  files: { format: Format; data: Uint8Array; pages?: number }[];
  words: number;
  /** Sentences for the person about the files. */
  notes: string[];
}

/** Messages of the thread: the pictures it needs, then each file as soon as it is made, and finally notes on the text. */
export type FromThread =
  | { kind: "pictures"; paths: string[]; words: number }
  | { kind: "making"; format: Format }
  | { kind: "made"; file: MadeFiles["files"][number]; notes: string[] }
  | { kind: "done"; notes: string[] };
/** The reply to the thread: pictures by their paths. */
export type ToThread = ReadonlyMap<string, Uint8Array>;

export interface Surroundings {
  signal: AbortSignal;
  timeoutMs: number;
  /** The bytes of the pictures that exist. */
  pictures(paths: readonly string[]): Promise<ToThread>;
  making(format: Format): void;
}

/** Undefined if no file could be made; files made before a failure are returned. @throws the signal's reason, and errors of `pictures` */
export async function makeFiles(job: Job, around: Surroundings): Promise<MadeFiles | undefined> {
  const { signal, timeoutMs } = around;
  signal.throwIfAborted();
  const late = AbortSignal.timeout(timeoutMs);
  const ends = AbortSignal.any([signal, late]);
  const worker = new Worker(new URL("./files-thread.ts", import.meta.url), {
    workerData: job,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 768, stackSizeMb: 8 },
  });
  const made: MadeFiles = { files: [], words: 0, notes: [] };
  const take = async (message: Exclude<FromThread, { kind: "done" }>) => {
    if (message.kind === "making") return around.making(message.format);
    if (message.kind === "made") {
      made.files.push(message.file);
      made.notes.push(...message.notes);
      return;
    }
    made.words = message.words;
    worker.postMessage(await around.pictures(message.paths).catch(failed));
  };
  // The worker may still fail between the abort and its end, when no one handles its errors.
  worker.on("error", () => undefined);
  try {
    // Also ends when the worker fails: out of memory, or a bug in a library.
    const messages = on(worker, "message", { signal: ends, close: ["exit"] });
    for await (const [message] of messages as AsyncIterable<[FromThread]>) {
      if (message.kind === "done")
        return { ...made, files: inOrder(job, made), notes: [...message.notes, ...made.notes] };
      await take(message);
    }
    return unfinished(job, made);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unfound) throw error.cause;
    return unfinished(job, made);
  } finally {
    await worker.terminate();
  }
}

/** The files that were made, with a note about the others. */
function unfinished(job: Job, made: MadeFiles): MadeFiles | undefined {
  if (made.files.length === 0) return undefined;
  const missing = job.formats.filter((format) => !made.files.some((file) => file.format === format));
  const note = `The text is too long or too deeply nested for ${missing.join(" and ")}, which was not made.`;
  return { ...made, files: inOrder(job, made), notes: [...made.notes, note] };
}

function inOrder({ formats }: Job, { files }: MadeFiles): MadeFiles["files"] {
  return files.toSorted((one, other) => formats.indexOf(one.format) - formats.indexOf(other.format));
}

/** The pictures could not be loaded, which is not a failure of the thread. */
class Unfound extends Error {}
function failed(cause: unknown): never {
  throw new Unfound("pictures", { cause });
}
