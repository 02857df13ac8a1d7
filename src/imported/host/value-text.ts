import { isNativeError } from "node:util/types";
import type { HostError } from "./protocol.ts";

const maxMessage = 4_000;

/** What a model reads of a handler's result: text as it is, everything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "The skill ran and answered nothing.";
  return (typeof value === "object" ? jsonOf(value) : undefined) ?? String(value);
}

/** JSON of anything: BigInts as text, `[Circular]` where a value holds itself. Undefined where there is no JSON for it. */
export function jsonOf(value: unknown): string | undefined {
  const above: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key, item: unknown) {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null) return item;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(item)) return "[Circular]";
    above.push(item);
    return item;
  });
}

/** What was thrown, with its causes and its first place within the folder. */
export function describeError(thrown: unknown, folder: string): HostError {
  if (!isNativeError(thrown)) return { name: "Error", message: cut(textOf(thrown)) };
  const place = placeOf(thrown.stack ?? "", folder);
  return {
    name: String(thrown.name),
    message: cut([...messagesOf(thrown)].join(": ") + adviceFor(thrown)),
    ...(place === undefined ? {} : { at: place }),
  };
}

function* messagesOf(error: Error): Generator<string> {
  const seen = new Set<unknown>();
  for (let next: unknown = error; isNativeError(next) && !seen.has(next); next = next.cause) {
    seen.add(next);
    // Node appends the stack of who required a missing module.
    yield next.message.split("\nRequire stack:")[0] ?? "";
  }
}

function adviceFor(error: Error & { code?: unknown }): string {
  if (error.code !== "MODULE_NOT_FOUND") return "";
  return ". Only Node's own modules and those in the skill's own node_modules are there";
}

/** A frame `at f (/skill/handler.js:3:9)`, or the first line of a syntax error, `/skill/handler.js:3`. */
function placeOf(stack: string, folder: string): string | undefined {
  for (const line of stack.split("\n")) {
    const from = line.indexOf(`${folder}/`);
    const place = from < 0 ? undefined : /^[^:()]+:\d+/.exec(line.slice(from + folder.length + 1))?.[0];
    if (place !== undefined) return place;
  }
  return undefined;
}

function cut(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage)} …` : text;
}
