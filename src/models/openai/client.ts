import type { OpenAI } from "openai";
import { once } from "../../base/made-once.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { postTo } from "../post-json.ts";
import { endpointOf } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { serverFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** The address of OpenAI itself. */
export const openAiUrl = "https://api.openai.com/v1";

/** A server that speaks one of OpenAI's APIs. */
export type OpenAiServer = ReturnType<typeof openAiServer>;

/** The server of these options; OpenAI's own by default. */
export function openAiServer(options: ProviderModelOptions) {
  const { baseUrl: baseURL = openAiUrl } = options;
  const usual = { provider: "openai", baseUrl: baseURL, keyName: "OPENAI_API_KEY" };
  const endpoint = endpointOf(options, usual);
  const isOwn = endpoint.host === new URL(openAiUrl).host;
  const connect = once(async () => {
    requireKey(endpoint, options.needsKey ?? isOwn, options);
    const { OpenAI: errors } = await loadOpenAi();
    const client = new errors({
      // The SDK insists on a key; servers without keys ignore it.
      apiKey: endpoint.apiKey || "none",
      baseURL,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: "off",
      defaultHeaders: serverHeaders(options, endpoint),
      defaultQuery: { ...options.query },
      fetch: serverFetch,
    });
    return { client, errors };
  });
  /**
   * The SDK, which is loaded with the first call.
   * @throws ModelError `not_configured` when a server that needs a key, as OpenAI itself does, has none
   */
  const client = async (): Promise<OpenAI> => (await connect()).client;
  return { endpoint, isOwn, client, postTo: (path: string) => postTo(connect, path) };
}

/** Loads the SDK; only the first time takes time. */
export const loadOpenAi = () => import("openai/client");

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
