import type { Anthropic } from "@anthropic-ai/sdk";
import { type Model, ModelError, type ModelRequest } from "../core/model.ts";
import { createAnthropicReader, wholeAnthropicAnswer } from "./anthropic-answer.ts";
import { type AnthropicMessages, createAnthropicMessages } from "./anthropic-messages.ts";
import type { Endpoint } from "./provider-error.ts";
import { createProviderModel, type Dialect, type ProviderModelOptions } from "./provider-model.ts";
import { type OutputForm, objectSchema, outputName } from "./structured-output.ts";

const anthropicUrl = "https://api.anthropic.com";

/** The API requires a limit; every current Claude model can write this many tokens. */
const defaultMaxOutputTokens = 16_000;

/** A model behind Anthropic's messages API. The SDK is loaded with the first request. */
export function createAnthropicModel(options: ProviderModelOptions): Model {
  const { provider = "anthropic", model, apiKey, maxOutputTokens = defaultMaxOutputTokens } = options;
  // The SDK adds /v1 itself; people give the base URL with and without it.
  const baseUrl = (options.baseUrl ?? anthropicUrl).replace(/\/v1\/?$/, "");
  const endpoint: Endpoint = {
    id: `${provider}/${model}`,
    host: new URL(baseUrl).host,
    keyName: options.keyName ?? "ANTHROPIC_API_KEY",
    apiKey,
  };
  const messages = createAnthropicMessages(provider);
  let client: Promise<Anthropic> | undefined;
  const connect = () => {
    client ??= createClient(endpoint, baseUrl, options.timeoutMs);
    return client;
  };
  const body = (request: ModelRequest, form: OutputForm) => ({
    model,
    max_tokens: maxOutputTokens,
    ...requestBody(messages, request, form),
  });

  const dialect: Dialect<Anthropic.RawMessageStreamEvent> = {
    async open(request, form, signal) {
      const api = await connect();
      return api.messages.create({ ...body(request, form), stream: true }, { signal });
    },
    async complete(request, form, signal) {
      const api = await connect();
      const message = await api.messages.create({ ...body(request, form), stream: false }, { signal });
      return wholeAnthropicAnswer(message, request, provider, endpoint);
    },
    reader: (request) => createAnthropicReader(request, provider, endpoint),
  };
  return createProviderModel(dialect, endpoint, options);
}

async function createClient(endpoint: Endpoint, baseURL: string, timeoutMs: number): Promise<Anthropic> {
  if (endpoint.host === new URL(anthropicUrl).host && !endpoint.apiKey) {
    throw new ModelError("not_configured", `${endpoint.id}: no key is configured. Set ${endpoint.keyName}.`);
  }
  const { Anthropic: Client } = await import("@anthropic-ai/sdk/client");
  return new Client({
    apiKey: endpoint.apiKey || "none",
    authToken: null,
    baseURL,
    maxRetries: 0,
    // The silence watch ends a request; the SDK's own timer only must not be shorter.
    timeout: timeoutMs + 60_000,
    logLevel: "off",
    openTelemetry: false,
  });
}

/** A schema is asked for as a tool that must be called: every Claude model knows tools, and any JSON Schema is accepted. */
function requestBody(messages: AnthropicMessages, request: ModelRequest, form: OutputForm) {
  const tools = messages.ofTools(request.tools);
  const common = {
    messages: messages.ofConversation(request.messages),
    ...messages.ofSystem(request.system),
  };
  if (form.kind === "schema") {
    const input_schema = objectSchema(form.schema) as Anthropic.Tool["input_schema"];
    const answer = { name: outputName, description: "Gives the answer.", input_schema };
    const tool_choice = { type: "tool", name: outputName, disable_parallel_tool_use: true } as const;
    return { ...common, tools: [...tools, answer], tool_choice };
  }
  if (tools.length === 0) return common;
  // A conversation with tool calls in it is refused without the tools.
  if (form.kind === "instructed") return { ...common, tools, tool_choice: { type: "none" } as const };
  return { ...common, tools };
}
