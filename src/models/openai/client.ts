import type { OpenAI } from "openai";
import { once } from "../../base/made-once.ts";
import type { ModelError } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { type ModelSettings, NamedModel } from "../named-model.ts";
import { postTo } from "../post-json.ts";
import { type Endpoint, endpointOf, toModelError } from "../provider-error.ts";
import type { CalledModel } from "../provider-model.ts";
import { serverFetch } from "../server-fetch.ts";
import { requireKey, serverHeaders } from "../sign-requests.ts";

/** The address of OpenAI itself. */
export const openAiUrl = "https://api.openai.com/v1";

/** A server that speaks one of OpenAI's APIs. */
export type OpenAiServer = ReturnType<typeof openAiServer>;

/** The server of these options; OpenAI's own by default. */
export function openAiServer(options: CalledModel) {
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

/** How often, and after which delays, a service is asked. */
interface Attempts {
  clock: Pick<Clock, "sleep">;
  /** Maximum time of one attempt, ms. */
  maxMs: number;
  /** Attempts in all. */
  attempts: number;
  /** Delay before the next attempt, ms; undefined where there is none. */
  delayAfter(failure: ModelError | undefined): number | undefined;
}

/** A service of OpenAI's protocol besides the models for conversations: one model at one server. */
export class OpenAiService {
  readonly named: NamedModel;
  readonly endpoint: Endpoint;
  readonly #client: () => Promise<OpenAI>;
  readonly #attempts: Attempts;

  /** @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider */
  constructor(name: string, settings: Pick<ModelSettings, "providers" | "prices">, attempts: Attempts) {
    this.named = new NamedModel(name, settings);
    const { provider, model, server } = this.named;
    const { endpoint, client } = openAiServer({ ...server, provider, model, timeoutMs: attempts.maxMs });
    this.endpoint = endpoint;
    this.#client = client;
    this.#attempts = attempts;
  }

  /** Asks until an attempt succeeds. @throws the error of the last attempt, or the signal's reason */
  async ask<Answer>(signal: AbortSignal, attempt: (api: OpenAI) => Promise<Answer>): Promise<Answer> {
    const { attempts, delayAfter, clock } = this.#attempts;
    for (let made = 1; ; made += 1) {
      try {
        return await attempt(await this.#client());
      } catch (error) {
        const isOver = made === attempts || signal.aborted;
        const delay = isOver ? undefined : delayAfter(toModelError(error, this.endpoint));
        if (delay === undefined) throw error;
        await clock.sleep(delay, signal);
      }
    }
  }
}
