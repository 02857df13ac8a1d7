/** A failure that a server reports within its answer, in the shape of the SDKs' errors. */
export class ReportedFailure extends Error {
  /** HTTP status the failure would have had; undefined when the report does not tell. */
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** The report: `code`, `type`, `message`. */
  readonly error: unknown;
  constructor(report: unknown, options: { status?: number; headers?: Headers } = {}) {
    super("The server reported a failure within its answer.");
    this.error = report;
    this.status = options.status;
    this.headers = options.headers;
  }
}
