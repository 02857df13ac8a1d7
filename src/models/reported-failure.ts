/** A failure that a server reports within its answer, with the fields of the SDKs' errors. */
export class ReportedFailure extends Error {
  /** The HTTP status that the report names, if any. */
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** The report: `code`, `type`, `message`. */
  readonly error: unknown;
  constructor(report: unknown, options: { status?: number | undefined; headers?: Headers } = {}) {
    super("The server reported a failure within its answer.");
    this.error = report;
    this.status = options.status;
    this.headers = options.headers;
  }
}

/** A successful answer that is not JSON: a page of a proxy, an empty answer, or an incomplete one. */
export class NotJson extends SyntaxError {
  readonly status: number;
  /** Its content type; empty if there is none. */
  readonly mediaType: string;
  constructor({ status, mediaType }: { status: number; mediaType: string }) {
    super("The answer is not JSON.");
    this.status = status;
    this.mediaType = mediaType;
  }

  /** The value of a text within an answer. @throws NotJson */
  static parse(text: string, answer: { status: number; mediaType: string }) {
    try {
      return JSON.parse(text);
    } catch {
      throw new NotJson(answer);
    }
  }
}

/** The type of the error in place of a web page or a redirect. */
export const noApi = "no_api";
