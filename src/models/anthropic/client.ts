import { once } from "../../base/made-once.ts";
import { postTo } from "../post-json.ts";
import { endpointOf } from "../provider-error.ts";
import type { CalledModel } from "../provider-model.ts";
import { serverFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** Anthropic's own address. */
const anthropicUrl = "https://api.anthropic.com";

/** The address without its version, which the SDK adds itself. People write it either way. */
export function anthropicAddress(baseUrl: string = anthropicUrl): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}

/** Loads the SDK; only the first time takes time. */
export const loadAnthropic = () => import("@anthropic-ai/sdk/client");

/** A server of Anthropic's protocol; Anthropic's own by default. */
export function anthropicServer(options: CalledModel) {
  const baseURL = anthropicAddress(options.baseUrl);
  const usual = { provider: "anthropic", baseUrl: baseURL, keyName: "ANTHROPIC_API_KEY" };
  const endpoint = endpointOf(options, usual);
  const isOwn = endpoint.host === new URL(anthropicUrl).host;
  /** The SDK. @throws ModelError `not_configured` if a required key is missing */
  const connect = once(async () => {
    requireKey(endpoint, options.needsKey ?? isOwn, options);
    const { Anthropic: errors } = await loadAnthropic();
    const client = new errors({
      apiKey: endpoint.apiKey || "none",
      authToken: null,
      baseURL,
      maxRetries: 0,
      // The silence watch ends requests; the SDK names its own limit to the server.
      timeout: Math.max(options.timeoutMs, options.firstAnswerMs ?? 0) + 60_000,
      logLevel: "off",
      openTelemetry: false,
      defaultHeaders: serverHeaders(options, endpoint),
      defaultQuery: { ...options.query },
      fetch: serverFetch,
    });
    return { client, errors };
  });
  return { endpoint, isOwn, connect, post: postTo(connect, "/v1/messages") };
}
