import type { Author } from "./inbound.ts";
import type { Json } from "./json.ts";

/**
 * The result of a person's request. A failure has the matching HTTP status, and its message says what to do. `code` is stable, for
 * programs, where the status alone is not precise enough; `details` has further data for them.
 */
export type Outcome<T> = { ok: true; value: T } | Failure;

interface Failure {
  ok: false;
  status: 400 | 403 | 404 | 409 | 413 | 429 | 503;
  message: string;
  code?: string;
  details?: { readonly [name: string]: Json };
}

/** A failure with its status; `message` says what to do. */
export function failed(status: Failure["status"], message: string, code?: string): Failure {
  return code === undefined ? { ok: false, status, message } : { ok: false, status, message, code };
}

/**
 * The person who asks for something, and the namespace where it is recorded. The surface vouches that the person is in it; operators may
 * name any.
 */
export interface Asker {
  by: Author;
  namespace: string;
}

/**
 * A failure that needs no repair: a refusal, a limit, an unavailable service. Its message is written for people and models. Every other
 * thrown error is a fault and is reported.
 */
export class ExpectedFailure<Code extends string = string> extends Error {
  /** For programs. */
  readonly code: Code;
  /** What to try instead. */
  readonly hint: string | undefined;
  constructor(code: Code, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/**
 * The reason of an abort after which nobody continues the work: a person stopped it, or its time is up. After other reasons it may be
 * continued by another worker or at the next start.
 */
export class WorkEnded extends Error {
  readonly code: string;
  constructor(code: string, message?: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown inside a tool that waits for a person. The tool is run again when the answer has arrived. */
export class WaitingForPerson extends Error {
  readonly code = "waiting_for_person";
}
