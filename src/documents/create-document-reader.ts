import { fstat, read } from "node:fs";
import { promisify } from "node:util";
import type { z } from "zod";
import { Slots } from "../base/slots.ts";
import {
  type DocumentFile,
  type DocumentReader,
  type DocumentText,
  documentTextSchema,
  type TableText,
  tableTextSchema,
} from "../core/ports/documents.ts";
import { formatBytes } from "../core/values/shown.ts";
import { runSealed, type SealedEnd } from "../process/sealed-process.ts";
import { documentFormat, formatNames, whyUnread } from "./document-format.ts";
import { defaultLimits, type ReadLimits, type ReadRequest } from "./read-limits.ts";

const stat = promisify(fstat);
const readAt = promisify(read);

/** First bytes that identify the format; a PDF's header may come late. */
const headBytes = 1_024;
/** Files that are read at the same time; each may use up to the memory limit. */
const concurrent = 2;

/** Reads documents in processes of their own, so that a hostile file costs limited time and memory, and nothing else. */
export function createDocumentReader(changed: Partial<ReadLimits> = {}): DocumentReader {
  const limits = { ...defaultLimits, ...changed };
  const slots = new Slots(concurrent);
  return {
    formatOf(name, head) {
      const format = documentFormat(name, head);
      return format === undefined ? undefined : formatNames[format];
    },
    async read({ name, descriptor }, signal): Promise<DocumentText> {
      const opened = await open({ name, descriptor }, signal);
      if (typeof opened === "string") return { ok: false, problem: opened };
      const { head, bytes } = opened;
      const format = documentFormat(name, head);
      if (format === undefined || bytes === 0) return { ok: false, problem: whyUnread(name, head) };
      if (bytes > limits.documentBytes) return { ok: false, problem: tooLarge(bytes, limits) };
      const end = await slots.run(signal, () => runReader({ as: format, bytes, limits }, descriptor, signal));
      return outcome(end, documentTextSchema, limits);
    },
    async table(file, signal): Promise<TableText> {
      const opened = await open(file, signal);
      if (typeof opened === "string") return { ok: false, problem: opened };
      const { bytes } = opened;
      if (bytes === 0) return { ok: false, problem: "The file is empty." };
      const end = await slots.run(signal, () =>
        runReader({ as: "table", bytes, limits }, file.descriptor, signal),
      );
      return outcome(end, tableTextSchema, limits);
    },
  };
}

/** Size and beginning of the file, or why it cannot be read. */
async function open(
  { descriptor }: DocumentFile,
  signal: AbortSignal,
): Promise<{ bytes: number; head: Uint8Array } | string> {
  signal.throwIfAborted();
  try {
    const { size: bytes } = await stat(descriptor);
    const { bytesRead, buffer } = await readAt(descriptor, Buffer.alloc(headBytes), 0, headBytes, 0);
    return { bytes, head: buffer.subarray(0, bytesRead) };
  } catch {
    return "The file cannot be opened any more; send it again.";
  }
}

function outcome<Schema extends z.ZodType<DocumentText | TableText>>(
  end: ReaderEnd,
  schema: Schema,
  limits: ReadLimits,
): z.infer<Schema> | { ok: false; problem: string } {
  if ("failed" in end) return { ok: false, problem: failure(end.failed, limits) };
  try {
    return schema.parse(JSON.parse(end.answer));
  } catch {
    return { ok: false, problem: failure("crashed", limits) };
  }
}

function failure(
  why: Extract<ReaderEnd, { failed: string }>["failed"],
  { timeoutMs, memoryBytes }: ReadLimits,
): string {
  const part = "send the part that matters, or its text";
  if (why === "late") return `Reading it took longer than ${timeoutMs / 1_000} s and was stopped; ${part}.`;
  if (why === "memory")
    return `Reading it needed more than ${Math.round(memoryBytes / 1_000_000)} MB of memory and was stopped; ${part}.`;
  return "Reading it failed: the file is damaged or made in an unusual way; send it as PDF or as text.";
}

function tooLarge(bytes: number, { documentBytes }: ReadLimits): string {
  return `It has ${formatBytes(bytes)}, and documents are read up to ${formatBytes(documentBytes)}; send the part that matters.`;
}

/** Maximum size of an answer, bytes: the longest text escaped, and its tables. */
const maxAnswerBytes = 100_000_000;
const entry = new URL("./inside/reader-process.ts", import.meta.url);

type ReaderEnd = SealedEnd;

/** Runs the reading process for one file. The process has ended when this settles. @throws the signal's reason */
function runReader(request: ReadRequest, descriptor: number, signal: AbortSignal): Promise<ReaderEnd> {
  const { timeoutMs } = request.limits;
  const run = { entry, request: JSON.stringify(request), on: "argument", descriptor, timeoutMs } as const;
  return runSealed({ ...run, maxAnswerBytes }, signal);
}
