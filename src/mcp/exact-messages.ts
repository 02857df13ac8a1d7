import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ExactNumber, replaceExact } from "../base/exact-number.ts";
import { isRecord } from "../base/record.ts";

/** Begins a text that stands for a number while the SDK reads a message, as it has doubles alone; no server knows it. */
const mark = `${randomUUID()}:`;

/** Text of a message in which numbers that would lose digits are marked texts. */
function markNumbers(text: string): string {
  return replaceExact(text, (digits) => `"${mark}${digits}"`);
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

/** Marks the numbers in what comes in pieces, line by line. */
export interface LineMarker {
  /** The whole lines so far that were not answered yet. @throws when a line is longer than `largest` bytes */
  add(piece: Uint8Array): Uint8Array;
  /** What came behind the last line. */
  end(): Uint8Array;
}

/** @param isEvents only the data of a stream of events is JSON */
export function createLineMarker(largest: number, isEvents = false): LineMarker {
  let held: Uint8Array[] = [];
  let size = 0;
  const end = () => {
    const whole = Buffer.concat(held);
    [held, size] = [[], 0];
    // Bytes stay as they are, whatever their encoding: all signs of JSON are ASCII.
    const text = whole.toString("latin1");
    const marked = text.replace(/[^\r\n]+/g, (line) =>
      isEvents && !line.startsWith("data") ? line : markNumbers(line),
    );
    return marked === text ? whole : Buffer.from(marked, "latin1");
  };
  return {
    end,
    add(piece) {
      const after = Math.max(piece.lastIndexOf(0x0a), piece.lastIndexOf(0x0d)) + 1;
      if (after > 0) held.push(piece.subarray(0, after));
      const lines = after > 0 ? end() : Buffer.alloc(0);
      held.push(piece.subarray(after));
      size += piece.byteLength - after;
      if (size > largest) throw new Error(`One line is longer than ${largest} bytes.`);
      return lines;
    },
  };
}
