import type { FetchLike, RequestId } from "@modelcontextprotocol/client";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { isRecord } from "../base/record.ts";
import { answersTo, lostAnswer, messagesIn, parseMarked } from "./server-message.ts";

/** Maximum size of one message, as on standard streams; a larger one would fill the bot's memory. Bytes, for events characters. */
const maxMessage = 32 * 1024 * 1024;

/** Maximum attempts of the SDK to resume a broken stream whose server sent event ids. */
export const maxResumptions = 2;

/** Delays before that, as a server may set them, ms: without the minimum, a server could make the bot connect in a loop. */
const resumptionPause = { min: 100, max: 60_000 };

const withoutBody = new Set([204, 205, 304]);

/** A stream that broke off before the results of these requests, and that may be resumed. */
interface Resumable {
  asked: Set<RequestId>;
  failures: number;
}

/**
 * A fetch whose answers contain messages as `messagesIn` reads them. An answer breaks off when a message in it gets too large. A request
 * whose stream ends without its result, and cannot be resumed, is answered by `lostAnswer`.
 */
export function createServerFetch(send: FetchLike): FetchLike {
  const resumable = new Map<string, Resumable>();

  const openAgain = async (token: string, broken: Resumable, address: string | URL, init?: RequestInit) => {
    const giveUp = () => {
      resumable.delete(token);
      return lostStream(broken.asked);
    };
    broken.failures += 1;
    try {
      const response = await send(address, init);
      if (response.ok) {
        resumable.delete(token);
        return cleanStream(response, broken.asked, (next) => resumable.set(next, { ...broken, failures: 0 }));
      }
      const isRefused = response.status < 500 && response.status !== 401;
      if (!isRefused && broken.failures < maxResumptions) return response;
      await response.body?.cancel();
      return giveUp();
    } catch (error) {
      if (init?.signal?.aborted || broken.failures < maxResumptions) throw error;
      return giveUp();
    }
  };

  const open: FetchLike = async (address, init) => {
    const id = requestIn(init);
    const response = await send(address, init);
    if (response.body === null || withoutBody.has(response.status)) return response;
    if (!isEventStream(response)) return cleanBody(response, id);
    const asked = new Set(id === undefined ? [] : [id]);
    return cleanStream(response, asked, (last) => resumable.set(last, { asked, failures: 0 }));
  };

  return (address, init) => {
    const token = new Headers(init?.headers).get("last-event-id") ?? "";
    const broken = resumable.get(token);
    return broken === undefined ? open(address, init) : openAgain(token, broken, address, init);
  };
}

/** The same for the transport HTTP+SSE, whose results all come in one stream that is opened first. */
export function createSharedFetch(send: FetchLike): FetchLike {
  const asked = new Set<RequestId>();
  return async (address, init) => {
    const id = requestIn(init);
    if (id !== undefined) asked.add(id);
    const response = await send(address, init);
    if (response.body === null || withoutBody.has(response.status)) return response;
    return isEventStream(response) ? cleanStream(response, asked) : cleanBody(response, undefined);
  };
}

/** The id of the request that is sent. */
function requestIn(init: RequestInit | undefined): RequestId | undefined {
  if (init?.method !== "POST" || typeof init.body !== "string") return undefined;
  const message = jsonIn(init.body);
  if (!isRecord(message) || message.jsonrpc !== "2.0" || typeof message.method !== "string") return undefined;
  return message.id as RequestId | undefined;
}

function jsonIn(text: string): unknown {
  try {
    return parseMarked(text);
  } catch {
    return undefined;
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.trim().toLowerCase().startsWith("text/event-stream") ?? false;
}

/** An answer with another body. The new object no longer knows its URL. */
function withBody(
  { status, statusText, headers, url }: Response,
  body: string | ReadableStream<Uint8Array<ArrayBuffer>>,
  type?: "application/json",
): Response {
  const own = new Headers(headers);
  if (type !== undefined) own.set("content-type", type);
  return Object.defineProperty(new Response(body, { status, statusText, headers: own }), "url", {
    value: url,
  });
}

/**
 * A body that is not JSON, or answers no request, passes unchanged: the SDK reports the defect. A refusal in the name of the request
 * counts as its answer, whatever the status: the SDK would drop its reason.
 */
async function cleanBody(response: Response, id: RequestId | undefined): Promise<Response> {
  const body = response.body?.pipeThrough(sizeLimit());
  if (body === undefined) return response;
  const isLogin = response.status === 401 || response.status === 403;
  if (id === undefined || isLogin || response.status === 202) return withBody(response, body);
  const text = await new Response(body).text();
  if (!response.ok) {
    const refusals = messagesIn(jsonIn(text)).filter((message) => answersTo(message, id));
    if (refusals.length === 0) return withBody(response, text);
    return Response.json(refusals);
  }
  const messages = messagesIn(jsonIn(text), id);
  if (messages.length === 0) return withBody(response, text);
  const lost = messages.some((message) => answersTo(message, id)) ? [] : [lostAnswer(id)];
  return withBody(response, JSON.stringify([...messages, ...lost]), "application/json");
}

function sizeLimit(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxMessage) throw new MessageTooLargeError();
      controller.enqueue(chunk);
    },
  });
}

