/**
 * Checks who may call. Without a token the server is for programs on this machine only, and web pages of other origins are kept out by the
 * checks of Host (DNS rebinding), Origin and Sec-Fetch-Site. With a token, the API requires it.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import ipaddr from "ipaddr.js";
import { HttpProblem } from "./http-problem.ts";

export interface Security {
  /** The address to listen on, e.g. `127.0.0.1`. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** When set, calls to the API carry it as `Authorization: Bearer`. */
  token?: string | undefined;
  /** Other host names of the server, e.g. behind a proxy: `knack.example.com`, with the port if it is not the default. */
  allowedHosts?: readonly string[] | undefined;
}

/** The server cannot start as configured. The message says what to change. */
export class ServerSetupError extends Error {
  readonly code: "token_required" | "cannot_listen";
  constructor(code: ServerSetupError["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A refusal of a request's caller. */
function refusal(code: string, detail: string): HttpProblem {
  return new HttpProblem(403, detail, { code });
}

/** @throws ServerSetupError when others can reach the address and there is no token */
export function requireSafeSetup({ host, token }: Security): void {
  if (token !== undefined && token !== "") return;
  if (isLoopback(host)) return;
  throw new ServerSetupError(
    "token_required",
    `Listening on ${host} lets others reach the HTTP API, so it needs a token. Set KNACK_API_TOKEN to a long random text ` +
      "(for example from `openssl rand -hex 32`), or listen on 127.0.0.1.",
  );
}

/** Whether an address to listen on is reachable from this machine only. */
function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

/** Headers in which a proxy names its client: the standard ones (RFC 7239, RFC 9110 section 7.6.3) and common others. */
const ofProxies =
  /^(forwarded|via|x-forwarded-.*|x-(real|client|cluster-client)-ip|true-client-ip|cf-connecting-ip)$/i;

/** Whether the headers of a request show that a proxy forwarded it. */
function isForwarded(context: Context): boolean {
  return Object.keys(context.req.header()).some((name) => ofProxies.test(name));
}

/**
 * Refuses requests through a proxy while there is no token, because everybody who reaches the proxy would be the operator. For every path.
 */
export function checkDirect({ token }: Security): MiddlewareHandler {
  return async (context, next) => {
    if (!token && isForwarded(context))
      throw refusal(
        "proxy_refused",
        "This request came through a proxy, and without a token everybody who reaches the proxy would be the operator. Set KNACK_API_TOKEN to a long random text (for example from `openssl rand -hex 32`), or remove the proxy.",
      );
    await next();
  };
}

/**
 * Refuses requests whose Host or Origin is not this server's. For every path. Pages may post to `formPaths` even if a proxy changed the
 * Host, as long as the browser says that the origin is the same.
 */
export function checkSource(security: Security, formPaths: readonly string[]): MiddlewareHandler {
  const allowed = new Set((security.allowedHosts ?? []).map((host) => host.toLowerCase()));
  const anyHost = Boolean(security.token) && allowed.size === 0;
  return async (context, next) => {
    const host = (context.req.header("host") ?? new URL(context.req.url).host).toLowerCase();
    if (!anyHost && !allowed.has(host) && !isLoopbackHostHeader(host))
      throw refusal(
        "host_refused",
        "This server does not answer to that host name. Use http://127.0.0.1, or allow the name in the server's configuration.",
      );
    const origin = context.req.header("origin");
    const isOwnForm =
      formPaths.includes(context.req.path) && context.req.header("sec-fetch-site") === "same-origin";
    if (origin !== undefined && !isOwnForm && !isSameHost(origin, host, allowed))
      throw refusal("origin_refused", "Web pages of other origins may not call this server.");
    await next();
  };
}

/** Refuses calls from pages of other sites. */
export async function checkSite(context: Context, next: () => Promise<void>): Promise<void> {
  const site = context.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw refusal("origin_refused", "Web pages of other sites may not call this server.");
  await next();
}

/** Refuses calls without the token, if there is one. For the API. */
export function checkCaller(security: Security): MiddlewareHandler {
  const expected = security.token ? digest(security.token) : undefined;
  return async (context, next) => {
    if (expected !== undefined) checkToken(context.req.header("authorization"), expected);
    await next();
  };
}

function checkToken(authorization: string | undefined, expected: Buffer): void {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined && timingSafeEqual(digest(token), expected)) return;
  const detail =
    token === undefined
      ? "The API needs a token: send Authorization: Bearer with the value of KNACK_API_TOKEN."
      : "The token is not the one in KNACK_API_TOKEN.";
  throw new HttpProblem(401, detail, { headers: { "WWW-Authenticate": "Bearer" } });
}

/** The constant-time comparison needs values of equal length. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function isLoopbackHostHeader(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(host);
}

function isSameHost(origin: string, host: string, allowed: ReadonlySet<string>): boolean {
  const from = URL.parse(origin)?.host;
  return from !== undefined && (from === host || allowed.has(from));
}

/**
 * Refuses requests that only programs on the bot's machine may make, such as to read a folder there. Such programs are this process itself,
 * and callers of a server that listens on this machine only, without a proxy.
 * @throws HttpProblem (403)
 */
export function requireOwnMachine(context: Context, { host, allowedHosts = [] }: Security): void {
  if (isSameProcess(context)) return;
  if (isLoopback(host) && allowedHosts.length === 0 && !isForwarded(context)) return;
  throw refusal(
    "path_refused",
    "A path of the bot's machine is taken only from programs on that machine, while the bot listens on 127.0.0.1. Send the archive itself, or its address.",
  );
}

/** The listener gives every request its sockets; a call of the same process has none. */
function isSameProcess({ env }: Context): boolean {
  return typeof env !== "object" || env === null || !("incoming" in env);
}
