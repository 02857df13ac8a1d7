import type { Usage } from "../log/turn-event.ts";
import { ExpectedFailure } from "../values/failure.ts";

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

/** What is searched for in the web. */
export interface WebQuery {
  words: string;
  /** Results at most. */
  most: number;
  /** Only what is not older. An engine that cannot tell is named in a note. */
  within?: "day" | "week" | "month" | "year" | undefined;
  /** Only this site: `example.com`. */
  site?: string | undefined;
}

/** One result. Its texts are the engine's and the page's words. */
export interface WebHit {
  title: string;
  url: string;
  /** What the engine shows of the page; may be empty. */
  text: string;
  /** When the page was published or last changed, as the engine says it. */
  date?: string | undefined;
  /** The engines that found it, by name. */
  engines: readonly string[];
}

/** What a search found. */
export interface WebFindings {
  /** The best first, each address once. */
  hits: readonly WebHit[];
  /** The engines that answered. */
  engines: readonly string[];
  /** What a reader has to know: an engine that failed, or that only an encyclopaedia was searched. Whole sentences. */
  notes: readonly string[];
  /** Of requests to models, one for each. */
  usage?: readonly (Usage & { model: string })[] | undefined;
}

/** One engine, as a search asks it. */
export interface WebEngine {
  readonly name: string;
  /**
   * Addresses and texts of hits may be as the engine sent them.
   * @throws Error whose message says why it did not answer, without any key; or the signal's reason
   */
  search(
    query: WebQuery,
    signal: AbortSignal,
  ): Promise<{
    hits: readonly Omit<WebHit, "engines">[];
    /** What of the query it cannot do, or what a reader has to know. */
    notes?: readonly string[];
    usage?: Usage & { model: string };
    /** Why it searched nothing, although the request has to be paid for; as the message of an Error. */
    failed?: string | undefined;
  }>;
}

/** No engine answered. The message is for people, `hint` says how to get one. */
export class WebSearchError extends ExpectedFailure<"no_engine" | "failed"> {
  /** Of requests to models that were made all the same. */
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

/** Engines that are searched at the same time, their results merged. */
export interface WebSearch {
  /** Names of the configured engines; the one without a key where there is no other. */
  readonly engines: readonly string[];
  /** @throws WebSearchError when none answers, or the signal's reason */
  search(query: WebQuery, signal: AbortSignal): Promise<WebFindings>;
}

/** A bot that cannot search the web: it says why. */
export function noWebSearch(message: string, hint?: string): WebSearch {
  return { engines: [], search: () => Promise.reject(new WebSearchError("no_engine", message, { hint })) };
}
