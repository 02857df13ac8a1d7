import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { toolsNow } from "../../../core/transcript/keep-transcript.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";
import type { ModelFacts } from "../../catalogue/model-facts.ts";
import { effortNow, nearestEffort } from "../../effort.ts";
import type { Body } from "../../post-json.ts";
import type { Endpoint } from "../../provider-error.ts";
import { type Dialect, factsOf, type ProviderModelOptions } from "../../provider-model.ts";
import { serverKindOf } from "../../server-kind.ts";
import { type OutputForm, objectSchema, outputName } from "../../structured-output.ts";
import { WireForms } from "../../wire-forms.ts";
import type { OpenAiServer } from "../client.ts";
import { callAddedTool } from "./added-tools.ts";
import { ChatReader } from "./chat-answer.ts";
import {
  type ChatForm,
  type ChatQuirks,
  chatConcessions,
  chatFormName,
  chatQuirks,
  firstChatForm,
} from "./chat-form.ts";
import { ChatMessages } from "./chat-messages.ts";

type ChatBody = Body<OpenAI.ChatCompletionCreateParams>;

/** Chat completions, https://platform.openai.com/docs/api-reference/chat, and the variants of other servers. */
export class ChatDialect implements Dialect<OpenAI.ChatCompletionChunk> {
  readonly #endpoint: Endpoint;
  readonly #facts: ModelFacts;
  /** The model whose reasoning is sent back with its messages. */
  readonly #self: { provider: string; model: string };
  readonly #quirks: ChatQuirks;
  readonly #messages: ChatMessages;
  readonly #forms: WireForms<ChatForm>;
  readonly #limit: number | undefined;

  constructor(options: ProviderModelOptions, { endpoint, postTo }: OpenAiServer) {
    const { model, provider = "openai", maxTokensField } = options;
    const server = serverKindOf(endpoint.host, options.server);
    const first = firstChatForm({ model, server, maxTokensField });
    this.#endpoint = endpoint;
    this.#facts = factsOf(options, endpoint);
    this.#self = { provider, model };
    this.#quirks = chatQuirks(model, server);
    this.#messages = new ChatMessages(this.#self, this.#quirks);
    this.#forms = new WireForms(postTo("/chat/completions"), first, chatConcessions, endpoint);
    this.#limit = options.maxOutputTokens ?? defaultLimit(this.#facts, server);
  }

  async send(
    request: ModelRequest,
    output: OutputForm,
    { stream, signal }: { stream: boolean; signal: AbortSignal },
  ) {
    const { form, answer } = await this.#forms.send(request, signal, (form) => {
      const stream_options = stream && form.usage ? { include_usage: true } : undefined;
      return { body: { ...this.#body(request, output, form), stream, stream_options } };
    });
    const tools = output.kind === "free" ? toolsNow(request, "keep") : [];
    const reader = new ChatReader({
      request,
      endpoint: this.#endpoint,
      owner: { ...this.#self, form: chatFormName(form) },
      textualTools: this.#quirks.plainText ? undefined : tools,
    });
    return { answer, reader };
  }

  #body(request: ModelRequest, output: OutputForm, form: ChatForm): ChatBody {
    return {
      model: this.#self.model,
      messages: this.#messages.ofRequest(request, form),
      ...this.#tools(request, output, form),
      ...limitPart(this.#limit, request, form),
      reasoning_effort: effortOf(this.#facts, request, form),
      prompt_cache_key: form.cacheKey ? request.cache?.key : undefined,
    };
  }

  #tools(request: ModelRequest, output: OutputForm, form: ChatForm): ChatBody {
    if (output.kind === "schema") {
      const json_schema = { name: outputName, schema: objectSchema(output.schema) };
      return { response_format: { type: "json_schema", json_schema } };
    }
    const tools = this.#messages.ofTools(listedTools(request, form), form);
    if (output.kind === "instructed" || tools.length === 0) return {};
    if (request.no_calls === true) return form.toolChoice ? { tools, tool_choice: "none" } : {};
    return { tools, parallel_tool_calls: form.calls === "single" ? false : undefined };
  }
}

function listedTools(request: ModelRequest, { additions }: ChatForm): readonly ToolDefinition[] {
  if (additions === "listed") return toolsNow(request, "keep");
  return request.tools.length === 0 ? [] : [...request.tools, callAddedTool];
}

/**
 * Unknown servers have their own limits. Groq counts the limit instead of the answer against a key's tokens per minute:
 * https://console.groq.com/docs/rate-limits.
 */
function defaultLimit(
  { output, window = Infinity }: ModelFacts,
  server: ProviderModelOptions["server"],
): number | undefined {
  return output === undefined || server === "groq" ? undefined : Math.min(output, 32_000, window / 2);
}

function limitPart(
  limit = Infinity,
  { max_output_tokens = Infinity }: ModelRequest,
  { limits: [name] }: ChatForm,
): { [name: string]: number } {
  const lower = Math.min(limit, max_output_tokens);
  return lower === Infinity || name === undefined ? {} : { [name]: lower };
}

function effortOf(facts: ModelFacts, request: ModelRequest, form: ChatForm): ChatBody["reasoning_effort"] {
  if (form.effort === "none" && toolsNow(request, "keep").length > 0) return "none";
  const wanted = form.effort === "unsaid" ? undefined : effortNow(request);
  // Compatible servers know at least these.
  const known = facts.efforts ?? (["none", "low", "medium", "high"] as const);
  return wanted === undefined ? undefined : nearestEffort(wanted, known);
}
