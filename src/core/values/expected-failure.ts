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
