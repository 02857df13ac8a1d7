import { fstat, read } from "node:fs";
import { promisify } from "node:util";
import type { z } from "zod";
import { formatBytes } from "../base/amounts.ts";
import { Slots } from "../base/slots.ts";
import {
  type DocumentReader,
  type DocumentText,
  documentTextSchema,
  type TableText,
  tableTextSchema,
} from "../core/ports/documents.ts";
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
  const run = (as: ReadRequest["as"], bytes: number, descriptor: number, signal: AbortSignal) =>
    slots.run(signal, () => runReader({ as, bytes, limits }, descriptor, signal));
  return {
    formatOf(name, head) {
      const format = documentFormat(name, head);
      return format === undefined ? undefined : formatNames[format];
    },
    async read({ name, descriptor }, signal): Promise<DocumentText> {
      const opened = await open(descriptor, signal);
      if (opened === undefined) return failed(cannotOpen);
      const { head, bytes } = opened;
      const format = documentFormat(name, head);
      if (format === undefined || bytes === 0) return failed(whyUnread(name, head));
      if (bytes > limits.documentBytes) return failed(tooLarge(bytes, limits));
      return outcome(await run(format, bytes, descriptor, signal), documentTextSchema, limits);
    },
    async table({ descriptor }, signal): Promise<TableText> {
      const opened = await open(descriptor, signal);
      if (opened === undefined) return failed(cannotOpen);
      if (opened.bytes === 0) return failed("The file is empty.");
      return outcome(await run("table", opened.bytes, descriptor, signal), tableTextSchema, limits);
    },
  };
}

const cannotOpen = "The file cannot be opened any more; send it again.";

function failed(problem: string): { ok: false; problem: string } {
  return { ok: false, problem };
}

/** Size and beginning of the file; undefined if it cannot be read. */
async function open(
  descriptor: number,
  signal: AbortSignal,
): Promise<{ bytes: number; head: Uint8Array } | undefined> {
  signal.throwIfAborted();
  try {
    const { size: bytes } = await stat(descriptor);
    const { bytesRead, buffer } = await readAt(descriptor, Buffer.alloc(headBytes), 0, headBytes, 0);
    return { bytes, head: buffer.subarray(0, bytesRead) };
  } catch {
    return undefined;
  }
}

function outcome<Schema extends z.ZodType<DocumentText | TableText>>(
  end: SealedEnd,
  schema: Schema,
  limits: ReadLimits,
): z.infer<Schema> | { ok: false; problem: string } {
  if ("failed" in end) return failed(failure(end.failed, limits));
  try {
    return schema.parse(JSON.parse(end.answer));
  } catch {
    return failed(failure("crashed", limits));
  }
}

function failure(
  why: Extract<SealedEnd, { failed: string }>["failed"],
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

/** Runs the reading process for one file. The process has ended when this settles. @throws the signal's reason */
function runReader(request: ReadRequest, descriptor: number, signal: AbortSignal): Promise<SealedEnd> {
  const { timeoutMs } = request.limits;
  const run = { entry, request: JSON.stringify(request), descriptor, timeoutMs, maxAnswerBytes };
  return runSealed(run, signal);
}
