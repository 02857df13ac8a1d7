import { runSealed, type SealedEnd } from "../process/sealed-process.ts";
import type { ReadRequest } from "./read-limits.ts";

/** Bytes of an answer: the longest text escaped, and its tables. */
const maxAnswerBytes = 100_000_000;
const entry = new URL("./inside/reader-process.ts", import.meta.url);

export type ReaderEnd = SealedEnd;

/**
 * Runs the reading process for one file. It has ended when this settles, with whatever it did.
 * @throws the signal's reason
 */
export function runReader(request: ReadRequest, descriptor: number, signal: AbortSignal): Promise<ReaderEnd> {
  const { timeoutMs } = request.limits;
  const run = { entry, request: JSON.stringify(request), on: "argument", descriptor, timeoutMs } as const;
  return runSealed({ ...run, maxAnswerBytes }, signal);
}
