import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

/** Bytes of one message, as on standard streams; what is larger would fill the bot's memory. */
const largestMessage = 32 * 1024 * 1024;

const withoutBody = new Set([204, 205, 304]);

/** A fetch whose answers to calls are JSON unless they say otherwise, and break off when a message in them gets too large: a body, or in a stream of events one event. */
export function limitMessages(send: FetchLike): FetchLike {
  return async (address, init) => {
    const response = await send(address, init);
    const { body, status, statusText, url } = response;
    if (body === null || withoutBody.has(status)) return response;
    const headers = new Headers(response.headers);
    // Proxies drop it; an answer to a call is JSON unless it says otherwise.
    if (status === 200 && init?.method === "POST" && !headers.has("content-type")) {
      headers.set("content-type", "application/json");
    }
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const limited = new Response(body.pipeThrough(messageLimit(isStream)), { status, statusText, headers });
    // Made anew, it knows no longer where it came from.
    return Object.defineProperty(limited, "url", { value: url });
  };
}

function messageLimit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      size = end < 0 ? size + chunk.byteLength : chunk.byteLength - end;
      if (size > largestMessage) throw new MessageTooLargeError();
      controller.enqueue(chunk);
    },
  });
}

/** Where the last event in a piece of a stream ends, or -1. One that ends between two pieces is counted with the next. */
function endOfEvent(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...["\n\n", "\r\n\r\n", "\r\r"].map((blank) => bytes.lastIndexOf(blank)));
}

/** The answer of a server broke off because it was too large. */
class MessageTooLargeError extends Error {
  constructor() {
    super(`One message of it is larger than ${largestMessage / 1024 / 1024} MB.`);
  }
}
