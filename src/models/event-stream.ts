import { createParser, type EventSourceMessage } from "eventsource-parser";
import { parsedJson } from "../base/json-reader.ts";
import { NotJson, ReportedFailure } from "./reported-failure.ts";
import { type Body, bodyOf } from "./send-request.ts";

/** Maximum wait for the end of a stream after the answer, so that its connection can be reused, ms. */
const maxRest = 1_000;

/**
 * The chunks of a streamed answer, up to `[DONE]`, the last chunk or the end of the stream. This takes a fraction of the time of an
 * SDK's own stream, because each piece from the network is parsed at once. Bytes without a complete chunk, such as the comments with
 * which OpenRouter keeps a connection open, yield `undefined`: the server is alive.
 * @param isLast whether a chunk is the last one that matters
 * @throws ReportedFailure for an error within the stream, NotJson for an answer that is not JSON, and the error of reading when the
 *   connection breaks or is aborted
 */
export async function* readChunks<Chunk>(
  response: Response,
  isLast: (chunk: Chunk) => boolean = () => false,
): AsyncGenerator<Chunk | undefined, void> {
  const body = bodyOf(response);
  if (body === undefined) throw new NotJson(response);
  const takeMessages = createMessageTaker();
  let end: End = "open";
  const head = new Head();
  try {
    while (end === "open") {
      const { value, done } = await body.next();
      const { chunks, isSaid } = chunksIn<Chunk>(takeMessages(value), response, isLast);
      head.note(chunks, value);
      // A plain loop: delegating to a generator costs time for every piece of every answer.
      for (const chunk of chunks) yield chunk;
      end = done ? "closed" : isSaid ? "said" : "open";
    }
    if (head.isNotJson()) throw new NotJson(response);
  } finally {
    release(body, end);
  }
}

/** The chunks of these messages, and whether they complete the answer. `undefined` means bytes without a message. */
function chunksIn<Chunk>(
  messages: readonly EventSourceMessage[],
  response: Response,
  isLast: (chunk: Chunk) => boolean,
): { chunks: (Chunk | undefined)[]; isSaid: boolean } {
  const chunks: Chunk[] = [];
  for (const message of messages) {
    if (message.data === "[DONE]") return { chunks, isSaid: true };
    const chunk = toChunk<Chunk>(message, response);
    chunks.push(chunk);
    if (isLast(chunk)) return { chunks, isSaid: true };
  }
  return { chunks: messages.length === 0 ? [undefined] : chunks, isSaid: false };
}

/** Maximum bytes that are kept of an answer without chunks, to check whether it is JSON. */
const maxHead = 1_000_000;

/** The bytes before the first chunk. */
class Head {
  #pieces: Uint8Array[] | undefined = [];
  #bytes = 0;

  note(chunks: readonly unknown[], piece: Uint8Array | undefined): void {
    if (this.#pieces === undefined) return;
    if (chunks.some(Boolean)) this.#pieces = undefined;
    else if (piece !== undefined && this.#bytes < maxHead) {
      this.#bytes += piece.length;
      this.#pieces.push(piece);
    }
  }

  /** Whether the answer has no chunks and is not JSON either. A JSON document is the server's own answer, although not a stream. */
  isNotJson(): boolean {
    if (this.#pieces === undefined) return false;
    const value = parsedJson(Buffer.concat(this.#pieces).toString());
    return typeof value !== "object" || value === null;
  }
}

/** The state of a stream: open, declared complete by the server, or closed. */
type End = "open" | "said" | "closed";

/** Returns the messages that these bytes complete; without bytes, the rest at the end of the stream. */
function createMessageTaker(): (bytes: Uint8Array | undefined) => EventSourceMessage[] {
  const decoder = new TextDecoder();
  let messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  return (bytes) => {
    // The last message may lack its final blank line.
    parser.feed(bytes === undefined ? `${decoder.decode()}\n\n` : decoder.decode(bytes, { stream: true }));
    const complete = messages;
    messages = [];
    return complete;
  };
}

function toChunk<Chunk>({ event, data }: EventSourceMessage, response: Response): Chunk {
  const body = parsed(data, response);
  const reported = body?.error || (event === "error" ? body : undefined);
  if (reported) throw new ReportedFailure(reported, { headers: response.headers, ...statusIn(reported) });
  return body;
}

function parsed(data: string, response: Response) {
  try {
    return JSON.parse(data);
  } catch {
    throw new NotJson(response);
  }
}

/** OpenRouter reports its provider's status as the `code`. */
function statusIn({ code }: { code?: unknown }): { status?: number } {
  return typeof code === "number" && code >= 400 && code < 600 ? { status: code } : {};
}

function release(body: Body, end: End): void {
  if (end === "open") body.destroy();
  else if (end === "said") void readRest(body);
}

async function readRest(body: Body): Promise<void> {
  const timer = setTimeout(() => body.destroy(), maxRest);
  timer.unref();
  try {
    while (!(await body.next()).done);
  } catch {
    // The answer is complete, so a failure of its connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
