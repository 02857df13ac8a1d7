import { inOpenAiShape } from "./error-body.ts";
import type { NoApi } from "./provider-error.ts";
import { readBounded } from "./read-bounded.ts";
import { mediaTypeOf } from "./reported-failure.ts";

/** Node's own fetch waits no longer for the beginning of an answer, ms. https://undici.nodejs.org/#/docs/api/Client */
const usualHeadersMs = 300_000;

/** Of a page that stands in the place of an API only its title matters. */
const maxPageBytes = 1_000_000;

/**
 * A fetch for the SDKs that makes sense of what is no answer of an API: web pages of proxies and wrong addresses, redirects (keys
 * would go along), and failures in shapes of which the SDKs would show nothing.
 * @param longestMs the longest wait for an answer to begin, milliseconds
 */
export function createServerFetch(longestMs: number): typeof fetch {
  const patience = longestMs < usualHeadersMs ? undefined : patientDispatcher();
  return async (input, init) => {
    const dispatcher = await patience;
    const options: RequestInit = { ...init, redirect: "manual", ...(dispatcher && { dispatcher }) };
    const response = await fetch(input, options);
    const failure = noApi(
      response,
      new URL(input instanceof Request ? input.url : String(input)),
      init?.method,
    );
    if (failure !== undefined) return described(response, await failure);
    return response.ok ? response : unwrapped(response);
  };
}

/** Loads a model for as long as it takes: the watch for silence ends a request. */
async function patientDispatcher(): Promise<NonNullable<RequestInit["dispatcher"]>> {
  const { Agent } = await import("undici");
  return new Agent({ headersTimeout: 0, bodyTimeout: 0 }) as unknown as NonNullable<
    RequestInit["dispatcher"]
  >;
}

/** Undefined for what may be an answer of an API. */
function noApi(response: Response, url: URL, method = "GET"): Promise<NoApi> | undefined {
  const { status, headers } = response;
  const asked = `${method.toUpperCase()} ${url.pathname}`;
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.get("location") ?? "", url.href);
    const detail = to === null ? "nowhere" : `${to.origin}${to.pathname}`;
    return Promise.resolve({ type: "redirect", status, asked, detail });
  }
  const mediaType = mediaTypeOf(headers);
  if (!/^(text\/html|application\/xhtml\+xml)$/i.test(mediaType)) return undefined;
  return readBounded(response, maxPageBytes).then((page = "") => {
    return { type: "web_page", status, asked, mediaType, detail: titleOf(page) };
  });
}

function titleOf(page: string): string {
  const [, title = ""] = /<title[^<>]*>([^<]{1,200})/i.exec(page) ?? [];
  return title.replaceAll(/\s+/g, " ").trim();
}

/** A page that comes with success, and a redirect, stand where an address is not there. */
function described({ status, headers }: Response, failure: NoApi): Response {
  const kept = new Headers({ "content-type": "application/json" });
  for (const name of ["retry-after", "x-request-id", "request-id"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  const body = JSON.stringify({ error: failure });
  return new Response(body, { status: status < 400 ? 404 : status, headers: kept });
}

async function unwrapped(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(inOpenAiShape(await response.text()), { status, headers });
}
