import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { toolsNow } from "../../../core/transcript/keep-transcript.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";
import type { ModelFacts } from "../../catalogue/model-facts.ts";
import { effortNow, nearestEffort } from "../../effort.ts";
import { readChunks } from "../../event-stream.ts";
import type { Body } from "../../post-json.ts";
import { type Dialect, factsOf, type ProviderModelOptions } from "../../provider-model.ts";
import { serverKindOf } from "../../server-kind.ts";
import { type OutputForm, objectSchema, outputName } from "../../structured-output.ts";
import type { OpenAiServer } from "../client.ts";
import { createWireForms } from "../wire-forms.ts";
import { callAddedTool } from "./added-tools.ts";
import { createChatReader, wholeChatAnswer } from "./chat-answer.ts";
import { type ChatForm, chatConcessions, chatFormName, chatQuirks, firstChatForm } from "./chat-form.ts";
import { createChatMessages } from "./chat-messages.ts";

type ChatBody = Body<OpenAI.ChatCompletionCreateParams>;

/** Chat completions, https://platform.openai.com/docs/api-reference/chat, and the variants of other servers. */
export function createChatDialect(
  options: ProviderModelOptions,
  { endpoint, postTo }: OpenAiServer,
): Dialect<OpenAI.ChatCompletionChunk> {
  const { model, provider = "openai", maxTokensField } = options;
  const post = postTo("/chat/completions");
  const facts = factsOf(options, endpoint);
  const server = serverKindOf(endpoint.host, options.server);
  const self = { provider, model };
  const quirks = chatQuirks(model, server);
  const messages = createChatMessages(self, quirks);
  const asTaken = createWireForms(
    firstChatForm({ model, server, maxTokensField }),
    chatConcessions,
    endpoint,
  );
  const limit = options.maxOutputTokens ?? defaultLimit(facts, server);

  const bodyOf =
    (request: ModelRequest, output: OutputForm) =>
    (form: ChatForm): ChatBody => ({
      model,
      messages: messages.ofRequest(request, form),
      ...toolsPart(request, form, output),
      ...limitPart(limit, request, form),
      reasoning_effort: effortOf(facts, request, form),
      prompt_cache_key: form.cacheKey ? request.cache?.key : undefined,
    });
  const toolsPart = (request: ModelRequest, form: ChatForm, output: OutputForm): ChatBody => {
    if (output.kind === "schema") {
      const json_schema = { name: outputName, schema: objectSchema(output.schema) };
      return { response_format: { type: "json_schema", json_schema } };
    }
    const tools = messages.ofTools(listedTools(request, form), form);
    if (output.kind === "instructed" || tools.length === 0) return {};
    if (request.no_calls === true) return form.toolChoice ? { tools, tool_choice: "none" } : {};
    return { tools, parallel_tool_calls: form.calls === "single" ? false : undefined };
  };
  const exchange = (request: ModelRequest, form: ChatForm, output: OutputForm) => {
    const tools = output.kind === "free" ? toolsNow(request, "keep") : [];
    return {
      request,
      endpoint,
      owner: { ...self, form: chatFormName(form) },
      textualTools: quirks.plainText ? undefined : tools,
    };
  };

  return {
    async open(request, output, signal) {
      const { form, answer } = await asTaken(request, bodyOf(request, output), (body, attempted) => {
        const stream_options = attempted.usage ? { include_usage: true } : undefined;
        return post({ ...body, stream: true, stream_options }, signal);
      });
      const reads = readChunks<OpenAI.ChatCompletionChunk>(answer);
      return { reads, reader: createChatReader(exchange(request, form, output)) };
    },
    async complete(request, output, signal) {
      const { form, answer } = await asTaken(request, bodyOf(request, output), (body) =>
        post({ ...body, stream: false }, signal),
      );
      const whole = (await answer.json()) as OpenAI.ChatCompletion;
      return wholeChatAnswer(whole, exchange(request, form, output));
    },
  };
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
