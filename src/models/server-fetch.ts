import { parsedJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import type { NoApi } from "./provider-error.ts";
import { readBounded } from "./read-bounded.ts";
import { mediaTypeOf } from "./reported-failure.ts";
import { bodyOf, sendRequest } from "./send-request.ts";

/** Maximum bytes of a web page in place of an API's answer. Only its title is read. */
const maxPageBytes = 1_000_000;

/**
 * A fetch for the SDKs that interprets answers that do not come from an API: web pages of proxies and wrong addresses, redirects (which
 * would forward keys), and failures in formats that the SDKs do not read.
 */
export const serverFetch: typeof fetch = async (input, init) => {
  const response = await sendRequest(input, init);
  const failure = noApi(response, input, init?.method);
  if (failure !== undefined) return described(response, await failure);
  return response.ok ? response : unwrapped(response);
};

/** Undefined for a response that may be an answer of an API. */
function noApi(
  response: Response,
  input: string | URL | Request,
  method = "GET",
): Promise<NoApi> | undefined {
  const { status, headers } = response;
  const isRedirect = status >= 300 && status < 400;
  const mediaType = mediaTypeOf(headers);
  if (!isRedirect && !/^(text\/html|application\/xhtml\+xml)$/i.test(mediaType)) return undefined;
  const url = new URL(input instanceof Request ? input.url : input);
  const asked = `${method.toUpperCase()} ${url.pathname}`;
  if (isRedirect) {
    const to = URL.parse(headers.get("location") ?? "", url.href);
    const detail = to === null ? "nowhere" : `${to.origin}${to.pathname}`;
    // Nobody reads it, and an unread answer keeps its connection.
    bodyOf(response)?.destroy();
    return Promise.resolve({ type: "redirect", status, asked, detail });
  }
  return readBounded(response, maxPageBytes).then((page = "") => {
    return { type: "web_page", status, asked, mediaType, detail: titleOf(page) };
  });
}

function titleOf(page: string): string {
  const [, title = ""] = /<title[^<>]*>([^<]{1,200})/i.exec(page) ?? [];
  return title.replaceAll(/\s+/g, " ").trim();
}

/** The failure as an error response. A page with a status of success, or a redirect, counts as 404. */
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

/**
 * The body of a failed request in OpenAI's format, `{error: {message, …}}`. Other known formats are those of Gemini (a list with one
 * error), Ollama (`{error: "…"}`), FastAPI as in vLLM (`{detail: …}`), Mistral (`{message, type}`) and OpenRouter, which puts its
 * provider's error in `metadata.raw`. Text that is not JSON is returned unchanged.
 */
function inOpenAiShape(text: string): string {
  const body = parsedJson(text);
  if (body === undefined) return text;
  const first = Array.isArray(body) ? body[0] : body;
  if (!isRecord(first)) return JSON.stringify({ error: { message: said(first) } });
  const { error, detail, message } = first;
  if (isRecord(error)) return JSON.stringify({ ...first, error: { ...error, message: withRaw(error) } });
  const words = said(error ?? message) || said(detail);
  return words === "" ? JSON.stringify(first) : JSON.stringify({ error: { ...first, message: words } });
}

/** OpenRouter's own message is "Provider returned error". */
function withRaw({ message, metadata }: Record<string, unknown>): unknown {
  const raw = isRecord(metadata) ? said(metadata.raw) : "";
  if (raw === "") return message;
  return `${said(message)}: ${innerMessage(raw)}`;
}

function innerMessage(raw: string): string {
  const body = parsedJson(raw);
  const error = isRecord(body) ? (body.error ?? body) : undefined;
  return isRecord(error) && typeof error.message === "string" ? error.message : raw;
}

/** Validation errors come as lists of `{loc, msg}`. */
function said(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(said).filter(Boolean).join("; ");
  if (!isRecord(value)) return "";
  const place = Array.isArray(value.loc) ? `${value.loc.join(".")}: ` : "";
  return typeof value.msg === "string" ? `${place}${value.msg}` : said(value.message ?? value.detail);
}
