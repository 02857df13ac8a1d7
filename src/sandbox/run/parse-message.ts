import { parseExactly } from "../../base/exact-number.ts";
import { isContainer } from "../../base/record.ts";
import type { Json } from "../../core/values/json.ts";

/** Deeper values are refused, because code that walks through them would run out of stack. */
const deepest = 200;

/**
 * The JSON value of a line a program wrote, or undefined for anything else. Keys named `__proto__` are left out: copying
 * them into another object would replace that object's prototype.
 */
export function parseMessage(line: string): Json | undefined {
  let value: Json;
  try {
    value = parseExactly(line) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const pending: { value: Json; depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isContainer(next.value)) continue;
    if (next.depth >= deepest) return undefined;
    Reflect.deleteProperty(next.value, "__proto__");
    for (const inner of Object.values(next.value)) pending.push({ value: inner, depth: next.depth + 1 });
  }
  return value;
}
