import { parsedJson } from "../base/json-reader.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { isRecord } from "../base/record.ts";
import { ModelError } from "../core/ports/model.ts";
import { anthropicAddress } from "./anthropic/client.ts";
import type { ProviderSettings } from "./named-model.ts";
import { openAiUrl } from "./openai/client.ts";
import { type Endpoint, modelError, toModelError } from "./provider-error.ts";
import { ReportedFailure } from "./reported-failure.ts";
import { serverFetch } from "./server-fetch.ts";
import { requireKey, serverHeaders } from "./sign-requests.ts";

/** A model that a server offers, as the server describes it. */
export interface ListedModel {
  /** Its name at the provider. */
  name: string;
  /** Maximum tokens of a request. */
  window?: number | undefined;
}

/** Maximum bytes of a list. The largest known, OpenRouter's, has about 1 MB. */
const maxBytes = 20_000_000;
/** Maximum pages of 1,000 models. */
const maxPages = 20;

/**
 * The models of a provider, sorted by name.
 * @param provider its name, for messages
 * @throws ModelError with the reason of a failure; the signal's reason on abort
 */
export async function listModels(
  provider: string,
  server: ProviderSettings,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const isAnthropic = server.kind === "anthropic";
  const base = isAnthropic ? `${anthropicAddress(server.baseUrl)}/v1` : (server.baseUrl ?? openAiUrl);
  const url = new URL(`${base.replace(/(?<!\/)\/+$/, "")}/models`);
  for (const [name, value] of Object.entries(server.query ?? {})) url.searchParams.set(name, value);
  const endpoint: Endpoint = {
    id: provider,
    host: url.host,
    keyName: server.keyName ?? "the key",
    apiKey: server.apiKey,
    headers: server.headers,
  };
  requireKey(endpoint, server.needsKey ?? false, server);
  const models = new Map<string, ListedModel>();
  if (isAnthropic) url.searchParams.set("limit", "1000");
  for (let page = 0; page < maxPages; page++) {
    const body = await readJson(url, server, endpoint, signal);
    for (const model of modelsIn(body)) models.set(model.name, model);
    const next = isAnthropic ? nextPage(body) : undefined;
    if (next === undefined) break;
    url.searchParams.set("after_id", next);
  }
  return [...models.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function readJson(
  url: URL,
  server: ProviderSettings,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<unknown> {
  const { apiKey } = server;
  const signed = {
    authorization: apiKey ? `Bearer ${apiKey}` : null,
    ...serverHeaders(server, endpoint),
  };
  const headers = Object.entries(signed).filter((entry): entry is [string, string] => entry[1] !== null);
  if (server.kind === "anthropic") headers.push(["anthropic-version", "2023-06-01"]);
  try {
    const response = await serverFetch(url, { headers, signal });
    const tooLarge = () =>
      modelError("bad_response", endpoint, `sent more than ${maxBytes / 1_000_000} MB`, undefined);
    const text = Buffer.from(await readAtMost(response.body, maxBytes, tooLarge)).toString();
    if (response.ok) return JSON.parse(text);
    throw new ReportedFailure(parsedJson(text) ?? text, response);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // Node's fetch rejects with a TypeError when there is no connection.
    const failed = error instanceof TypeError ? Object.assign(error, noResponse) : error;
    throw toModelError(failed, endpoint) ?? error;
  }
}

const noResponse = { message: "", status: undefined, headers: undefined };

/** OpenAI and most others answer `{data}`, Together a bare array. Gemini's names have an optional prefix `models/`. */
function modelsIn(body: unknown): ListedModel[] {
  const list = Array.isArray(body) ? body : isRecord(body) ? body.data : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.id !== "string" || entry.id === "") return [];
    const window = windowFields.map((field) => entry[field]).find((value) => typeof value === "number");
    const name = entry.id.replace(/^models\//, "");
    return [{ name, window: typeof window === "number" && window > 0 ? window : undefined }];
  });
}

/** OpenRouter and Together, Groq, Mistral, vLLM, Anthropic. */
const windowFields = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_model_len",
  "max_input_tokens",
];

function nextPage(body: unknown): string | undefined {
  return isRecord(body) && body.has_more === true && typeof body.last_id === "string"
    ? body.last_id
    : undefined;
}

/** Why a listing failed, for a person. */
export function listingFailure(error: unknown, limitMs: number): string {
  if (error instanceof ModelError) return error.message;
  if (error instanceof DOMException) return `no answer in ${limitMs / 1000} s`;
  return String(error);
}
