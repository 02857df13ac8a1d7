import type { OpenAI } from "openai";
import type { Clock } from "../../core/ports/storage.ts";
import { postTo } from "../post-json.ts";
import { type Endpoint, endpointOf } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { serverFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** The address of OpenAI itself. */
export const openAiUrl = "https://api.openai.com/v1";

/** The parts of the SDK that are used. */
export type OpenAiClient = Pick<
  OpenAI,
  "responses" | "audio" | "images" | "embeddings" | "post" | "buildRequest"
>;

/** A server that speaks one of OpenAI's APIs. */
export type OpenAiServer = ReturnType<typeof openAiServer>;

/** The server of these options; OpenAI's own by default. */
export function openAiServer(options: ProviderModelOptions) {
  const { baseUrl = openAiUrl } = options;
  const endpoint = endpointOf(options, { provider: "openai", baseUrl, keyName: "OPENAI_API_KEY" });
  let connected: Promise<OpenAiClient> | undefined;
  /**
   * The SDK, which is loaded with the first call.
   * @throws ModelError `not_configured` when a server that needs a key, as OpenAI itself does, has none
   */
  const client = () => {
    connected ??= connect(endpoint, baseUrl, options);
    return connected;
  };
  const sdk = async () => ({ client: await client(), errors: (await loadOpenAi()).OpenAI });
  return { endpoint, client, postTo: (path: string) => postTo(sdk, path) };
}

/** Loads the SDK; only the first time takes time. */
export const loadOpenAi = () => import("openai/client");

async function connect(
  endpoint: Endpoint,
  baseURL: string,
  options: ProviderModelOptions,
): Promise<OpenAiClient> {
  requireKey(endpoint, options.needsKey ?? isOpenAiHost(endpoint.host), options);
  const { OpenAI: Client } = await loadOpenAi();
  return new Client({
    // The SDK insists on a key; servers without keys ignore it.
    apiKey: endpoint.apiKey || "none",
    baseURL,
    organization: null,
    project: null,
    maxRetries: 0,
    // The silence watch ends requests; the SDK's own timer must be longer.
    timeout: Math.max(options.timeoutMs, options.firstAnswerMs ?? 0) + 60_000,
    logLevel: "off",
    defaultHeaders: serverHeaders(options, endpoint),
    defaultQuery: { ...options.query },
    fetch: serverFetch,
  });
}

export function isOpenAiHost(host: string): boolean {
  return host === new URL(openAiUrl).host;
}

/** Limits and clock of repeated attempts. */
interface Retries {
  /** Attempts in all. */
  attempts: number;
  /** Delay before the next attempt, ms; undefined where there is none. */
  delayAfter(error: unknown): number | undefined;
  clock: Pick<Clock, "sleep">;
  signal: AbortSignal;
}

/** Makes attempts until one succeeds. @throws the error of the last attempt, or the signal's reason */
export async function withRetries<Answer>(
  { attempts, delayAfter, clock, signal }: Retries,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delay = made === attempts || signal.aborted ? undefined : delayAfter(error);
      if (delay === undefined) throw error;
      await clock.sleep(delay, signal);
    }
  }
}
