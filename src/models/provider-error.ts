import { errorCode } from "../base/error-text.ts";
import { beginningOf } from "../base/markdown-text.ts";
import { isRecord } from "../base/record.ts";
import { ModelError, type ModelErrorCode, mayHelp } from "../core/ports/model.ts";
import { NotJson, noApi } from "./reported-failure.ts";

/** The recipient of a request, for messages. */
export interface Endpoint {
  /** `provider/model`. */
  id: string;
  /** Host of the server, e.g. `api.openai.com`. */
  host: string;
  /** Where the operator sets the key, e.g. `OPENAI_API_KEY`. */
  keyName: string;
  apiKey: string | undefined;
  /** Sent with every request. The values are secrets. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The endpoint of a provider's model; `usual` holds the defaults. */
export function endpointOf(
  options: {
    provider?: string | undefined;
    model: string;
    keyName?: string | undefined;
    apiKey?: string | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
  },
  usual: { provider: string; baseUrl: string; keyName: string },
): Endpoint {
  return {
    id: `${options.provider ?? usual.provider}/${options.model}`,
    host: new URL(usual.baseUrl).host,
    keyName: options.keyName ?? usual.keyName,
    apiKey: options.apiKey,
    headers: options.headers,
  };
}

/** The common fields of both SDKs' errors. A failed connection has no status. */
interface SdkError extends Error {
  status: number | undefined;
  headers: Headers | undefined;
  error?: unknown;
}

/**
 * The failure of a request as a `ModelError`, without any part of a key. Undefined for an error that is not a failure of the server or
 * the network: that is a bug.
 */
export function toModelError(error: unknown, endpoint: Endpoint): ModelError | undefined {
  if (error instanceof ModelError) return error;
  if (isSdkError(error)) return fromSdkError(error, endpoint);
  if (error instanceof SyntaxError) return notJsonError(error, endpoint);
  // A connection that breaks within an answer is a TypeError whose cause is the error of the socket.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return modelError("unavailable", endpoint, "closed the connection", causeText(error.cause, endpoint));
  }
  return undefined;
}

/** Details of a failure. */
interface FailureDetails {
  retryAfterMs?: number | undefined;
  /** What to do next; the usual advice for the code by default. */
  next?: string | undefined;
  /** As in `ModelError`. */
  seen?: string | undefined;
}

/** A `ModelError` that names the endpoint, the failure, and what to do next. */
export function modelError(
  code: ModelErrorCode,
  endpoint: Endpoint,
  what: string,
  detail: string | undefined,
  { next = advice[code](endpoint), ...more }: FailureDetails = {},
): ModelError {
  const shown = detail === undefined || detail === "" ? "" : ` (${detail})`;
  return new ModelError(code, `${endpoint.id}: ${endpoint.host} ${what}${shown}. ${next}`, more);
}

/**
 * The error for an unexpected answer. An answer that is not JSON did not come from the API, which is an outage.
 * @param name the expected answer, with its article
 * @param got the answer; `{}` for JSON that was not kept
 */
export function notAnAnswer(endpoint: Endpoint, name: string, got: unknown): ModelError {
  if (typeof got !== "object" || got === null) return notJsonError(undefined, endpoint);
  const fields = Object.keys(got).slice(0, 5).join(", ");
  const detail = fields === "" ? undefined : shorten(redacted(`JSON with ${fields}`, endpoint));
  return modelError("bad_response", endpoint, `sent something that is not ${name}`, detail);
}

/** The answer did not come from the API, but from a server in front of it or at another address. */
function notJsonError(error: SyntaxError | undefined, endpoint: Endpoint): ModelError {
  const { status, mediaType } = error instanceof NotJson ? error : { status: undefined, mediaType: "" };
  const kind = status === undefined ? "" : `HTTP ${status}, ${mediaType || "no content type"}`;
  return modelError("unavailable", endpoint, "sent something that is not JSON", kind, {
    next: checkFront(endpoint),
    seen: ["it sent something other than an answer", kind].filter(Boolean).join(": "),
  });
}

function checkFront({ host }: Endpoint): string {
  return `Try again later. If it persists, an operator should check the proxies and gateways in front of ${host}, and the base URL of the provider.`;
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error && "status" in error && "headers" in error;
}

function fromSdkError(error: SdkError, endpoint: Endpoint): ModelError {
  const kinds = kindsOf(error.error);
  const text = shorten(redacted(messageOf(error), endpoint));
  const code = codeOf(error.status, kinds);
  const request = error.headers?.get("x-request-id") ?? error.headers?.get("request-id");
  // Its text has the status that the server sent.
  const isNoApi = kinds.includes(noApi);
  const status = error.status === undefined || isNoApi ? [] : [`HTTP ${error.status}`];
  const cause = error.cause instanceof Error ? [causeText(error.cause, endpoint)] : [];
  const detail = [...status, text, ...cause, ...(request ? [`request ${request}`] : [])].filter(Boolean);
  const isAway = code === "unavailable";
  const what = isAway && (error.status ?? 0) >= 500 ? "had an error" : whatHappened[code];
  return modelError(code, endpoint, what, detail.join(", "), {
    retryAfterMs: retryAfterMs(error.headers, Date.now()),
    next: isNoApi && isAway ? checkFront(endpoint) : undefined,
    seen: isNoApi && isAway ? "it sent a web page instead of an answer" : undefined,
  });
}

const whatHappened: Record<ModelErrorCode, string> = {
  rate_limited: "limits the rate of requests",
  overloaded: "is overloaded",
  unavailable: "did not answer",
  unauthorized: "refused the key or the account",
  invalid_request: "refused the request",
  declined: "declined to answer",
  cut_off: "ended before it answered",
  context_too_long: "refused the conversation as too long",
  bad_response: "sent an answer that cannot be read",
  not_configured: "does not know this model or address",
};

