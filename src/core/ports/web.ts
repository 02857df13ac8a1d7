import { ExpectedFailure } from "../values/expected-failure.ts";
/** The guarded way out to the network: private addresses refused, size, time and redirects limited. */
export interface Web {
  /** @throws WebError */
  fetch(url: string, options?: WebRequest): Promise<WebResponse>;
  /** The readable text of a page as Markdown. @throws WebError */
  read(url: string, options?: Pick<WebRequest, "signal" | "mayFollow">): Promise<WebPage>;
}

export interface WebRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Milliseconds; the configured limit unless lower. */
  timeout_ms?: number;
  /** Whether a redirect is followed; all are unless given. `sends`: the request would still have its body. */
  mayFollow?: (redirect: { from: string; to: string; sends: boolean }) => Promise<boolean>;
}

interface WebResponse {
  /** Where the last redirect led. */
  url: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface WebPage {
  url: string;
  title: string;
  /** Markdown. */
  text: string;
  /** Characters of the whole text; `text` may be cut. */
  length: number;
}

export type WebErrorCode =
  | "invalid_url"
  | "address_refused"
  | "unreachable"
  | "timed_out"
  | "too_large"
  | "too_many_redirects"
  | "redirect_refused"
  | "unsupported_content"
  | "http_error";

/** Why a page was not fetched; the message is written for the person who asked. */
export class WebError extends ExpectedFailure<WebErrorCode> {}
