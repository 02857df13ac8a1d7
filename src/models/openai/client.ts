import type { OpenAI } from "openai";
import type { Endpoint } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { createServerFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** The address of OpenAI itself. */
export const openAiUrl = "https://api.openai.com/v1";

/** What is used of the SDK. */
export type OpenAiClient = Pick<OpenAI, "chat" | "responses" | "audio" | "images" | "embeddings" | "post">;

/**
 * Connects to a server of OpenAI's protocol; the SDK is loaded with the first call.
 * @throws ModelError `not_configured` when a server that needs a key, as OpenAI itself does, is asked without one
 */
export function createOpenAiClient(
  endpoint: Endpoint,
  baseURL: string,
  options: ProviderModelOptions,
): () => Promise<OpenAiClient> {
  let client: Promise<OpenAiClient> | undefined;
  return () => {
    client ??= connect(endpoint, baseURL, options);
    return client;
  };
}

async function connect(
  endpoint: Endpoint,
  baseURL: string,
  options: ProviderModelOptions,
): Promise<OpenAiClient> {
  requireKey(endpoint, options.needsKey ?? isOpenAiHost(endpoint.host), options);
  const { OpenAI: Client } = await import("openai/client");
  const maxMs = Math.max(options.timeoutMs, options.firstAnswerMs ?? 0);
  return new Client({
    // The SDK insists on a key; servers without keys ignore it.
    apiKey: endpoint.apiKey || "none",
    baseURL,
    organization: null,
    project: null,
    maxRetries: 0,
    // The silence watch ends a request; the SDK's own timer only must not be shorter.
    timeout: maxMs + 60_000,
    logLevel: "off",
    defaultHeaders: serverHeaders(options, endpoint),
    defaultQuery: { ...options.query },
    fetch: createServerFetch(maxMs),
  });
}

export function isOpenAiHost(host: string): boolean {
  return host === new URL(openAiUrl).host;
}
