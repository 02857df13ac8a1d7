import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { urlToHttpOptions } from "node:url";
import { NotJson } from "./reported-failure.ts";

/** Where requests go, and what is the same in each of them. */
export interface Target {
  url: URL;
  method: string;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
  /** The parts of the address as Node's client wants them. */
  options: object;
}

/** A target as of `fetch`. */
export function targetOf(address: string | URL, method: string, headers: Headers): Target {
  const url = new URL(address);
  // Nothing here unpacks an answer, and without this header servers may pack it. https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding
  const sent = { ...Object.fromEntries(headers), "accept-encoding": "identity" };
  return { url, method, headers: sent, options: urlToHttpOptions(url) };
}

/**
 * Sends a request on Node's own HTTP client, in half the CPU time of the global `fetch` and with no limit of its own to the time a server
 * may take. Redirects are not followed.
 * @param headers are sent in place of the target's
 * @throws TypeError with the reason as its cause when there is no connection, as fetch does; the signal's reason on abort
 */
export function sendRequest(
  { url, method, headers: usual, options }: Target,
  content: string | Uint8Array | undefined,
  signal: AbortSignal | null | undefined,
  own: Readonly<Record<string, string>> = {},
): Promise<ServerAnswer> {
  const headers: Record<string, string> = { ...usual, ...own };
  const bytes = typeof content === "string" ? wellFormed(content) : content;
  if (bytes !== undefined) headers["content-length"] = String(Buffer.byteLength(bytes));
  const begin = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const taken = (message: IncomingMessage) => resolve(new ServerAnswer(message));
    const request = begin({ ...options, method, headers, signal: signal ?? undefined }, taken);
    request.on("error", (error) => {
      reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: error }));
    });
    request.end(bytes);
  });
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

/**
 * The answer to a request. Its bytes are read as Node reads them: as web streams, those of an event stream would cost more than all else of
 * a request. To stop reading gives up the rest and the connection.
 */
export class ServerAnswer implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #message: IncomingMessage;
  readonly #pieces: AsyncIterator<Uint8Array, undefined>;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.#pieces = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  }

  get status(): number {
    return this.#message.statusCode ?? 502;
  }

  /** The content type without parameters; empty if there is none. */
  get mediaType(): string {
    return this.#message.headers["content-type"]?.split(";", 1)[0]?.trim().slice(0, 80) ?? "";
  }

  get headers(): Headers {
    const { rawHeaders } = this.#message;
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    return new Headers(names.map((name, at): [string, string] => [name, rawHeaders[2 * at + 1] ?? ""]));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws TypeError with the reason as its cause when the connection breaks, as fetch does */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      return await this.#pieces.next();
    } catch (error) {
      throw new TypeError("terminated", { cause: error });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#message.destroy();
    return { done: true, value: undefined };
  }

  /** The rest as text. @throws TypeError as `next` */
  text(): Promise<string> {
    return text(this);
  }

  /** The rest as JSON. @throws NotJson, or TypeError as `next` */
  async json(): Promise<unknown> {
    return NotJson.parse(await this.text(), this);
  }

  /** The same as `fetch` returns it. */
  response(): Response {
    // A response with such a status may have no body, not even an empty one. https://fetch.spec.whatwg.org/#null-body-status
    const isEmpty = [204, 205, 304].includes(this.status);
    const { status, headers } = this;
    return new Response(isEmpty ? null : ReadableStream.from(this), { status, headers });
  }
}
