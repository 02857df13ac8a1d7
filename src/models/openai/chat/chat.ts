import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { toolsNow } from "../../../core/transcript/keep-transcript.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";
import type { ModelFacts } from "../../catalogue/model-facts.ts";
import { effortNow, nearestEffort } from "../../effort.ts";
import type { Body } from "../../post-json.ts";
import { type CalledModel, type Dialect, factsOf } from "../../provider-model.ts";
import { serverKindOf } from "../../server-kind.ts";
import { type OutputForm, objectSchema, outputName } from "../../structured-output.ts";
import { WireForms } from "../../wire-forms.ts";
import type { OpenAiServer } from "../client.ts";
import { callAddedTool } from "./added-tools.ts";
import { ChatReader } from "./chat-answer.ts";
import { type ChatForm, chatConcessions, chatFormName, chatQuirks, firstChatForm } from "./chat-form.ts";
import { ChatMessages } from "./chat-messages.ts";

type ChatBody = Body<OpenAI.ChatCompletionCreateParams>;

/** Chat completions, https://platform.openai.com/docs/api-reference/chat, and the variants of other servers. */
export function createChatDialect(
  options: CalledModel,
  { endpoint, postTo }: OpenAiServer,
): Dialect<OpenAI.ChatCompletionChunk> {
  const { model, provider = "openai", maxTokensField } = options;
  const facts = factsOf(options, endpoint);
  const server = serverKindOf(endpoint.host, options.server);
  const self = { provider, model };
  const quirks = chatQuirks(model, server);
  const messages = new ChatMessages(self, quirks);
  const first = firstChatForm({ model, server, maxTokensField });
  const forms = new WireForms(postTo("/chat/completions"), first, chatConcessions, endpoint);
  const limit = options.maxOutputTokens ?? defaultLimit(facts, server);

  const toolsPart = (request: ModelRequest, output: OutputForm, form: ChatForm): ChatBody => {
    if (output.kind === "schema") {
      const json_schema = { name: outputName, schema: objectSchema(output.schema) };
      return { response_format: { type: "json_schema", json_schema } };
    }
    const tools = messages.ofTools(listedTools(request, form), form);
    if (output.kind === "instructed" || tools.length === 0) return {};
    if (request.no_calls === true) return form.toolChoice ? { tools, tool_choice: "none" } : {};
    return { tools, parallel_tool_calls: form.calls === "single" ? false : undefined };
  };
  const bodyOf = (request: ModelRequest, output: OutputForm, form: ChatForm, stream: boolean): ChatBody => ({
    model,
    messages: messages.ofRequest(request, form),
    ...toolsPart(request, output, form),
    ...limitPart(limit, request, form),
    reasoning_effort: effortOf(facts, request, form),
    prompt_cache_key: form.cacheKey ? request.cache?.key : undefined,
    stream,
    stream_options: stream && form.usage ? { include_usage: true } : undefined,
  });

  return {
    async send(request, output, { stream, signal }) {
      const write = (form: ChatForm) => ({ body: bodyOf(request, output, form, stream) });
      const { form, answer } = await forms.send(request, signal, write);
      const owner = { ...self, form: chatFormName(form) };
      const tools = output.kind === "free" ? toolsNow(request, "keep") : [];
      const textualTools = quirks.plainText ? undefined : tools;
      return { answer, reader: new ChatReader({ request, endpoint, owner, textualTools }) };
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
  server: CalledModel["server"],
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
