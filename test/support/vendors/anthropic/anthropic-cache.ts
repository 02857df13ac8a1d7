import { type Json, objectOf } from "../../../../src/core/values/json.ts";
import type { PromptUsage, Refusal, World } from "../exchange.ts";
import { hash, string, tokensOf, type Wire, without } from "../wire.ts";
import { addedDefinition, type ClaudeRequest } from "./anthropic-request.ts";

/** How many blocks a mark looks back for what is cached, itself included. */
const lookBack = 20;

const lifetimes = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const;
type Ttl = keyof typeof lifetimes;

/** A block of the prompt in the order the cache sees it. */
interface Part {
  /** Hash of everything up to and with this block. */
  prefix: string;
  /** Tokens up to and with this block. */
  tokens: number;
  ttl: Ttl | undefined;
}

/** Everything that can carry a mark: tools, system, messages. */
function markable(request: ClaudeRequest): { path: string; block: Wire }[] {
  return [
    ...request.tools.map((block, index) => ({ path: `tools.${index}`, block })),
    ...request.system.map((block, index) => ({ path: `system.${index}`, block })),
    ...request.messages.flatMap(({ blocks }, index) =>
      blocks.map((block, at) => ({ path: `messages.${index}.content.${at}`, block })),
    ),
  ];
}

/** Errors in the cache marks. */
export function* claudeMarkRefusals(request: ClaudeRequest): Generator<Refusal> {
  const marked = markable(request).filter(({ block }) => block.cache_control != null);
  const count = marked.length + (request.body.cache_control == null ? 0 : 1);
  if (count > 4) {
    const message = `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`;
    yield { rule: "cache_marks", message };
  }
  let short = false;
  for (const { path, block } of marked) {
    const ttl = ttlOf(block);
    if (isThinking(block)) {
      yield {
        rule: "cache_marks",
        message: `${path}.thinking.cache_control: Extra inputs are not permitted`,
      };
    }
    if (short && ttl === "1h") {
      const message = `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
      yield { rule: "cache_ttl_order", message };
    }
    short ||= ttl === "5m";
  }
}

function ttlOf({ cache_control }: Wire): Ttl | undefined {
  if (cache_control == null) return undefined;
  return objectOf(cache_control).ttl === "1h" ? "1h" : "5m";
}

/** Reads the longest cached prefix a mark finds, writes what the marks say, and counts both. */
export function countClaude(request: ClaudeRequest, kept: Map<Wire, number>, world: World): PromptUsage {
  const now = world.now();
  const all = parts(request, kept);
  const total = all.at(-1)?.tokens ?? 0;
  const marks = all.flatMap((part, index) =>
    part.ttl !== undefined && part.tokens >= request.facts.cache_minimum ? [index] : [],
  );
  const hit = longestHit(all, marks, world, now);
  const read = hit === -1 ? 0 : (all[hit]?.tokens ?? 0);
  for (const part of all.slice(0, hit + 1)) world.cache.renew(part.prefix, now);
  const end = { long: read, all: read };
  for (const index of marks) {
    const part = all[index];
    if (part?.ttl === undefined || index <= hit) continue;
    world.cache.keep(part.prefix, now, lifetimes[part.ttl]);
    end.all = part.tokens;
    if (part.ttl === "1h") end.long = part.tokens;
  }
  return {
    fresh: total - end.all,
    cache_read: read,
    cache_write: end.all - Math.max(end.long, read),
    cache_write_long: end.long - read,
  };
}

function longestHit(all: readonly Part[], marks: readonly number[], world: World, now: number): number {
  let hit = -1;
  for (const mark of marks) {
    for (let index = mark; index > mark - lookBack && index > hit; index -= 1) {
      const part = all[index];
      if (part === undefined || !world.cache.has(part.prefix, now)) continue;
      hit = index;
      break;
    }
  }
  return hit;
}

/** The blocks the model is shown, in the order of the cache. What changes an answer without being a block is in the hashes. */
function parts(request: ClaudeRequest, kept: Map<Wire, number>): Part[] {
  const { body, model, account } = request;
  const list: Part[] = [];
  let prefix = hash("claude", model, account, scaffolding(request) ? "tool changes" : "");
  let tokens = 0;
  const add = (block: Wire, where: string, count?: number) => {
    const bare = without(block, "cache_control");
    prefix = hash(prefix, where, JSON.stringify(bare));
    tokens += count ?? tokensOf(bare);
    list.push({ prefix, tokens, ttl: ttlOf(block) });
  };
  for (const tool of request.tools.filter((one) => one.defer_loading !== true)) add(tool, "tool");
  prefix = hash(prefix, said(objectOf(body.output_config).format));
  for (const block of request.system) add(block, "system");
  const effort = string(objectOf(body.output_config).effort);
  prefix = hash(prefix, effort, request.thinking, said(body.tool_choice));
  for (const message of request.messages) {
    for (const block of message.blocks) {
      if (!isThinking(block) || kept.has(block))
        add(block, message.role, kept.get(block) ?? addedTokens(block));
    }
    if (message.effort !== undefined) prefix = hash(prefix, "effort", message.effort);
  }
  const last = list.at(-1);
  if (last !== undefined) last.ttl ??= ttlOf(body);
  return list;
}

/** An added tool is put into the prompt as any other. */
function addedTokens(block: Wire): number | undefined {
  const definition = addedDefinition(block);
  return definition === undefined ? undefined : tokensOf(definition);
}

function isThinking({ type }: Wire): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function said(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value);
}

/** The hidden text about tool changes stands at the very beginning; a deferred tool puts it there before any change. */
function scaffolding({ tools, messages }: ClaudeRequest): boolean {
  const changed = messages.some(({ blocks }) =>
    blocks.some(({ type }) => type === "tool_addition" || type === "tool_removal"),
  );
  return changed || tools.some((tool) => tool.defer_loading === true);
}

/** The prompt is longer than the model's window. */
export function* claudeWindowRefusals(
  request: ClaudeRequest,
  kept: Map<Wire, number>,
  world: World,
): Generator<Refusal> {
  const window = world.context[request.model] ?? request.facts.context;
  const tokens = parts(request, kept).at(-1)?.tokens ?? 0;
  if (tokens <= window) return;
  yield { rule: "context", message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
}
