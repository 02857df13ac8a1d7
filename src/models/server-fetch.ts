import { parsedJson } from "../base/json-reader.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { isRecord } from "../base/record.ts";
import { noApi } from "./reported-failure.ts";
import { type ServerAnswer, sendRequest, type Target, targetOf } from "./send-request.ts";

/** Maximum bytes of a web page in place of an API's answer. Only its title is read. */
const maxPageBytes = 1_000_000;

/** A failure in OpenAI's format. */
interface Failure {
  status: number;
  headers: Headers;
  /** JSON, unless the server sent something else. */
  text: string;
}

/**
 * A fetch for the SDKs that interprets answers that do not come from an API: web pages of proxies and wrong addresses, redirects (which
 * would forward keys), and failures in formats that the SDKs do not read.
 */
export const serverFetch: typeof fetch = async (input, init = {}) => {
  const { method = "GET", signal } = init;
  const { bytes, type } = await contentOf(init.body);
  const headers = new Headers(init.headers);
  if (type && !headers.has("content-type")) headers.set("content-type", type);
  const target = targetOf(input instanceof Request ? input.url : input, method.toUpperCase(), headers);
  const answer = await sendRequest(target, bytes, signal);
  const failure = await whyFailed(answer, target);
  return failure === undefined ? answer.response() : new Response(failure.text, failure);
};

/** What is sent: text, or bytes with the type that they have by themselves. */
interface Content {
  bytes?: string | Uint8Array;
  type?: string | null;
}

/** Forms, as of uploads, are encoded whole: they have at most some 25 MB. */
async function contentOf(body: RequestInit["body"]): Promise<Content> {
  if (body === undefined || body === null) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { bytes: body };
  const encoded = new Response(body);
  return { bytes: await encoded.bytes(), type: encoded.headers.get("content-type") };
}

/** The failure that an answer is; undefined for one of an API that succeeded. */
export async function whyFailed(answer: ServerAnswer, target: Target): Promise<Failure | undefined> {
  const why = await whyNoApi(answer, target);
  if (why !== undefined) return described(answer, why);
  const { status } = answer;
  if (status >= 200 && status < 300) return undefined;
  return { status, headers: answer.headers, text: inOpenAiShape(await answer.text()) };
}

/** What an answer is that cannot be one of an API; undefined for one that may be. */
async function whyNoApi(answer: ServerAnswer, { url, method }: Target): Promise<string | undefined> {
  const { status, mediaType } = answer;
  const isRedirect = status >= 300 && status < 400;
  if (!isRedirect && !/^(text\/html|application\/xhtml\+xml)$/i.test(mediaType)) return undefined;
  const asked = `${method} ${url.pathname}`;
  if (isRedirect) {
    const to = URL.parse(answer.headers.get("location") ?? "", url.href);
    // Nobody reads it, and an unread answer keeps its connection.
    await answer.return();
    const where = to === null ? "nowhere" : `${to.origin}${to.pathname}`;
    return `HTTP ${status}: it redirects ${asked} to ${where}, which is not followed because of the key`;
  }
  const page = await readAtMost(answer, maxPageBytes, () => new Error("The page is too long.")).catch(
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
function described({ status, headers }: ServerAnswer, message: string): Failure {
  const kept = new Headers({ "content-type": "application/json" });
  for (const name of ["retry-after", "x-request-id", "request-id"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  const meant = status < 300 ? 502 : status >= 500 || telling.has(status) ? status : 404;
  return { status: meant, headers: kept, text: JSON.stringify({ error: { type: noApi, message } }) };
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
