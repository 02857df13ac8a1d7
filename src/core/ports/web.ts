import type { Usage } from "../log/usage.ts";
import { ExpectedFailure } from "../values/failure.ts";

/** Guarded access to the network: private addresses are refused; size, time and redirects are limited. */
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
  /** Milliseconds; cannot exceed the configured limit. */
  timeout_ms?: number;
  /** Whether to follow a redirect; by default all are followed. `sends`: the request would still have its body. */
  mayFollow?: (redirect: { from: string; to: string; sends: boolean }) => Promise<boolean>;
}

interface WebResponse {
  /** The address after the last redirect. */
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

/** Why a page was not fetched; the message is for the person who asked. */
export class WebError extends ExpectedFailure<WebErrorCode> {}

/** A web search. */
export interface WebQuery {
  words: string;
  /** Maximum results. */
  most: number;
  /** Maximum age of results. A note names engines that cannot filter by it. */
  within?: "day" | "week" | "month" | "year" | undefined;
  /** Only this site: `example.com`. */
  site?: string | undefined;
}

/** One result. Its texts come from the engine and the page. */
export interface WebHit {
  title: string;
  url: string;
  /** The engine's excerpt of the page; may be empty. */
  text: string;
  /** When the page was published or last changed, as the engine reports it. */
  date?: string | undefined;
  /** The engines that found it, by name. */
  engines: readonly string[];
}

/** The results of a search. */
export interface WebFindings {
  /** Best first, each address once. */
  hits: readonly WebHit[];
  /** The engines that answered. */
  engines: readonly string[];
  /** Notes for the reader, in whole sentences: an engine that failed, or that only an encyclopaedia was searched. */
  notes: readonly string[];
  /** Usage of requests to models, one entry for each. */
  usage?: readonly (Usage & { model: string })[] | undefined;
}

/** One search engine. */
export interface WebEngine {
  readonly name: string;
  /**
   * Addresses and texts of hits may be unprocessed.
   * @throws Error whose message says why it did not answer, without any key; or the signal's reason
   */
  search(
    query: WebQuery,
    signal: AbortSignal,
  ): Promise<{
    hits: readonly Omit<WebHit, "engines">[];
    /** Parts of the query that it does not support, and other notes for the reader. */
    notes?: readonly string[];
    usage?: Usage & { model: string };
    /** Why it returned no results although the request has to be paid for; in the form of an Error's message. */
    failed?: string | undefined;
  }>;
}

/** No engine answered. The message is for people; `hint` says how to set one up. */
export class WebSearchError extends ExpectedFailure<"no_engine" | "failed"> {
  /** Usage of requests to models that were made nevertheless. */
  readonly usage: NonNullable<WebFindings["usage"]>;
  constructor(
    code: "no_engine" | "failed",
    message: string,
    { hint, usage = [] }: { hint?: string | undefined; usage?: WebFindings["usage"] } = {},
  ) {
    super(code, message, { hint });
    this.usage = usage;
  }
}

/** Engines that are searched in parallel, with merged results. */
export interface WebSearch {
  /** Names of the configured engines; the one without a key if there is no other. */
  readonly engines: readonly string[];
  /** @throws WebSearchError if none answers, or the signal's reason */
  search(query: WebQuery, signal: AbortSignal): Promise<WebFindings>;
}

/** Web search of a bot that has none: fails with the reason. */
export function noWebSearch(message: string, hint?: string): WebSearch {
  return { engines: [], search: () => Promise.reject(new WebSearchError("no_engine", message, { hint })) };
}
