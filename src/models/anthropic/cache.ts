import type { Anthropic } from "@anthropic-ai/sdk";
import type { WireBlock } from "./blocks.ts";
import type { WireMessage } from "./messages.ts";

/**
 * Where Anthropic's cache may begin and end (https://platform.claude.com/docs/en/build-with-claude/prompt-caching): four
 * marks, two for the opening and two for the conversation. A mark says nothing to the model and changes no content.
 */
type Mark = { cache_control: Anthropic.CacheControlEphemeral };

/** Five minutes, renewed by each hit. */
const short: Mark = { cache_control: { type: "ephemeral" } };

/** Written at twice the input price; it must stand before the short ones. */
const hour: Mark = { cache_control: { type: "ephemeral", ttl: "1h" } };

/** Marks the last tool that is loaded. A deferred one takes no mark. */
export function markTools(tools: readonly Anthropic.Tool[], forAnHour: boolean): Anthropic.Tool[] {
  const last = tools.findLastIndex(({ defer_loading }) => defer_loading !== true);
  return tools.map((tool, index) => (index === last ? { ...tool, ...(forAnHour ? hour : short) } : tool));
}

/** The instructions with their mark; none when there are none. */
export function markSystem(text: string, forAnHour: boolean): { system?: Anthropic.TextBlockParam[] } {
  return text === "" ? {} : { system: [{ type: "text", text, ...(forAnHour ? hour : short) }] };
}

/**
 * Marks where the previous request ended, which is just before the last answer, and the end. One mark finds what was written
 * up to 20 blocks before it: a round of many calls has more, so the first of the two is what hits.
 */
export function markConversation(messages: readonly WireMessage[]): WireMessage[] {
  const marked = [...messages];
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  for (const end of [answer - 1, messages.length - 1]) {
    const index = markable(messages, end);
    const message = index === undefined ? undefined : messages[index];
    if (index !== undefined && message !== undefined) marked[index] = withMark(message);
  }
  return marked;
}

/** The last message up to `end` that can be marked: one that only changes the effort has no content. */
function markable(messages: readonly WireMessage[], end: number): number | undefined {
  for (let index = end; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined || message.role === "assistant") return undefined;
    if (message.content.length > 0) return index;
  }
  return undefined;
}

/** User and system messages have no thinking, the one kind of block that takes no mark. */
function withMark(message: WireMessage): WireMessage {
  const content = message.content.map((block, index): WireBlock => {
    return index === message.content.length - 1 ? ({ ...block, ...short } as WireBlock) : block;
  });
  return { ...message, content };
}
