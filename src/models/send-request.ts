import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { mediaTypeOf } from "./reported-failure.ts";

/** The bodies of event streams, which are read as Node reads them: as web streams they would cost more than all else of a request. */
const eventStreams = new WeakMap<Response, Readable>();

/**
 * A fetch for the SDKs on Node's own HTTP client, in half the CPU time of the global `fetch` and with no limit of its own to the time a
 * server may take. Redirects are not followed. `bodyOf` reads the body of an event stream; other bodies are those of the response.
 * @throws TypeError with the reason as its cause when there is no connection, as fetch does; the signal's reason on abort
 */
export async function sendRequest(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const message = await send(url, init, await bytesOf(init.body));
  const { statusCode: status = 502, statusMessage: statusText = "" } = message;
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
  const head = { status, statusText, headers };
  if (mediaTypeOf(headers) === "text/event-stream") {
    const response = new Response(null, head);
    eventStreams.set(response, message);
    return response;
  }
  // A response with such a status may have no body, not even an empty one. https://fetch.spec.whatwg.org/#null-body-status
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : (Readable.toWeb(message) as globalThis.ReadableStream), head);
}

/** The bytes of a response. */
export function bodyOf(response: Response): Readable | undefined {
  if (response.body === null) return eventStreams.get(response);
  return Readable.fromWeb(response.body as ReadableStream);
}

/** What is sent: text, or bytes with the type that they have by themselves. */
interface Content {
  bytes: string | Uint8Array;
  type?: string | null;
}

/** Forms, as of uploads, are encoded whole: they have at most some 25 MB. */
async function bytesOf(body: RequestInit["body"]): Promise<Content | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return { bytes: body };
  const encoded = new Response(body);
  return {
    bytes: new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get("content-type"),
  };
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
