import type { RecordedRequest } from "./recording.ts";
import { blocksOf, objects, string, type Wire, without } from "./wire.ts";

/**
 * The first part of `earlier` that `later` does not have in its place, with what stands there; undefined when `later` begins
 * with `earlier`. `cache_control` does not count. System messages at the very end of `earlier` may have moved behind the
 * messages of people that follow: nothing was answered after them.
 */
export function prefixDifference(earlier: RecordedRequest, later: RecordedRequest): string | undefined {
  if (earlier.vendor !== later.vendor) return `${earlier.vendor} became ${later.vendor}`;
  const before = partsOf(earlier);
  const after = partsOf(later);
  const held = trailingSystem(before);
  const fixed = before.slice(0, before.length - held.length);
  for (const [index, part] of fixed.entries()) {
    if (part.text !== after[index]?.text) return difference(part.text, after[index]?.text);
  }
  const rest = after.slice(fixed.length);
  const answered = rest.findIndex(({ role }) => role === "assistant");
  const reachable = new Set((answered === -1 ? rest : rest.slice(0, answered)).map(({ text }) => text));
  const lost = held.find(({ text }) => !reachable.has(text));
  return lost === undefined ? undefined : difference(lost.text, undefined);
}

/** Where two texts part, with some of both. */
function difference(a: string, b: string | undefined): string {
  if (b === undefined) return `missing: ${a.slice(0, 300)}`;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `was  …${a.slice(from, at + 120)}\nnow  …${b.slice(from, at + 120)}`;
}

interface Part {
  role: string;
  text: string;
}

function trailingSystem(parts: readonly Part[]): Part[] {
  const last = parts.findLastIndex(({ role }) => role !== "system");
  return parts.slice(last + 1);
}

/** A request as parts in the order of the prompt: tools, instructions, messages block by block. */
function partsOf({ vendor, body }: RecordedRequest): Part[] {
  const part = (role: string, value: Wire): Part => ({
    role,
    text: `${role} ${JSON.stringify(without(value, "cache_control"))}`,
  });
  const tools = objects(body.tools).map((tool) => part("tools", tool));
  if (vendor === "responses") {
    const instructions = part("instructions", { text: body.instructions ?? "" });
    return [...tools, instructions, ...objects(body.input).map((item) => part(itemRole(item), item))];
  }
  const system = blocksOf(body.system).map((block) => part("instructions", block));
  const messages = objects(body.messages).flatMap((message) => {
    const role = string(message.role);
    if (vendor === "completions") return [part(role, message)];
    const { role: _role, content, ...rest } = message;
    const own = Object.keys(rest).length === 0 ? [] : [part(role, rest)];
    return [...blocksOf(content).map((block) => part(role, block)), ...own];
  });
  return [...tools, ...system, ...messages];
}

/** Developer messages and items that change tools or effort are what system messages are elsewhere. */
function itemRole({ type, role }: Wire): string {
  if (role === "developer" || role === "system" || type === "configuration_update") return "system";
  if (type === "tool_search_call" || type === "tool_search_output") return "system";
  return type === "reasoning" || type === "function_call" ? "assistant" : string(role) || string(type);
}
