import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ExactNumber, replaceExact } from "../base/exact-number.ts";
import { isRecord } from "../base/record.ts";

/** Begins a text that stands for a number while the SDK reads a message, as it has doubles alone; no server knows it. */
const mark = `${randomUUID()}:`;

/** The message in a text, in which numbers that would lose digits are marked texts. @throws SyntaxError */
export function parseMarked(text: string): unknown {
  return JSON.parse(replaceExact(text, (digits) => `"${mark}${digits}"`));
}

/** Hands the messages of a transport on with their numbers: those of a result with all digits, what the protocol reads as doubles. */
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

/** The same value where nothing in it is marked. */
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
