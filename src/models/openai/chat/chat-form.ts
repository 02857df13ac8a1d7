import { createHash } from "node:crypto";
import type { ModelRequest } from "../../../core/ports/model.ts";
import type { Message } from "../../../core/values/message.ts";
import type { CalledModel } from "../../provider-model.ts";
import type { ServerKind } from "../../server-kind.ts";
import { safeCallId } from "../../tool-call-text.ts";
import { type Concession, concede } from "../../wire-forms.ts";
import { openAiFamily } from "../family.ts";
import { addsTools } from "../past-messages.ts";

/** How requests to a server of chat completions are written. Unknown features are tried, and dropped when they are refused. */
export interface ChatForm {
  /** The role of instructions. Only OpenAI's own server knows `developer`. */
  instructions: "developer" | "system";
  /** How changes during the conversation are sent: as messages of their own, or as notes within the message before them. */
  changes: "messages" | "notes";
  /**
   * Tools that come during the conversation: they join the list of tools, or are described by the message that adds them, which keeps the
   * list and so the cache of all that follows it.
   */
  additions: "listed" | "described";
  /** The reasoning of earlier messages: it is sent back, every message must have it, or it is left out. */
  reasoning: "kept" | "required" | "left_out";
  /** Names of the output limit that were not refused, in order of preference. */
  limits: readonly string[];
  /** Whether streams are asked to report usage. */
  usage: boolean;
  /** `none`: no reasoning, which some models require for tools. `unsaid`: the request does not mention effort. */
  effort: "asked" | "none" | "unsaid";
  /** Whether a request with tools can forbid calls. */
  toolChoice: boolean;
  cacheKey: boolean;
  /** The content of a message that only has calls. */
  besideCalls: "null" | "empty";
  /** Whether parameters of tools are sent with all keywords, or only with those that every server knows. */
  schemas: "full" | "plain";
  /**
   * Whether a message may have several calls. `single` asks for one at a time and sends earlier ones separately; `unasked` only
   * sends earlier ones separately.
   */
  calls: "parallel" | "single" | "unasked";
}

/** Whether a server is OpenAI's in any region, or Azure's. */
function isOpenAiOrAzure(server: ServerKind | undefined): boolean {
  return server === "openai" || server === "azure";
}

/** The form of the first request to a model. */
export function firstChatForm({
  model,
  server,
  maxTokensField,
}: Pick<CalledModel, "model" | "server" | "maxTokensField">): ChatForm {
  const isOpenAi = server === "openai";
  const family = openAiFamily(model);
  // https://developers.openai.com/api/docs/guides/migrate-to-responses: no tools with reasoning here, from gpt-5.4 on.
  const withoutReasoning = family !== undefined && family.version >= 504 && family.efforts.includes("none");
  return {
    instructions: isOpenAi && family?.reasons === true ? "developer" : "system",
    changes: "messages",
    // https://api-docs.deepseek.com/guides/kv_cache: a request is read from the cache up to the first difference.
    additions: server === "deepseek" ? "described" : "listed",
    // https://api-docs.deepseek.com/guides/thinking_mode: refuses past messages without their reasoning.
    reasoning: server === "deepseek" || /deepseek/i.test(model) ? "required" : "kept",
    limits: limitNames(maxTokensField, isOpenAiOrAzure(server)),
    usage: true,
    effort: withoutReasoning ? "none" : "asked",
    toolChoice: true,
    cacheKey: isOpenAi,
    // https://ai.google.dev/gemini-api/docs/function-calling: a subset of the OpenAPI schema.
    schemas: server === "gemini" ? "plain" : "full",
    calls: "parallel",
    besideCalls: "null",
  };
}

/** Older compatible servers know only the older name; OpenAI's reasoning models know only the newer one. */
function limitNames(field: CalledModel["maxTokensField"], isNew: boolean): readonly string[] {
  if (field !== undefined) return field === "none" ? [] : [field];
  return isNew ? ["max_completion_tokens", "max_tokens"] : ["max_tokens", "max_completion_tokens"];
}

/** The name of the form in provider blocks. It covers the parts that change messages. */
export function chatFormName(form: ChatForm): string {
  const changes = form.changes === "notes" ? "chat/notes" : "chat";
  return form.calls === "parallel" ? changes : `${changes}/single`;
}

const severalCalls = /single tool.?calls? at once|(?:parallel|multiple|more than one) tool.?calls?/;

/** Words in refusals of the reasoning of earlier messages. */
const sentBack = /reasoning|extra_content|thought_signature/;

/** Words in refusals of a tool's parameters, in lower case. */
const refusedSchema: readonly RegExp[] = [
  /propertynames|patternproperties|additionalproperties|\$ref|\$defs|\$schema|function_declarations/,
  /invalid (?:json |tool |function |parameter )*schema|schema for (?:function|tool)|json schema/,
  /tools?\W{0,20}\d{0,5}\W.{0,400}(?:parameters|input_schema|schema)/,
];

