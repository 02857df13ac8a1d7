import type { OpenAI } from "openai";
import { type Model, ModelError, type ModelRequest } from "../core/model.ts";
import { createOpenAiReader, wholeOpenAiAnswer } from "./openai-answer.ts";
import { createOpenAiMessages, type OpenAiMessages } from "./openai-messages.ts";
import { readChunks } from "./openai-stream.ts";
import type { Endpoint } from "./provider-error.ts";
import { createProviderModel, type Dialect, type ProviderModelOptions } from "./provider-model.ts";
import { type OutputForm, objectSchema, outputName } from "./structured-output.ts";

const openAiUrl = "https://api.openai.com/v1";

/**
 * A model behind OpenAI's chat completions API, or behind any server that speaks it (Ollama, vLLM, llama.cpp, …) when
 * `baseUrl` names one. Such a server needs no key. The SDK is loaded with the first request.
 */
export function createOpenAiModel(options: ProviderModelOptions): Model {
  const { provider = "openai", model, apiKey, baseUrl = openAiUrl, maxOutputTokens } = options;
  const endpoint: Endpoint = {
    id: `${provider}/${model}`,
    host: new URL(baseUrl).host,
    keyName: options.keyName ?? "OPENAI_API_KEY",
    apiKey,
  };
  const isOpenAi = endpoint.host === new URL(openAiUrl).host;
  // Older compatible servers know only the older name; OpenAI's reasoning models only the newer.
  const limitName = isOpenAi ? "max_completion_tokens" : "max_tokens";
  const limit = maxOutputTokens === undefined ? {} : { [limitName]: maxOutputTokens };
  const messages = createOpenAiMessages();
  let client: Promise<Sdk> | undefined;
  const connect = () => {
    client ??= createClient(endpoint, baseUrl, isOpenAi, options.timeoutMs);
    return client;
  };
  const body = (request: ModelRequest, form: OutputForm) => ({
    ...requestBody(model, messages, request, form),
    ...limit,
  });

  const dialect: Dialect<OpenAI.ChatCompletionChunk> = {
    async open(request, form, signal) {
      const { chat, APIError } = await connect();
      const streamed = {
        ...body(request, form),
        stream: true,
        stream_options: { include_usage: true },
      } as const;
      const response = await chat.completions.create(streamed, { signal }).asResponse();
      return readChunks(response, APIError);
    },
    async complete(request, form, signal) {
      const { chat } = await connect();
      const completion = await chat.completions.create({ ...body(request, form), stream: false }, { signal });
      return wholeOpenAiAnswer(completion, request, endpoint);
    },
    reader: (request) => createOpenAiReader(request, endpoint),
  };
  return createProviderModel(dialect, endpoint, options);
}

/** What is used of the SDK. */
type Sdk = Pick<OpenAI, "chat"> & Pick<typeof OpenAI, "APIError">;

async function createClient(
  endpoint: Endpoint,
  baseURL: string,
  isOpenAi: boolean,
  timeoutMs: number,
): Promise<Sdk> {
  if (isOpenAi && !endpoint.apiKey) {
    throw new ModelError("not_configured", `${endpoint.id}: no key is configured. Set ${endpoint.keyName}.`);
  }
  const { OpenAI: Client } = await import("openai/client");
  const { chat } = new Client({
    // The SDK insists on a key; servers without keys ignore it.
    apiKey: endpoint.apiKey || "none",
    baseURL,
    organization: null,
    project: null,
    maxRetries: 0,
    // The silence watch ends a request; the SDK's own timer only must not be shorter.
    timeout: timeoutMs + 60_000,
    logLevel: "off",
  });
  return { chat, APIError: Client.APIError };
}

function requestBody(model: string, messages: OpenAiMessages, request: ModelRequest, form: OutputForm) {
  const conversation = messages.ofRequest(request);
  if (form.kind === "schema") {
    const format = { name: outputName, schema: objectSchema(form.schema) };
    return {
      model,
      messages: conversation,
      response_format: { type: "json_schema", json_schema: format },
    } as const;
  }
  if (form.kind === "instructed" || request.tools.length === 0) return { model, messages: conversation };
  return { model, messages: conversation, tools: messages.ofTools(request.tools) };
}
