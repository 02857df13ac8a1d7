import { createParser, type EventSourceMessage } from "eventsource-parser";
import { parsedJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import { NotJson, ReportedFailure } from "./reported-failure.ts";
import type { ServerAnswer } from "./send-request.ts";

/** Maximum wait for the end of a stream after the answer, so that its connection can be reused, ms. */
const maxRest = 1_000;

/**
 * The chunks of a streamed answer, those of one read from the network together, up to `[DONE]`, the last chunk or the end of the stream.
 * This takes a fraction of the time of an SDK's own stream, because each read is parsed at once. A read without a complete chunk, such as
 * of the comments with which OpenRouter keeps a connection open, yields no chunks: the server is alive, which does not mean that the model
 * is. A JSON document in place of a stream is a chunk.
 * @param isLast whether a chunk is the last one that matters
 * @throws ReportedFailure for an error within the stream, NotJson for an answer that is not JSON, and the error of reading when the
 *   connection breaks or is aborted
 */
export async function* readChunks<Chunk>(
  answer: ServerAnswer,
  isLast: (chunk: Chunk) => boolean = () => false,
): AsyncGenerator<readonly Chunk[], void> {
  const takeMessages = createMessageTaker();
  let end: End = "open";
  const head = new Head();
  try {
    while (end === "open") {
      const { value, done } = await answer.next();
      const { chunks, isComplete } = chunksIn<Chunk>(takeMessages(value), answer, isLast);
      head.note(chunks, value);
      yield chunks;
      end = done ? "closed" : isComplete ? "complete" : "open";
    }
    const whole = head.json();
    if (whole === null) throw new NotJson(answer);
    if (whole !== undefined) yield [reportedOr<Chunk>(whole, undefined, answer)];
  } finally {
    release(answer, end);
  }
}

/** The chunks of these messages, and whether they complete the answer. Anthropic's pings are none. */
function chunksIn<Chunk>(
  messages: readonly EventSourceMessage[],
  answer: ServerAnswer,
  isLast: (chunk: Chunk) => boolean,
): { chunks: Chunk[]; isComplete: boolean } {
  const chunks: Chunk[] = [];
  for (const message of messages) {
    if (message.data === "[DONE]") return { chunks, isComplete: true };
    if (message.event === "ping") continue;
    const chunk = reportedOr<Chunk>(NotJson.parse(message.data, answer), message.event, answer);
    chunks.push(chunk);
    if (isLast(chunk)) return { chunks, isComplete: true };
  }
  return { chunks, isComplete: false };
}

/** Maximum bytes that are kept of an answer without chunks, which may be one JSON document. */
const maxHead = 8_000_000;

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

  /** The JSON document in place of a stream; undefined where there are chunks, null where there is no JSON either. */
  json(): object | null | undefined {
    if (this.#pieces === undefined) return undefined;
    const value = parsedJson(Buffer.concat(this.#pieces).toString());
    return typeof value === "object" ? value : null;
  }
}

/** The state of a stream: open, declared complete by the server, or closed. */
type End = "open" | "complete" | "closed";

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

function reportedOr<Chunk>(body: unknown, event: string | undefined, answer: ServerAnswer): Chunk {
  const reported = (isRecord(body) && body.error) || (event === "error" ? body : undefined);
  if (reported) throw new ReportedFailure(reported, { headers: answer.headers, status: statusIn(reported) });
  return body as Chunk;
}

/** OpenRouter reports its provider's status as the `code`. */
function statusIn({ code }: { code?: unknown }): number | undefined {
  return typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
}

function release(answer: ServerAnswer, end: End): void {
  if (end === "open") void answer.return();
  else if (end === "complete") void readRest(answer);
}

async function readRest(answer: ServerAnswer): Promise<void> {
  const timer = setTimeout(() => void answer.return(), maxRest);
  timer.unref();
  try {
    while (!(await answer.next()).done);
  } catch {
    // The answer is complete, so a failure of its connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