/** The concessions to a server of chat completions. */
export const chatConcessions: readonly Concession<ChatForm>[] = [
  {
    lesser: ({ text }, form) =>
      /max_(?:completion_)?tokens/.test(text) && form.limits.length > 0
        ? { ...form, limits: form.limits.slice(1) }
        : undefined,
  },
  concede(/stream_options|include_usage/, "usage", [true, false]),
  concede(/tool_choice/, "toolChoice", [true, false], (request) => request.no_calls === true),
  concede(/parallel_tool_calls/, "calls", ["single", "unasked"]),
  // The chat template of Llama 3: "This model only supports single tool-calls at once!"
  concede(severalCalls, "calls", ["parallel", "single"], ({ messages }) => messages.some(hasSeveralCalls)),
  concede(/prompt_cache_key/, "cacheKey", [true, false]),
  concede(/^(?=.*tools).*reasoning[_ .]?effort/s, "effort", ["asked", "none"]),
  concede(/reasoning[_ .]?effort/, "effort", ["asked", "unsaid"]),
  concede(/reasoning[_ .]?effort/, "effort", ["none", "unsaid"]),
  concede(/^(?=.*(?:must|missing|required)).*reasoning_content/s, "reasoning", ["kept", "required"]),
  ...(["kept", "required"] as const).map((from) =>
    concede<ChatForm, "reasoning">(sentBack, "reasoning", [from, "left_out"], hasAnswers),
  ),
  ...refusedSchema.map((words) => ({
    ...concede<ChatForm, "schemas">(words, "schemas", ["full", "plain"], sendsTools),
    ofTools: true as const,
  })),
  concede(/developer|\brole\b/, "instructions", ["developer", "system"]),
  {
    lesser({ text, status }, form, { messages }) {
      const isRefused = (status === 500 ? templateFailure : misplacedRole).test(text);
      const isUsed = form.changes === "messages" && messages.some(isChange);
      return isRefused && isUsed ? { ...form, changes: "notes" } : undefined;
    },
  },
  {
    // Servers refuse `null` in many words, so it is tried after all else.
    lesser({ code, status }, form, { messages }) {
      const isUsed = form.besideCalls === "null" && messages.some(hasOnlyCalls);
      return isUsed && code === "invalid_request" && status < 500
        ? { ...form, besideCalls: "empty" }
        : undefined;
    },
  },
];

function hasAnswers({ messages }: ModelRequest): boolean {
  return messages.some(({ role }) => role === "assistant");
}

function sendsTools({ output_schema, tools, messages }: ModelRequest): boolean {
  return output_schema === undefined && (tools.length > 0 || addsTools(messages));
}

function hasSeveralCalls(message: Message): boolean {
  return message.role === "assistant" && message.tool_calls.length > 1;
}

function hasOnlyCalls(message: Message): boolean {
  return message.role === "assistant" && message.text === "" && message.tool_calls.length > 0;
}

/** Words by which templates, gateways and servers refuse a system message that is not the first message. */
const misplacedRole = /system|developer|\broles?\b|alternat|template/;
const templateFailure = /system message|conversation roles|jinja|template/;

function isChange(message: Message): boolean {
  return message.role === "system" && message.text !== "";
}

export type ChatQuirks = ReturnType<typeof chatQuirks>;

/** Facts about a server or model that no refusal would reveal. @param server its kind, if known */
export function chatQuirks(model: string, server: ServerKind | undefined) {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const onOpenRouter = server === "openrouter";
  const isNewGemini =
    /^gemini-(?:[3-9]|\d{2})/.test(name) || (server === "gemini" && !/^gemini-[12]\b/.test(name));
  const isGemini = isNewGemini && !onOpenRouter;
  return {
    /** The id of a call in the server's format: always the same for a call and its result. */
    callId: server === "mistral" || isMistral(name) ? nineCharacters : (id: string) => safeCallId(id),
    /** Whether the server is known to separate text from reasoning and calls. */
    plainText: isOpenAiOrAzure(server) || server === "gemini",
    /** Fields for calls of another model: https://ai.google.dev/gemini-api/docs/thought-signatures */
    foreignCall: isGemini
      ? { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } }
      : {},
    /** Whether parts have marks for Anthropic's prompt cache. https://openrouter.ai/docs/features/prompt-caching */
    cacheMarks: onOpenRouter && model.startsWith("anthropic/"),
  };
}

function isMistral(name: string): boolean {
  return /^(?:mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral|open-mi[sx]tral)/.test(
    name,
  );
}

/** Mistral takes ids of exactly nine letters and digits. */
function nineCharacters(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}
