import { objectOf } from "../../../../src/core/values/json.ts";
import { countTokens } from "../../../../src/models/count-tokens.ts";
import type { PromptUsage, Spoken, World } from "../exchange.ts";
import { chunksOf, cutText } from "../speech.ts";
import type { ScriptedReply } from "../view.ts";
import { objects, type Wire } from "../wire.ts";
import {
  type CheckedReasoning,
  encryptReasoning,
  wantsEncrypted,
  wantsSummary,
} from "./responses-reasoning.ts";
import { answerIds, type GptRequest } from "./responses-request.ts";

/** Puts a reply into the shape of the responses API. */
export function speakGpt(
  request: GptRequest,
  checked: CheckedReasoning,
  reply: ScriptedReply,
  prompt: PromptUsage,
  world: World,
): Spoken {
  const reasoned = request.effort !== "none";
  const reasoning = reasoned ? (reply.reasoning_tokens ?? world.reasoning_tokens) : 0;
  const number = world.next();
  const ids = answerIds(request.model, number, reasoned);
  const output = outputItems(request, checked, reply, reasoning, ids);
  const said = [reply.text ?? "", ...(reply.calls ?? []).map((call) => JSON.stringify(call))].join("");
  const wanted = reasoning + countTokens(said);
  const limit = Number(request.body.max_output_tokens ?? request.facts.output);
  const cut = wanted > limit;
  const tokens = cut ? limit : wanted;
  const missing = reply.declined
    ? { reason: "content_filter" }
    : cut
      ? { reason: "max_output_tokens" }
      : null;
  const response: Wire = {
    id: `resp_${number}`,
    object: "response",
    created_at: Math.floor(world.now() / 1000),
    status: missing === null ? "completed" : "incomplete",
    error: null,
    incomplete_details: missing,
    instructions: request.body.instructions ?? null,
    model: request.model,
    output: cut ? cutItems(output, limit - reasoning) : output,
    parallel_tool_calls: true,
    reasoning: { effort: request.effort, summary: request.reasoning.summary ?? null },
    store: request.body.store ?? true,
    tools: request.tools,
    usage: usageOf(prompt, tokens, Math.min(reasoning, tokens)),
  };
  return {
    json: response,
    events: eventsOf(response),
    output: tokens,
    reasoning: Math.min(reasoning, tokens),
    carries_reasoning: reasoned && wantsEncrypted(request),
  };
}

function outputItems(
  request: GptRequest,
  checked: CheckedReasoning,
  { text = "", calls = [], thought = "I consider what was asked." }: ScriptedReply,
  tokens: number,
  id: (kind: string) => string,
): Wire[] {
  const items: Wire[] = [];
  if (request.effort !== "none") {
    const own = id("rs");
    const summary = wantsSummary(request) ? [{ type: "summary_text", text: thought }] : [];
    const secret = wantsEncrypted(request)
      ? { encrypted_content: encryptReasoning(request, checked.prefix, tokens, own) }
      : {};
    items.push({ id: own, type: "reasoning", summary, ...secret });
  }
  if (text !== "" || calls.length === 0) {
    const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
    items.push({ id: id("msg"), type: "message", status: "completed", role: "assistant", content });
  }
  for (const { name, input } of calls) {
    const call = { call_id: id("call"), name, arguments: JSON.stringify(input) };
    items.push({ id: id("fc"), type: "function_call", status: "completed", ...call });
  }
  return items;
}

/** What fits: reasoning whole, text cut, no calls. */
function cutItems(items: readonly Wire[], tokens: number): Wire[] {
  return items.flatMap((item) => {
    if (item.type === "reasoning") return [item];
    if (item.type !== "message" || tokens <= 0) return [];
    const [part] = objects(item.content);
    const content = [{ ...objectOf(part), text: cutText(String(part?.text), tokens) }];
    return [{ ...item, status: "incomplete", content }];
  });
}

function usageOf(prompt: PromptUsage, output: number, reasoning: number): Wire {
  const written = prompt.cache_write + prompt.cache_write_long;
  const input = prompt.fresh + prompt.cache_read + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: prompt.cache_read, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function eventsOf(response: Wire): string[] {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const end = response.status === "completed" ? "response.completed" : "response.incomplete";
  const events: Wire[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...objects(response.output).flatMap(itemEvents),
    { type: end, response },
  ];
  return events.map((event, sequence_number) => {
    const data = JSON.stringify({ ...event, sequence_number });
    return `event: ${String(event.type)}\ndata: ${data}\n\n`;
  });
}

function itemEvents(item: Wire, output_index: number): Wire[] {
  const at = { output_index, item_id: item.id ?? null };
  return [
    { type: "response.output_item.added", output_index, item: begunItem(item) },
    ...innerEvents(item, at),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An item before it is said. The encrypted reasoning of an unfinished item is not the final one. */
function begunItem(item: Wire): Wire {
  if (item.type === "reasoning") {
    const early = item.encrypted_content === undefined ? {} : { encrypted_content: "not-yet-complete" };
    return { ...item, summary: [], ...early };
  }
  if (item.type === "function_call") return { ...item, status: "in_progress", arguments: "" };
  return { ...item, status: "in_progress", content: [] };
}

function innerEvents(item: Wire, at: Wire): Wire[] {
  if (item.type === "reasoning") {
    return objects(item.summary).flatMap(({ text }, summary_index) => {
      const place = { ...at, summary_index };
      const part = { type: "summary_text", text: text ?? "" };
      return [
        { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
        ...deltas("response.reasoning_summary_text.delta", String(text), place),
        { type: "response.reasoning_summary_text.done", ...place, text: text ?? "" },
        { type: "response.reasoning_summary_part.done", ...place, part },
      ];
    });
  }
  if (item.type === "function_call") {
    return [
      ...deltas("response.function_call_arguments.delta", String(item.arguments), at),
      {
        type: "response.function_call_arguments.done",
        ...at,
        arguments: item.arguments ?? "",
        name: item.name ?? "",
      },
    ];
  }
  return objects(item.content).flatMap((part, content_index) => {
    const place = { ...at, content_index };
    return [
      { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
      ...deltas("response.output_text.delta", String(part.text), { ...place, logprobs: [] }),
      { type: "response.output_text.done", ...place, text: part.text ?? "", logprobs: [] },
      { type: "response.content_part.done", ...place, part },
    ];
  });
}

function deltas(type: string, text: string, place: Wire): Wire[] {
  return chunksOf(text).map((delta) => ({ type, ...place, delta }));
}
