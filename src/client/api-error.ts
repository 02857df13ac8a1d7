import type { Problem } from "./shapes.ts";

/**
 * A failed request. The message is the problem's `detail`, written for people. `status` is the HTTP status, or 0 when there was no response
 * (`code` is then `unreachable`).
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  /** Further members of the problem document. */
  readonly more: { readonly [name: string]: unknown };
  constructor(
    status: number,
    code: string,
    detail: string,
    { more = {}, ...options }: { cause?: unknown; more?: { [name: string]: unknown } } = {},
  ) {
    super(detail, options);
    this.more = more;
    this.status = status;
    this.code = code;
    this.detail = detail;
  }

  /** Whether the server understood the request and refused it. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500;
  }

  /** Whether the same request may succeed later: no answer, an overloaded or restarting server, too many requests. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 408 || this.status === 429;
  }
}

/** The error of a response with a failure status, even if it is a proxy's page instead of a problem document. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const { type, title, status, ...problem } = parseProblem(text) ?? {};
  const { code = `http_${response.status}`, detail: written, ...more } = problem;
  const detail = written ?? `The server answered ${response.status} ${response.statusText}`.trim();
  return new ApiError(response.status, code, detail, { more });
}

function parseProblem(text: string): Partial<Problem> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
