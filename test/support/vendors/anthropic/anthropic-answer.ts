import { objectOf } from "../../../../src/core/values/json.ts";
import { countTokens } from "../../../../src/models/count-tokens.ts";
import type { PromptUsage, Spoken, World } from "../exchange.ts";
import { chunksOf, cutText } from "../speech.ts";
import type { ScriptedReply } from "../view.ts";
import type { Wire } from "../wire.ts";
import { betas } from "./anthropic-parameters.ts";
import type { ClaudeRequest } from "./anthropic-request.ts";
import { type CheckedThinking, signThinking } from "./anthropic-thinking.ts";

/** Puts a reply into the shape of the messages API. */
export function speakClaude(
  request: ClaudeRequest,
  checked: CheckedThinking,
  reply: ScriptedReply,
  prompt: PromptUsage,
  world: World,
): Spoken {
  const limit = Number(request.body.max_tokens);
  const { content, thinkingTokens } =
    limit === 0 ? { content: [], thinkingTokens: 0 } : contentOf(request, checked, reply, world);
  const spoken = JSON.stringify(content.filter((block) => block.type !== "thinking"));
  const wanted = thinkingTokens + (content.length === 0 ? 0 : countTokens(spoken));
  const cut = limit === 0 || wanted > limit;
  const blocks = cut ? cutContent(content, limit - thinkingTokens) : content;
  const output = cut ? limit : wanted;
  const calls = blocks.some((block) => block.type === "tool_use");
  const ended = calls ? "tool_use" : "end_turn";
  const stop_reason = reply.declined ? "refusal" : cut ? "max_tokens" : ended;
  const usage = {
    ...promptUsage(prompt),
    output_tokens: output,
    output_tokens_details: { thinking_tokens: Math.min(thinkingTokens, output) },
    service_tier: "standard",
  };
  const json = {
    id: `msg_${world.next()}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: blocks,
    stop_reason,
    stop_sequence: null,
    usage,
    ...(request.betas.has(betas.binding) ? { input_transformations: checked.reports } : {}),
  };
  const carries_reasoning = blocks.some((block) => block.type === "thinking");
  const reasoning = Math.min(thinkingTokens, output);
  return { json, events: eventsOf(json), output, reasoning, carries_reasoning };
}

/** On models that are bound, text next to calls is part of the thinking. */
function contentOf(
  request: ClaudeRequest,
  { binding }: CheckedThinking,
  { text = "", calls = [], thought = "", reasoning_tokens }: ScriptedReply,
  world: World,
): { content: Wire[]; thinkingTokens: number } {
  const inside = request.facts.bound && request.thinking !== "disabled" && calls.length > 0;
  const thinks = thinksFirst(request, inside && text !== "");
  const thinking = thinks ? shownThinking(request, thought, inside ? text : "") : "";
  const tokens = thinks ? (reasoning_tokens ?? world.reasoning_tokens) : 0;
  const signature = thinks ? signThinking(request, binding, thinking, tokens, world.next()) : "";
  const content: Wire[] = [
    ...(thinks ? [{ type: "thinking", thinking, signature }] : []),
    ...(text === "" || (inside && thinks) ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, input }) => ({ type: "tool_use", id: `toolu_${world.next()}`, name, input })),
  ];
  return { content, thinkingTokens: tokens };
}

function thinksFirst({ thinking, messages }: ClaudeRequest, note: boolean): boolean {
  if (thinking === "adaptive" || thinking === "enabled") return true;
  const last = messages.findLast(({ role }) => role !== "system");
  const between = last?.blocks.some((block) => block.type === "tool_result") === true;
  return thinking === "between_tools" && (between || note);
}

function shownThinking({ display, thinking }: ClaudeRequest, thought: string, note: string): string {
  if (thinking === "between_tools" || display === "updates") return note;
  if (display === "omitted") return "";
  return [thought || "I consider what was asked.", note].filter(Boolean).join("\n\n");
}

/** What fits: thinking whole, text cut, no calls. */
function cutContent(content: readonly Wire[], tokens: number): Wire[] {
  return content.flatMap((block) => {
    if (block.type === "thinking") return [block];
    if (block.type !== "text") return [];
    const text = cutText(String(block.text), tokens);
    return text === "" ? [] : [{ ...block, text }];
  });
}

function promptUsage(prompt: PromptUsage) {
  return {
    input_tokens: prompt.fresh,
    cache_read_input_tokens: prompt.cache_read,
    cache_creation_input_tokens: prompt.cache_write + prompt.cache_write_long,
    cache_creation: {
      ephemeral_5m_input_tokens: prompt.cache_write,
      ephemeral_1h_input_tokens: prompt.cache_write_long,
    },
  };
}

function eventsOf({ content, stop_reason, usage, ...message }: Wire): string[] {
  const blocks = (content as Wire[]).flatMap(blockEvents);
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...objectOf(usage), output_tokens: 1 },
  };
  return [
    { type: "message_start", message: start },
    { type: "ping" },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function blockEvents(block: Wire, index: number) {
  const delta = (value: object) => ({ type: "content_block_delta", index, delta: value });
  const { begun, deltas } = pieces(block);
  return [
    { type: "content_block_start", index, content_block: begun },
    ...deltas.map(delta),
    { type: "content_block_stop", index },
  ];
}

function pieces(block: Wire): { begun: object; deltas: object[] } {
  if (block.type === "text") {
    const deltas = chunksOf(String(block.text)).map((text) => ({ type: "text_delta", text }));
    return { begun: { type: "text", text: "", citations: null }, deltas };
  }
  if (block.type === "thinking") {
    const texts = chunksOf(String(block.thinking)).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: block.signature };
    return { begun: { type: "thinking", thinking: "", signature: "" }, deltas: [...texts, signature] };
  }
  const json = chunksOf(JSON.stringify(block.input)).map((partial_json) => ({
    type: "input_json_delta",
    partial_json,
  }));
  return { begun: { ...block, input: {} }, deltas: json };
}
