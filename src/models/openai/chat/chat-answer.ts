import type { OpenAI } from "openai";
import type { Json } from "../../../core/values/json.ts";
import type { ToolCall, ToolDefinition } from "../../../core/values/message.ts";
import type { MeteredUsage } from "../../prices.ts";
import { modelError, notAnAnswer } from "../../provider-error.ts";
import type { Answer, AnswerReader, Exchange } from "../../provider-model.ts";
import { ReportedFailure } from "../../reported-failure.ts";
import { withUniqueIds } from "../../tool-call-text.ts";
import { asMeant } from "./added-tools.ts";
import { isKeepable, keptOfCall, ReasoningFields } from "./chat-reasoning.ts";
import { ChatText, type WholeText } from "./chat-text.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

/** A call and the fields that its server expects back. */
interface ReadCall extends ToolCall {
  kept: { [field: string]: Json };
}

/** A call whose arguments are incomplete. */
interface OpenCall extends ReadCall {
  index: number | undefined;
}

export interface ChatExchange extends Exchange {
  /** The tools whose calls are recognised in text; undefined where the server separates calls from text. */
  textualTools: readonly ToolDefinition[] | undefined;
}

/** Reads one answer of chat completions. */
export class ChatReader implements AnswerReader<Chunk> {
  readonly #exchange: ChatExchange;
  readonly #text: Pick<ChatText, "add" | "end">;
  readonly #calls: OpenCall[] = [];
  readonly #fields = new ReasoningFields("streamed");
  #finish: string | null | undefined;
  #usage: OpenAI.CompletionUsage | null | undefined;
  #isUnderstood = false;
  #whole: unknown;

  constructor(exchange: ChatExchange) {
    this.#exchange = exchange;
    this.#text = createTextReader(exchange);
  }