function lostStream(asked: ReadonlySet<RequestId>): Response {
  return new Response(lostTexts(asked), { headers: { "content-type": "text/event-stream" } });
}

function lostTexts(asked: ReadonlySet<RequestId>): string {
  return [...asked].map((id) => eventText({ data: JSON.stringify(lostAnswer(id)) })).join("");
}

function eventText({ event, id, data }: EventSourceMessage): string {
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return `${event ? `event: ${event}\n` : ""}${id === undefined ? "" : `id: ${id}\n`}${lines.join("")}\n`;
}

/**
 * A stream of events with cleaned messages. If it ends before the results it was opened for, they are lost, unless it can be resumed: then
 * `keep` gets the id of its last event.
 */
function cleanStream(response: Response, asked: Set<RequestId>, keep?: (lastId: string) => void): Response {
  if (response.body === null) return response;
  const events = createEventCleaner(asked);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const put = (text: string) => {
          if (text !== "") controller.enqueue(encoder.encode(text));
          return text !== "";
        };
        for (let isOver = false; !isOver; ) {
          const piece = await nextPiece(reader);
          if (piece !== undefined && !events.isTooLarge()) {
            if (put(events.add(piece))) return;
            continue;
          }
          isOver = true;
          const { text, lastId } = events.end();
          put(text);
          if (lastId !== undefined && asked.size > 0 && keep !== undefined) keep(lastId);
          else put(lostTexts(asked));
          controller.close();
          // Only an oversized event leaves more to read.
          await reader.cancel().catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is buffered here, where the code that resumes the stream would not see it.
    { highWaterMark: 0 },
  );
  return withBody(response, body);
}

/** The next piece of a stream; undefined at its end and where it breaks off. */
async function nextPiece(reader: ReadableStreamDefaultReader<string>): Promise<string | undefined> {
  try {
    return (await reader.read()).value;
  } catch {
    return undefined;
  }
}

/** @param asked requests whose results come in the stream; received ones are removed */
function createEventCleaner(asked: Set<RequestId>) {
  let text = "";
  let lastId: string | undefined;
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxMessage,
    onEvent(event) {
      lastId = event.id || lastId;
      text += cleanEvent(event, asked);
    },
    onRetry(ms) {
      text += `retry: ${Math.min(Math.max(ms, resumptionPause.min), resumptionPause.max)}\n\n`;
    },
    onError({ type }) {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  const feed = (piece: string) => {
    if (!isTooLarge) parser.feed(piece);
    const clean = text;
    text = "";
    return clean;
  };
  return {
    /** The complete events received so far. */
    add: feed,
    /** Whether an event was too large; nothing after it is read. */
    isTooLarge: () => isTooLarge,
    /** The last event even if its end is missing, and the id by which the stream can be resumed. */
    end: () => ({ text: feed("\n\n"), lastId: isTooLarge ? undefined : lastId }),
  };
}

function cleanEvent(event: EventSourceMessage, asked: Set<RequestId>): string {
  if (event.event !== undefined && event.event !== "message") return eventText(event);
  const [only] = asked.size === 1 ? asked : [];
  const messages = messagesIn(jsonIn(event.data), only);
  // Its data may be missing: then only its id matters.
  if (messages.length === 0) return eventText(event);
  for (const id of asked) if (messages.some((message) => answersTo(message, id))) asked.delete(id);
  const texts = messages.map((message) => JSON.stringify(message));
  return texts.map((data, at) => eventText(at === 0 ? { ...event, data } : { data })).join("");
}

/** The answer of a server broke off because it was too large. */
class MessageTooLargeError extends Error {
  constructor() {
    super(`One message of it is larger than ${maxMessage / 1024 / 1024} MB.`);
  }
}
