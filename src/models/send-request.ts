import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";

/** The bytes of an answer as Node reads them. As web streams, those of an event stream would cost more than all else of a request. */
export interface Body {
  /** @throws TypeError with the reason as its cause when the connection breaks, as fetch does */
  next(): Promise<IteratorResult<Uint8Array, undefined>>;
  /** Gives the rest and the connection up. */
  destroy(): void;
}

const bodies = new WeakMap<Response, Body>();

/**
 * A fetch for the SDKs on Node's own HTTP client, in half the CPU time of the global `fetch` and with no limit of its own to the time a
 * server may take. Redirects are not followed. Either the response or `bodyOf` reads its body.
 * @throws TypeError with the reason as its cause when there is no connection, as fetch does; the signal's reason on abort
 */
export async function sendRequest(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const message = await send(url, init, await bytesOf(init.body));
  const { statusCode: status = 502, statusMessage: statusText = "" } = message;
  const names = message.rawHeaders.filter((_, at) => at % 2 === 0);
  const headers = names.map((name, at): [string, string] => [name, message.rawHeaders[2 * at + 1] ?? ""]);
  // A response with such a status may have no body, not even an empty one. https://fetch.spec.whatwg.org/#null-body-status
  const isEmpty = [204, 205, 304].includes(status);
  const body = readableBody(message);
  const response = new Response(isEmpty ? null : webStreamOf(body), { status, statusText, headers });
  bodies.set(response, body);
  return response;
}

/** The body of a response, also of one that was made elsewhere; undefined if it has none. */
export function bodyOf(response: Response): Body | undefined {
  if (response.body === null) return undefined;
  return bodies.get(response) ?? readableBody(Readable.fromWeb(response.body as WebStream));
}

function readableBody(readable: Readable): Body {
  const pieces = readable[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  return {
    async next() {
      try {
        return await pieces.next();
      } catch (error) {
        throw new TypeError("terminated", { cause: error });
      }
    },
    destroy: () => void readable.destroy(),
  };
}

/** Reads nothing before it is read itself. */
function webStreamOf(body: Body): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { value, done } = await body.next();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: body.destroy }, { highWaterMark: 0 });
}

/** What is sent: text, or bytes with the type that they have by themselves. */
interface Content {
  bytes: string | Uint8Array;
  type?: string | null;
}

/** Forms, as of uploads, are encoded whole: they have at most some 25 MB. */
async function bytesOf(body: RequestInit["body"]): Promise<Content | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return { bytes: wellFormed(body) };
  if (body instanceof Uint8Array) return { bytes: body };
  const encoded = new Response(body);
  return {
    bytes: new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get("content-type"),
  };
}

/**
 * JSON without halves of surrogate pairs, which texts of others may contain. Servers refuse them as invalid JSON, and would refuse every
 * later request of the conversation.
 */
function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replaceAll(/\\(?:u(d[89a-f][0-9a-f]{2})|[\s\S])/g, (found, half?: string) =>
    half === undefined ? found : "\ufffd",
  );
}

function send(url: URL, init: RequestInit, content: Content | undefined): Promise<IncomingMessage> {
  const { method = "GET", headers: given = {}, signal } = init;
  const headers = Object.fromEntries(given instanceof Headers ? given : new Headers(given));
  // Nothing here unpacks an answer, and without this header servers may pack it. https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding
  headers["accept-encoding"] = "identity";
  if (content !== undefined) headers["content-length"] = String(Buffer.byteLength(content.bytes));
  if (content?.type) headers["content-type"] ??= content.type;
  const begin = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = begin(url, { method, headers, ...(signal ? { signal } : {}) }, resolve);
    request.on("error", (error) => {
      reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: error }));
    });
    request.end(content?.bytes);
  });
}
