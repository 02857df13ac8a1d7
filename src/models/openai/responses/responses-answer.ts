import type { OpenAI } from "openai";
import type { Json } from "../../../core/values/json.ts";
import type { AssistantMessage, ToolCall } from "../../../core/values/message.ts";
import type { MeteredUsage } from "../../prices.ts";
import { modelError, notAnAnswer } from "../../provider-error.ts";
import type { Answer, AnswerReader, BlocksOwner, Exchange, Piece } from "../../provider-model.ts";
import { ReportedFailure } from "../../reported-failure.ts";
import { withUniqueIds } from "../../tool-call-text.ts";

type Item = OpenAI.Responses.ResponseOutputItem;
type Response = OpenAI.Responses.Response;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/** Reads one answer of the Responses API. */
export class ResponsesReader implements AnswerReader<StreamEvent> {
  readonly #exchange: Exchange;
  readonly #items: Item[] = [];
  /** The item whose text came last. */
  #textOf: number | undefined;
  #isUnderstood = false;
  #response: Response | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  isLast(event: StreamEvent): boolean {
    return ends.has(event?.type);
  }

  add(event: StreamEvent): Piece {
    const whole = event as Partial<Response> | undefined;
    if (Array.isArray(whole?.output)) {
      this.#isUnderstood = true;
      this.#response = whole as Response;
      return "";
    }
    if (typeof event?.type === "string" && event.type.startsWith("response.")) this.#isUnderstood = true;
    switch (event?.type) {
      case "response.output_text.delta":
      case "response.refusal.delta": {
        const isFurther = this.#textOf !== undefined && this.#textOf !== event.output_index;
        this.#textOf = event.output_index;
        return isFurther ? paragraph + event.delta : event.delta;
      }
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return { thought: event.delta };
      // Each part is a separate thought.
      case "response.reasoning_summary_part.done":
        return { thought: paragraph };
      case "response.output_item.done":
        this.#items[event.output_index] = event.item;
        return "";
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#response = event.response;
        return "";
      default:
        return "";
    }
  }

  finish(): Answer {
    const { endpoint } = this.#exchange;
    if (!this.#isUnderstood) throw notAnAnswer(endpoint, "a response", {});
    const response = this.#response;
    if (response === undefined)
      throw modelError("unavailable", endpoint, "ended its answer halfway", undefined);
    const items = merged(this.#items.filter(Boolean), response.output ?? []);
    return answer(response, items, this.#exchange);
  }

  whole(document: unknown): Answer {
    const response = document as Response | undefined;
    // An answer that is not JSON arrives as a string, and other JSON as any value.
    if (!Array.isArray(response?.output)) throw notAnAnswer(this.#exchange.endpoint, "a response", document);
    return answer(response, response.output, this.#exchange);
  }
}

const ends: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Between the messages of one answer, e.g. a remark and the answer itself. */
const paragraph = "\n\n";

/** The streamed items. Azure sends encrypted reasoning only in the whole response at the end. */
function merged(items: readonly Item[], whole: readonly Item[]): readonly Item[] {
  if (items.length === 0) return whole;
  return items.map((item) => {
    if (item.type !== "reasoning" || item.encrypted_content) return item;
    const same = whole.find((other) => other.type === "reasoning" && other.id === item.id);
    return same?.type === "reasoning" && same.encrypted_content ? same : item;
  });
}

function answer(response: Response, items: readonly Item[], exchange: Exchange): Answer {
  if (response.status === "failed" || response.status === "cancelled") throw failure(response);
  const calls = items.flatMap((item): ToolCall[] =>
    item.type === "function_call" ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
  );
  const tool_calls = withUniqueIds(calls, exchange.request.messages);
  const message: AssistantMessage = {
    role: "assistant",
    text: items.map(textIn).filter(Boolean).join(paragraph),
    tool_calls,
    ...ownItems(items, calls, tool_calls, exchange.owner),
  };
  return { message, usage: usageOf(response.usage), stop: stopOf(response) };
}

/** A code about the request is not an outage: https://developers.openai.com/api/docs/api-reference/responses/object */
function failure({ error }: Response): ReportedFailure {
  const isOurs = error?.code?.startsWith("invalid_") === true;
  return new ReportedFailure(error ?? {}, { status: isOurs ? 400 : undefined });
}

function textIn(item: Item): string {
  if (item.type !== "message") return "";
  return item.content.map((part) => (part.type === "output_text" ? part.text : part.refusal)).join("");
}

/**
 * The items to send back. The API refuses reasoning without the item that followed it, and a cut item is not what the model
 * meant.
 */
function ownItems(
  items: readonly Item[],
  calls: readonly ToolCall[],
  unique: readonly ToolCall[],
  owner: BlocksOwner,
): Pick<AssistantMessage, "provider_blocks"> {
  const whole = items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
  const isCut = whole.some((item) => "status" in item && item.status === "incomplete");
  if (whole.length === 0 || isCut || calls.length !== unique.length) return {};
  const ids = unique.map(({ id }) => id);
  const blocks = whole.map((item) =>
    item.type === "function_call" ? { ...item, call_id: ids.shift() ?? item.call_id } : item,
  );
  return { provider_blocks: { ...owner, blocks: blocks as unknown as Json } };
}

function stopOf({ status, incomplete_details }: Response): Answer["stop"] {
  if (status !== "incomplete") return "done";
  return incomplete_details?.reason === "content_filter" ? "declined" : "length";
}

/** Undefined for a server that does not report usage. `input_tokens` include the tokens read from and written to the cache. */
export function usageOf(usage: OpenAI.Responses.ResponseUsage | null | undefined): MeteredUsage | undefined {
  if (usage === null || usage === undefined) return undefined;
  return {
    input_tokens: usage.input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
    cached_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
    cache_write_tokens: usage.input_tokens_details?.cache_write_tokens ?? 0,
  };
}
