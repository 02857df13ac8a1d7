import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ExactNumber, replaceExact } from "../base/exact-number.ts";
import { isRecord } from "../base/record.ts";

/** Prefix of a text that replaces a number while the SDK reads a message, because the SDK has only doubles; unknown to servers. */
const mark = `${randomUUID()}:`;

/** Parses a message; numbers that would lose digits become marked texts. @throws SyntaxError */
export function parseMarked(text: string): unknown {
  return JSON.parse(replaceExact(text, (digits) => `"${mark}${digits}"`));
}

/** Passes on the messages of a transport with their numbers: those of a result with all digits, those the protocol reads as doubles. */
export function withExactNumbers<T extends Transport>(transport: T): T {
  let handler: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(next: Transport["onmessage"]) {
      handler = next && ((message, extra) => next(restored(message), extra));
    },
  });
}

function restored(message: JSONRPCMessage): JSONRPCMessage {
  const whole = unmarked(message, Number) as JSONRPCMessage;
  if (!("result" in message) || !("result" in whole) || message.result.structuredContent === undefined)
    return whole;
  const exact = unmarked(message.result.structuredContent, (digits) => new ExactNumber(digits));
  return { ...whole, result: { ...whole.result, structuredContent: exact } };
}

/** The same value if nothing in it is marked. */
function unmarked(value: unknown, read: (digits: string) => unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? read(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => unmarked(item, read));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, unmarked(item, read)] as const);
  return entries.every(([name, item]) => item === value[name]) ? value : Object.fromEntries(entries);
}
