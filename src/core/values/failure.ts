import type { Author } from "./inbound.ts";
import type { Json } from "./json.ts";

/**
 * What came of something a person asked for; a failure has the HTTP status that fits, and says what to do. `code` is stable, for
 * programs, where the status alone says too little; `details` is what else they may read.
 */
export type Outcome<T> =
  | { ok: true; value: T }
  | {
      ok: false;
      status: 400 | 403 | 404 | 409 | 413 | 429 | 503;
      message: string;
      code?: string;
      details?: { readonly [name: string]: Json };
    };

/** Who asks for something, and where it is noted. */
export interface Asker {
  by: Author;
  namespace: string;
}

/**
 * What work can fail with that nobody has to mend: a refusal, a limit, a service that is away. The message is written for people and
 * models; everything else that is thrown is a fault, and is reported.
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

/** Thrown inside a tool that waits for a person; it is run again when the answer is there. */
export class WaitingForPerson extends Error {
  readonly code = "waiting_for_person";
}
