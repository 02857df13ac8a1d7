import { createParser, type EventSourceMessage } from "eventsource-parser";
import { NotJson, ReportedFailure } from "./reported-failure.ts";

/** How long what follows a finished answer (normally nothing) is awaited, so that the connection can be used again, ms. */
const maxRest = 1_000;

/**
 * The chunks of a streamed answer, up to `[DONE]`, the last one or its end: what an SDK's own stream gives for a fraction
 * of its work, since each piece from the network is taken apart in one go. Bytes without a whole chunk, such as the comments
 * by which OpenRouter keeps a connection open, are answered as `undefined`: the server is alive.
 * @param isLast whether nothing of interest follows a chunk
 * @throws ReportedFailure for an error reported within the stream, NotJson for what is no JSON at all, and whatever reading
 *   rejects with when the connection breaks or is aborted
 */
export async function* readChunks<Chunk>(
  response: Response,
  isLast: (chunk: Chunk) => boolean = () => false,
): AsyncGenerator<Chunk | undefined, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new NotJson(response);
  const takeMessages = createMessageTaker();
  let end: End = "open";
  const head = new Head();
  try {
    while (end === "open") {
      const { value, done } = await reader.read();
      const { chunks, isSaid } = chunksIn<Chunk>(takeMessages(value), response, isLast);
      head.note(chunks, value);
      // In a plain loop: delegating to a generator takes time for every piece of every answer.
      for (const chunk of chunks) yield chunk;
      end = done ? "closed" : isSaid ? "said" : "open";
    }
    if (head.isNotJson()) throw new NotJson(response);
  } finally {
    await release(reader, end);
  }
}

/** The chunks of these messages, and whether the answer is complete with them. `undefined` stands for bytes without any. */
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

/** Of an answer without chunks so much is kept, to tell whether it is JSON. Bytes. */
const maxHead = 1_000_000;

/** What comes before the first chunk: of an answer that has none, all of it. */
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

  /** False for a document in answer to a request for a stream: not what was asked for, but the server's own words. */
  isNotJson(): boolean {
    if (this.#pieces === undefined) return false;
    try {
      const value: unknown = JSON.parse(Buffer.concat(this.#pieces).toString());
      return typeof value !== "object" || value === null;
    } catch {
      return true;
    }
  }
}

/** How far the answer has come: the server may go on, has said that it is done, or has closed. */
type End = "open" | "said" | "closed";

/** Answers the messages that are complete with these bytes; without bytes, what is left at the end of the stream. */
function createMessageTaker(): (bytes: Uint8Array | undefined) => EventSourceMessage[] {
  const decoder = new TextDecoder();
  let messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  return (bytes) => {
    // The last message may lack the blank line that ends it.
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

/** OpenRouter tells the status of a failure behind it as the `code`. */
function statusIn({ code }: { code?: unknown }): { status?: number } {
  return typeof code === "number" && code >= 400 && code < 600 ? { status: code } : {};
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function release(reader: Reader, end: End): Promise<void> {
  if (end === "open") await cancel(reader);
  else if (end === "said") void readRest(reader);
}

async function readRest(reader: Reader): Promise<void> {
  const timer = setTimeout(() => void cancel(reader), maxRest);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is complete; how its connection ends does not matter.
  } finally {
    clearTimeout(timer);
  }
}

async function cancel(reader: Reader): Promise<void> {
  // Rejects with the reason the stream has failed with, which the reader of the chunks has had.
  await reader.cancel().catch(() => {});
}
