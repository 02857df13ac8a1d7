import type { Anthropic } from "@anthropic-ai/sdk";
import type { Endpoint } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { serverFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** Anthropic's own address. */
export const anthropicUrl = "https://api.anthropic.com";

/** The address without its version, which the SDK adds itself. People write it either way. */
export function anthropicAddress(baseUrl: string = anthropicUrl): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}

/** Loads the SDK; only the first time takes time. */
export const loadAnthropic = () => import("@anthropic-ai/sdk/client");

/** The client of a server of Anthropic's protocol. @throws ModelError `not_configured` if a required key is missing */
export async function createAnthropicClient(
  endpoint: Endpoint,
  baseURL: string,
  options: ProviderModelOptions,
): Promise<Anthropic> {
  requireKey(endpoint, options.needsKey ?? endpoint.host === new URL(anthropicUrl).host, options);
  const { Anthropic: Client } = await loadAnthropic();
  return new Client({
    apiKey: endpoint.apiKey || "none",
    authToken: null,
    baseURL,
    maxRetries: 0,
    // The silence watch ends requests; the SDK's own timer must be longer.
    timeout: Math.max(options.timeoutMs, options.firstAnswerMs ?? 0) + 60_000,
    logLevel: "off",
    openTelemetry: false,
    defaultHeaders: serverHeaders(options, endpoint),
    defaultQuery: { ...options.query },
    fetch: serverFetch,
  });
}