  add(chunk: Chunk) {
    const choice = chunk?.choices?.[0];
    // Moonshot reports usage within the choice.
    this.#usage =
      chunk?.usage ?? (choice as { usage?: OpenAI.CompletionUsage } | undefined)?.usage ?? this.#usage;
    if (choice === undefined) return "";
    this.#isUnderstood = true;
    if ("message" in choice) this.#whole = chunk;
    this.#finish = choice.finish_reason ?? this.#finish;
    const delta = choice.delta;
    const thought = this.#fields.add(delta) + thoughtIn(delta?.content);
    if (delta?.tool_calls) for (const part of delta.tool_calls) addCall(this.#calls, part);
    const pieces = this.#text.add(textOf(delta?.content) || textOf(delta?.refusal));
    return thought === "" ? pieces : [{ thought }, ...pieces];
  }

  finish(): Answer {
    if (this.#whole !== undefined) return this.whole(this.#whole);
    const { endpoint } = this.#exchange;
    if (!this.#isUnderstood) throw notAnAnswer(endpoint, "a chat completion", {});
    const [finish, called, fields, usage] = [this.#finish, this.#calls, this.#fields, this.#usage];
    if (!finish) throw modelError("unavailable", endpoint, "ended its answer halfway", undefined);
    return answer({ ...this.#text.end(), called, fields, finish, usage }, this.#exchange);
  }

  whole(document: unknown): Answer {
    const completion = document as Partial<OpenAI.ChatCompletion & { error: unknown }> | undefined;
    const report = completion?.error;
    if (report && completion.choices === undefined) throw new ReportedFailure(report);
    // An answer that is not JSON arrives as a string, and other JSON as any value.
    const choice = completion?.choices?.[0];
    if (choice?.message === undefined)
      throw notAnAnswer(this.#exchange.endpoint, "a chat completion", document);
    const { content, refusal, tool_calls } = choice.message;
    const called = (tool_calls ?? []).flatMap((call): ReadCall[] => {
      if (call.type === "custom" || call.function === undefined) return [];
      const { name, arguments: input } = call.function;
      return [{ id: call.id ?? "", name: name ?? "", arguments: asText(input), kept: keptOfCall(call) }];
    });
    const fields = new ReasoningFields("whole");
    fields.add(choice.message);
    const text = createTextReader(this.#exchange);
    text.add(textOf(content) || textOf(refusal));
    const { finish_reason: finish } = choice;
    return answer({ ...text.end(), called, fields, finish, usage: completion?.usage }, this.#exchange);
  }
}

/** Separates text from reasoning and calls, where the server may not have done so. */
function createTextReader({ textualTools }: ChatExchange): Pick<ChatText, "add" | "end"> {
  if (textualTools !== undefined) return new ChatText(textualTools);
  let text = "";
  return {
    add(piece) {
      text += piece;
      return [piece];
    },
    end: () => ({ text, calls: [] }),
  };
}

/** Adds a delta of a call. Servers may omit the index or always send 0, omit or repeat the id, or send a whole call in one delta. */
function addCall(calls: OpenCall[], delta: CallDelta): void {
  const index: number | undefined = delta.index ?? undefined;
  const id = delta.id ?? "";
  const name = delta.function?.name ?? "";
  let call = index === undefined ? calls.at(-1) : calls.findLast((open) => open.index === index);
  if (call === undefined || startsAnother(call, index, id, name)) {
    call = { id, name, arguments: "", index, kept: {} };
    calls.push(call);
  }
  if (call.id === "") call.id = id;
  // Some servers send a name in pieces, some repeat it.
  if (name !== call.name) call.name += name;
  call.arguments += asText(delta.function?.arguments);
  Object.assign(call.kept, keptOfCall(delta));
}

function startsAnother(call: OpenCall, index: number | undefined, id: string, name: string): boolean {
  if (id !== "" && call.id !== "" && id !== call.id) return true;
  return index === undefined && name !== "" && (id === "" || id !== call.id);
}

interface ReadAnswer extends WholeText {
  called: readonly ReadCall[];
  fields: ReasoningFields;
  finish: string | null;
  usage: OpenAI.CompletionUsage | null | undefined;
}

/** Finish reasons of an incomplete answer: OpenRouter's and DeepSeek's. */
const failedFinish: ReadonlySet<string | null> = new Set(["error", "insufficient_system_resource"]);

/** Finish reasons of an answer that reached a limit; the second is Mistral's. */
const limitFinish: ReadonlySet<string | null> = new Set(["length", "model_length"]);

function answer(read: ReadAnswer, { request, owner, endpoint }: ChatExchange): Answer {
  if (failedFinish.has(read.finish)) {
    throw modelError("unavailable", endpoint, "broke its answer off", undefined);
  }
  // Calls in the text repeat the calls that the server reported.
  const textual = read.calls.map((call) => ({ id: "", ...call, kept: {} }));
  const calls = withUniqueIds(read.called.length > 0 ? read.called : textual, request.messages).map(asMeant);
  const kept = { message: read.fields.kept(), calls: calls.map((call) => call.kept) };
  return {
    message: {
      role: "assistant",
      text: read.text,
      tool_calls: calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
      provider_blocks: isKeepable(kept) ? { ...owner, blocks: kept as Json } : undefined,
    },
    usage: usageOf(read.usage),
    stop: limitFinish.has(read.finish) ? "length" : read.finish === "content_filter" ? "declined" : "done",
  };
}

/** Usage fields of some servers. */
interface ServersUsage {
  /** OpenRouter: US dollars. https://openrouter.ai/docs/use-cases/usage-accounting */
  cost?: number;
  /** DeepSeek. */
  prompt_cache_hit_tokens?: number;
  /** Moonshot. */
  cached_tokens?: number;
  /** OpenRouter. */
  prompt_tokens_details?: { cache_write_tokens?: number };
}

/** Undefined for a server that does not report usage. `prompt_tokens` include the cached tokens. */
function usageOf(usage: OpenAI.CompletionUsage | null | undefined): MeteredUsage | undefined {
  if (usage === null || usage === undefined) return undefined;
  const own = usage as ServersUsage;
  return {
    input_tokens: usage.prompt_tokens ?? 0,
    output_tokens: usage.completion_tokens ?? 0,
    cost_usd: typeof own.cost === "number" ? own.cost : undefined,
    cached_tokens:
      usage.prompt_tokens_details?.cached_tokens ?? own.prompt_cache_hit_tokens ?? own.cached_tokens ?? 0,
    cache_write_tokens: own.prompt_tokens_details?.cache_write_tokens ?? 0,
  };
}

/** Some servers send arguments as an object instead of text. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** The text of a content. Mistral's reasoning models send it in parts, including thinking. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((part: { text?: unknown } | null) => asText(part?.text)).join("");
}

/** The thinking among the parts of a content. */
function thoughtIn(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map((part: { thinking?: unknown } | null) => textOf(part?.thinking)).join("");
}
