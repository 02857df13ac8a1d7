import { errorCode } from "../base/error-text.ts";
import { isRecord } from "../base/record.ts";
import { ModelError, type ModelErrorCode } from "../core/model.ts";
import { redactKey } from "./redact-key.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Who was asked, for messages. */
export interface Endpoint {
  /** `provider/model`. */
  id: string;
  /** Host of the server, e.g. `api.openai.com`. */
  host: string;
  /** Where the operator set the key, e.g. `OPENAI_API_KEY`. */
  keyName: string;
  apiKey: string | undefined;
  /** Sent with every request; their values are secrets. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The endpoint of a provider's model; `usual` is what counts where the options say nothing. */
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

/** What an error body says in place of an API's: a page, or a redirect. `status` is the server's own. */
export interface NoApi {
  type: "web_page" | "redirect";
  status: number;
  /** `POST /v1/chat/completions` */
  asked: string;
  /** Title of the page, or where the redirect leads. */
  detail: string;
}

/** What the errors of both SDKs have in common; a failed connection has no status. */
interface SdkError extends Error {
  status: number | undefined;
  headers: Headers | undefined;
  error?: unknown;
}

/**
 * What went wrong with a request, as a `ModelError` without any part of a key. Undefined for anything but a failure of the
 * server or the way to it: that is a bug of ours.
 */
export function toModelError(error: unknown, endpoint: Endpoint): ModelError | undefined {
  if (error instanceof ModelError) return error;
  if (isSdkError(error)) return fromSdkError(error, endpoint);
  if (error instanceof SyntaxError) {
    return modelError("bad_response", endpoint, "sent something that is not JSON", undefined);
  }
  // A cut body surfaces as a bare TypeError "terminated" whose cause is undici's socket error.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return modelError("unavailable", endpoint, "closed the connection", causeText(error.cause, endpoint));
  }
  return undefined;
}

/** A `ModelError` that says who failed, how, and what to do next. */
export function modelError(
  code: ModelErrorCode,
  endpoint: Endpoint,
  what: string,
  detail: string | undefined,
  waitMs?: number,
): ModelError {
  const said = detail === undefined || detail === "" ? "" : ` (${detail})`;
  return new ModelError(code, `${endpoint.id}: ${endpoint.host} ${what}${said}. ${advice(code, endpoint)}`, {
    retryAfterMs: waitMs,
  });
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error && "status" in error && "headers" in error;
}

function fromSdkError(error: SdkError, endpoint: Endpoint): ModelError {
  const failure = noApiOf(error.error);
  if (failure !== undefined && !(error.status !== undefined && hasMeaning(failure.status))) {
    return noApiError(failure, endpoint);
  }
  const kinds = kindsOf(error.error);
  const text = shorten(redacted(messageOf(error), endpoint));
  const code = codeOf(error.status, kinds, text);
  const request = error.headers?.get("x-request-id") ?? error.headers?.get("request-id");
  const status = error.status === undefined ? [] : [`HTTP ${error.status}`];
  const cause = error.cause instanceof Error ? [causeText(error.cause, endpoint)] : [];
  const detail = [...status, text, ...cause, ...(request ? [`request ${request}`] : [])].filter(Boolean);
  const failed = code === "unavailable" && error.status !== undefined && error.status >= 500;
  return modelError(
    code,
    endpoint,
    failed ? "had an error" : whatHappened[code],
    detail.join(", "),
    retryAfterMs(error.headers, Date.now()),
  );
}

/** Whether the status of a page says more than the page: a refused key, a limit, a server in trouble. */
function hasMeaning(status: number): boolean {
  return status >= 500 || [401, 402, 403, 408, 413, 429].includes(status);
}

function noApiError({ type, status, asked, detail }: NoApi, endpoint: Endpoint): ModelError {
  const what =
    type === "web_page"
      ? `answers ${asked} with a web page: the address is wrong, or a proxy stands before it`
      : `leads ${asked} to ${detail}, where keys do not follow`;
  const title = type === "web_page" && detail !== "" ? [`title: ${detail}`] : [];
  const said = redacted([`HTTP ${status}`, ...title].join(", "), endpoint);
  const code = status < 300 ? "bad_response" : "not_configured";
  return modelError(code, endpoint, redacted(what, endpoint), shorten(said));
}

/** What stands in the place of an API's error. OpenAI's SDK hands over the inner object, Anthropic's the whole body. */
function noApiOf(body: unknown): NoApi | undefined {
  if (!isRecord(body)) return undefined;
  if (body.type !== "web_page" && body.type !== "redirect") return noApiOf(body.error);
  return "asked" in body ? (body as unknown as NoApi) : undefined;
}

const whatHappened: Record<ModelErrorCode, string> = {
  rate_limited: "limits the rate of requests",
  overloaded: "is overloaded",
  unavailable: "did not answer",
  unauthorized: "refused the key or the account",
  invalid_request: "refused the request",
  context_too_long: "refused the conversation as too long",
  bad_response: "sent an answer that cannot be read",
  not_configured: "does not know this model or address",
};

function advice(code: ModelErrorCode, endpoint: Endpoint): string {
  switch (code) {
    case "rate_limited":
    case "overloaded":
      return "Try again later, or add another model to the failover list.";
    case "unavailable":
      return `Try again later; if it stays so, whoever runs the bot should check that ${endpoint.host} is up and reachable.`;
    case "unauthorized":
      return `Check ${endpoint.keyName} and the account it belongs to.`;
    case "context_too_long":
      return "Start a new thread or send less text.";
    case "bad_response":
      return "Check the base URL of the provider.";
    case "not_configured":
      return "Check the name of the model and the base URL of the provider.";
    case "invalid_request":
      return "Check that the model supports what is asked of it.";
  }
}

const byKind: Record<string, ModelErrorCode> = {
  context_length_exceeded: "context_too_long",
  exceed_context_size_error: "context_too_long",
  request_too_large: "context_too_long",
  insufficient_quota: "unauthorized",
  billing_error: "unauthorized",
  authentication_error: "unauthorized",
  permission_error: "unauthorized",
  not_found_error: "not_configured",
  model_not_found: "not_configured",
  overloaded_error: "overloaded",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  // Groq: the model wrote a call that cannot be read; the next attempt may be better.
  tool_use_failed: "bad_response",
};

const byStatus: Record<number, ModelErrorCode> = {
  401: "unauthorized",
  402: "unauthorized",
  403: "unauthorized",
  404: "not_configured",
  408: "unavailable",
  409: "unavailable",
  413: "context_too_long",
  429: "rate_limited",
  529: "overloaded",
};

/** Anthropic and some compatible servers report a conversation that is too long in words alone. */
const tooLong = /prompt is too long|maximum context|context (?:length|window|size)/i;

function codeOf(status: number | undefined, kinds: readonly string[], text: string): ModelErrorCode {
  for (const kind of kinds) {
    const code = byKind[kind];
    if (code !== undefined) return code;
  }
  if (status === undefined || status >= 500) return byStatus[status ?? 0] ?? "unavailable";
  if (status === 400 && tooLong.test(text)) return "context_too_long";
  return byStatus[status] ?? "invalid_request";
}

/** `type` and `code` of an error body; OpenAI's SDK hands over the inner object, Anthropic's the whole body. */
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
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
