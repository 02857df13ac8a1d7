import type { FetchLike } from "@modelcontextprotocol/client";
import ipaddr from "ipaddr.js";
import { isRecord } from "../../base/record.ts";
import type { Web } from "../../core/ports/web.ts";
import { withoutNulls } from "../server-message.ts";

/**
 * Fetches directly from a tool server as it is configured, and from the addresses it names for its login only as the network guard allows:
 * a public server cannot send the bot into the private network. A server at an address of this machine or of a private network may name
 * others there.
 * @param headers sent to the server's origin alone; those of a request override them
 */
export function createLoginFetch(
  serverUrl: string,
  web: Pick<Web, "fetch">,
  headers: Readonly<Record<string, string>> = {},
): FetchLike {
  const server = new URL(serverUrl);
  const isNear = isPrivate(server);
  const guarded = createGuardedFetch(web);
  const send: FetchLike = (address, init) => {
    const url = new URL(address);
    const redirect = init?.redirect ?? "manual";
    if (url.origin === server.origin) {
      return fetch(url, { ...init, redirect, headers: { ...headers, ...plainHeaders(init) } });
    }
    const foreign = { ...init, redirect, headers: withoutHeaders(plainHeaders(init), headers) };
    return isNear && isPrivate(url) ? fetch(url, foreign) : guarded(url, foreign);
  };
  return describedOnly(send);
}

/** Where logins are described. RFC 8414, RFC 9728, OpenID Connect Discovery 1.0 */
const wellKnown =
  /\/\.well-known\/(oauth-authorization-server|oauth-protected-resource|openid-configuration)(\/|$)/;

/**
 * The SDK tries the next address of a description only after an error status: pages that answer every address, and unrelated JSON, become
 * errors here. Members that are null count as missing.
 */
function describedOnly(send: FetchLike): FetchLike {
  return async (address, init) => {
    const response = await send(address, init);
    if (!response.ok || !wellKnown.test(new URL(address).pathname)) return response;
    const said: unknown = await response.json().catch(() => undefined);
    const isDescription = isRecord(said) && ("issuer" in said || "resource" in said);
    if (!isDescription) return new Response(null, { status: 404 });
    return Response.json(withoutNulls(said));
  };
}

/** Maximum duration of one request of a login, ms: a person waits for it. */
const requestMs = 20_000;

/** For logins, whose requests are all finite: a login that hangs has failed. */
export function withDeadline(send: FetchLike): FetchLike {
  return (url, init) => {
    const deadline = AbortSignal.timeout(requestMs);
    return send(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
  };
}

/** The guarded fetch in the form the SDK expects. Bodies are text; of an answer's headers only its content type is passed on. */
function createGuardedFetch(web: Pick<Web, "fetch">): FetchLike {
  return (url, init) => fetchGuarded(web, String(url), init);
}

async function fetchGuarded(web: Pick<Web, "fetch">, url: string, init: RequestInit = {}): Promise<Response> {
  const { method = "GET", body, signal } = init;
  const answer = await web.fetch(url, {
    method,
    headers: plainHeaders(init),
    ...(body === undefined || body === null ? {} : { body: String(body) }),
    ...(signal ? { signal } : {}),
  });
  const hasBody = ![204, 205, 304].includes(answer.status);
  return new Response(hasBody ? answer.body : null, {
    status: answer.status,
    headers: { "content-type": answer.headers["content-type"] ?? "text/plain" },
  });
}

function plainHeaders(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers));
}

/** The caller may have put the headers of the configuration into every request. */
function withoutHeaders(
  given: Readonly<Record<string, string>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = new Headers({ ...configured });
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => own.get(name) !== value));
}

/** Judges by the name alone: the address it resolves to is checked by the guard. */
function isPrivate({ hostname }: URL): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  const address = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(address) && ipaddr.process(address).range() !== "unicast";
}
