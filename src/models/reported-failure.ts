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

/** An answer that is no JSON, though its status is one of success: a page of a proxy, nothing at all, or one that broke off. */
export class NotJson extends SyntaxError {
  readonly status: number;
  /** Its content type; empty when it has none. */
  readonly mediaType: string;
  constructor(response: Response) {
    super("The answer is not JSON.");
    this.status = response.status;
    this.mediaType = mediaTypeOf(response.headers);
  }
}

/** The content type without parameters; empty when there is none. */
export function mediaTypeOf(headers: Headers): string {
  return headers.get("content-type")?.split(";", 1)[0]?.trim().slice(0, 80) ?? "";
}
