import type { OpenAI } from "openai";
import { once } from "../../base/made-once.ts";
import { postTo } from "../post-json.ts";
import { endpointOf } from "../provider-error.ts";
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
