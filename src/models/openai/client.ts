import type { OpenAI } from "openai";
import { ModelError } from "../../core/model.ts";
import type { Endpoint } from "../provider-error.ts";
import { inOpenAiShape } from "./error-body.ts";

/** The address of OpenAI itself. */
export const openAiUrl = "https://api.openai.com/v1";

/** What is used of the SDK. */
export type OpenAiClient = Pick<OpenAI, "chat" | "responses">;

/**
 * Connects to a server of OpenAI's protocol; the SDK is loaded with the first call. A server other than OpenAI's needs no
 * key.
 * @throws ModelError `not_configured` when OpenAI itself is asked without a key
 */
export function createOpenAiClient(
  endpoint: Endpoint,
  baseURL: string,
  timeoutMs: number,
): () => Promise<OpenAiClient> {
  let client: Promise<OpenAiClient> | undefined;
  return () => {
    client ??= connect(endpoint, baseURL, timeoutMs);
    return client;
  };
}

async function connect(endpoint: Endpoint, baseURL: string, timeoutMs: number): Promise<OpenAiClient> {
  if (isOpenAiHost(endpoint.host) && !endpoint.apiKey) {
    throw new ModelError("not_configured", `${endpoint.id}: no key is configured. Set ${endpoint.keyName}.`);
  }
  const { OpenAI: Client } = await import("openai/client");
  return new Client({
    // The SDK insists on a key; servers without keys ignore it.
    apiKey: endpoint.apiKey || "none",
    baseURL,
    organization: null,
    project: null,
    maxRetries: 0,
    // The silence watch ends a request; the SDK's own timer only must not be shorter.
    timeout: timeoutMs + 60_000,
    logLevel: "off",
    fetch: async (...request) => unwrapped(await fetch(...request)),
  });
}

/** Reads errors of any server: the SDK would show nothing of most. */
async function unwrapped(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { status, headers } = response;
  return new Response(inOpenAiShape(await response.text()), { status, headers });
}

export function isOpenAiHost(host: string): boolean {
  return host === new URL(openAiUrl).host;
}