const tryLater = "Try again later, or add another model to the failover list.";

const advice: Readonly<Record<ModelErrorCode, (endpoint: Endpoint) => string>> = {
  rate_limited: () => tryLater,
  overloaded: () => tryLater,
  unavailable: ({ host }) =>
    `Try again later. If it persists, an operator should check that ${host} is up and reachable.`,
  unauthorized: ({ keyName }) => `Check ${keyName} and the account it belongs to.`,
  context_too_long: () => "Start a new thread or send less text.",
  bad_response: () => "Check the base URL of the provider.",
  not_configured: () => "Check the name of the model and the base URL of the provider.",
  invalid_request: ({ keyName }) =>
    `Check the account of ${keyName}, and that the model supports what is asked of it.`,
  declined: () => "Ask in other words.",
  cut_off: () => "Raise the limit or ask for less.",
};

const byKind: Record<string, ModelErrorCode> = {
  context_length_exceeded: "context_too_long",
  exceed_context_size_error: "context_too_long",
  request_too_large: "context_too_long",
  content_policy_violation: "declined",
  content_filter: "declined",
  insufficient_quota: "unauthorized",
  billing_error: "unauthorized",
  authentication_error: "unauthorized",
  permission_error: "unauthorized",
  not_found_error: "not_configured",
  model_not_found: "not_configured",
  overloaded_error: "overloaded",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  // Groq: the model wrote an unreadable call; the next attempt may succeed.
  tool_use_failed: "bad_response",
};

const byStatus: Record<number, ModelErrorCode> = {
  401: "unauthorized",
  402: "unauthorized",
  403: "unauthorized",
  404: "not_configured",
  // A proxy before the server requires an account.
  407: "unavailable",
  408: "unavailable",
  409: "unavailable",
  413: "context_too_long",
  429: "rate_limited",
  529: "overloaded",
};

/** By code alone: every server words its refusals differently, and `withFitting` shortens what was too long without a code. */
function codeOf(status: number | undefined, kinds: readonly string[]): ModelErrorCode {
  for (const kind of kinds) {
    const code = byKind[kind];
    if (code !== undefined) return code;
  }
  if (status === undefined || status >= 500) return byStatus[status ?? 0] ?? "unavailable";
  return byStatus[status] ?? "invalid_request";
}

/** `type` and `code` of an error body. OpenAI's SDK passes on the inner object, Anthropic's the whole body. */
function kindsOf(body: unknown): string[] {
  if (!isRecord(body)) return [];
  return [body.code, body.type].filter((kind) => typeof kind === "string").concat(kindsOf(body.error));
}

function messageOf(error: SdkError): string {
  const body = error.error;
  if (isRecord(body)) {
    const inner = isRecord(body.error) ? body.error.message : body.message;
    if (typeof inner === "string") return inner;
  }
  return error.status === undefined ? error.message : "";
}

function causeText(cause: Error, endpoint: Endpoint): string {
  const root = cause.cause instanceof Error ? cause.cause : cause;
  const code = errorCode(root) ?? root.message;
  return shorten(redacted(code, endpoint));
}

function redacted(text: string, { apiKey, headers = {} }: Endpoint): string {
  return redactKey(text, apiKey, ...Object.values(headers));
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > 300 ? `${beginningOf(line, 300)}…` : line;
}

/**
 * Parts of keys as servers echo them: `sk-proj-****abcd`, `Bearer eyJ…`, `Incorrect API key provided: my-ke**key.`
 * (the last is OpenAI's wording, which repeats the beginning and the end of any key).
 */
const echoes = [
  /(?<=api[ _-]?key[^:\n]{0,40}:\s{0,20})\S+/gi,
  /(?<=\bbearer\s{1,20})\S+/gi,
  /\b(?:sk|rk|pk|gsk|xai|key)-[\w.*-]{4,}/g,
  /\b(?:gsk_|tgp_v1_|AIza)[\w.*-]{4,}/g,
  /(?<![\w.-])[\w.-]*\*{3,}[\w.*-]*/g,
];

/** Minimum length of a secret that is redacted wherever it occurs: a shorter one, such as `ollama`, is a word of ordinary text. */
const minSecret = 8;

/** A server's text without the key or parts of it, and without the other secrets. */
export function redactKey(text: string, key: string | undefined, ...further: readonly string[]): string {
  const whole = [key ?? "", ...further]
    .filter(({ length }) => length >= minSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((current, secret) => current.replaceAll(secret, "[key]"), text);
  return echoes.reduce((current, echo) => current.replace(echo, "[key]"), whole);
}

/**
 * The delay that a server asks for, ms: `retry-after-ms` (both providers), else `retry-after` in seconds or as an HTTP date (RFC 9110
 * section 10.2.3). Undefined if it is absent or unreadable.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  if (headers === undefined) return undefined;
  const milliseconds = positive(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get("retry-after");
  const seconds = positive(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse accepts almost anything as a date, even "-1".
  const date = text !== null && /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * The delay before another attempt of a request that cannot wait for long, ms: `usual` where the server does not name one. Undefined
 * where another attempt is of no use, or would have to wait for more than `max`.
 */
export function delayUpTo({ usual, max }: { usual: number; max: number }) {
  return (failure: ModelError | undefined): number | undefined => {
    const delay = mayHelp("later", failure) ? (failure.retryAfterMs ?? usual) : undefined;
    return delay !== undefined && delay > max ? undefined : delay;
  };
}
