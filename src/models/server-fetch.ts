import { parsedJson } from "../base/json-reader.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { isRecord } from "../base/record.ts";
import { mediaTypeOf, noApi } from "./reported-failure.ts";
import { bodyOf, sendRequest } from "./send-request.ts";

/** Maximum bytes of a web page in place of an API's answer. Only its title is read. */
const maxPageBytes = 1_000_000;

/**
 * A fetch for the SDKs that interprets answers that do not come from an API: web pages of proxies and wrong addresses, redirects (which
 * would forward keys), and failures in formats that the SDKs do not read.
 */
export const serverFetch: typeof fetch = async (input, init) => {
  const response = await sendRequest(input, init);
  const why = await whyNoApi(response, input, init?.method);
  if (why !== undefined) return described(response, why);
  return response.ok ? response : unwrapped(response);
};

/** What a response is that cannot be an answer of an API; undefined for one that may be. */
async function whyNoApi(
  response: Response,
  input: string | URL | Request,
  method = "GET",
): Promise<string | undefined> {
  const { status, headers } = response;
  const isRedirect = status >= 300 && status < 400;
  const mediaType = mediaTypeOf(headers);
  if (!isRedirect && !/^(text\/html|application\/xhtml\+xml)$/i.test(mediaType)) return undefined;
  const url = new URL(input instanceof Request ? input.url : input);
  const asked = `${method.toUpperCase()} ${url.pathname}`;
  if (isRedirect) {
    const to = URL.parse(headers.get("location") ?? "", url.href);
    // Nobody reads it, and an unread answer keeps its connection.
    bodyOf(response)?.destroy();
    const where = to === null ? "nowhere" : `${to.origin}${to.pathname}`;
    return `HTTP ${status}: it redirects ${asked} to ${where}, which is not followed because of the key`;
  }
  const page = await readAtMost(response.body, maxPageBytes, () => new Error("The page is too long.")).catch(
    () => "",
  );
  const title = titleOf(page.toString());
  const about = [mediaType, `HTTP ${status}`, ...(title === "" ? [] : [`title: ${title}`])].join(", ");
  return `it answers ${asked} with a web page: ${about}`;
}

function titleOf(page: string): string {
  const [, title = ""] = /<title[^<>]*>([^<]{1,200})/i.exec(page) ?? [];
  return title.replaceAll(/\s+/g, " ").trim();
}

/** Statuses that say more than the page that comes with them: a refused key, a limit. */
const telling: ReadonlySet<number> = new Set([401, 402, 408, 413, 429]);

/**
 * The error in place of a web page or a redirect. A page with a status of success is an outage, as one of a server error is: a gateway whose
 * model is down, or the login page of a network. A refusal (403) comes from a firewall and says nothing about the key.
 */
function described({ status, headers }: Response, message: string): Response {
  const kept = new Headers({ "content-type": "application/json" });
  for (const name of ["retry-after", "x-request-id", "request-id"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  const meant = status < 300 ? 502 : status >= 500 || telling.has(status) ? status : 404;
  return new Response(JSON.stringify({ error: { type: noApi, message } }), { status: meant, headers: kept });
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
