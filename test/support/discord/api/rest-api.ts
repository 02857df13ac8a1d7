import type { IncomingMessage, ServerResponse } from "node:http";
import type { World } from "../world/world.ts";
import { ApiError, refusals } from "./api-error.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "./api-request.ts";
import type { Faults } from "./faults.ts";
import { isObject, type Json } from "./json.ts";
import { rateHeaders } from "./rate-limits.ts";
import { type RequestBody, readRequestBody } from "./request-body.ts";

/** A request to the API, as it was answered. */
export interface Call {
  /** When it came, ms since the epoch. */
  at: number;
  method: string;
  /** Below `/api/v10`, without the query. */
  path: string;
  query: Record<string, string>;
  /** E.g. `POST /channels/:channel/messages`; null if there is none. */
  route: string | null;
  /** 0 if the connection was dropped. */
  status: number;
  /** Discord's error code, if it answered one. */
  code: number | null;
  body: unknown;
  /** Names of the files it brought. */
  files: string[];
}

interface Parts {
  world: World;
  routes: readonly ApiRoute[];
  faults: Faults;
  calls: Call[];
}

type Outcome = ApiReply & { headers?: Record<string, string>; dropped?: boolean };

/** Answers `/api/v10/…` with Discord's headers and errors. */
export async function answerApi(
  parts: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const path = url.pathname.replace(/^\/api\/v10/, "");
  const method = request.method ?? "GET";
  const at = Date.now();
  const found = findRoute(parts.routes, method, path);
  const read = await readRequestBody(request);
  const limits = found ? rateHeaders(found.route.name) : {};
  const outcome = decide(parts, { found, method, path, url, read, request });
  parts.calls.push({
    at,
    method,
    path,
    query: Object.fromEntries(url.searchParams),
    route: found?.route.name ?? null,
    status: outcome.dropped ? 0 : outcome.status,
    code: isObject(outcome.body) && typeof outcome.body.code === "number" ? outcome.body.code : null,
    body: read.raw,
    files: read.files.map(({ filename }) => filename),
  });
  parts.world.changes.note();
  if (outcome.dropped) response.destroy();
  else send(response, outcome, { ...limits, ...outcome.headers });
}

interface Asked {
  found: Found | null;
  method: string;
  path: string;
  url: URL;
  read: RequestBody;
  request: IncomingMessage;
}

function decide(parts: Parts, asked: Asked): Outcome {
  const fault = parts.faults.take(`${asked.method} ${asked.path}`);
  switch (fault?.kind) {
    case "rate_limit":
      return tooMany(fault.seconds, fault.global ? "global" : fault.shared ? "shared" : "user");
    case "drop":
      if (fault.after) run(parts, asked);
      return { status: 0, dropped: true };
    case "fail":
      if (fault.after) run(parts, asked);
      return { status: fault.status, body: { message: fault.message, code: fault.code } };
    default:
      return run(parts, asked);
  }
}

function run({ world, routes }: Parts, { found, path, url, read, request }: Asked): Outcome {
  try {
    if (!found)
      throw routes.some(({ name }) => findName(name, path))
        ? refusals.methodNotAllowed()
        : refusals.notFound();
    const token = request.headers.authorization;
    const authorized = token === `Bot ${world.options.application.token}` && !world.revoked;
    if (found.route.auth && !authorized) throw refusals.unauthorized();
    if (read.invalid) throw refusals.invalidJson();
    if (read.tooLarge) throw refusals.tooLarge();
    const apiRequest: ApiRequest = {
      at: (name) => found.values[name] ?? "",
      query: url.searchParams,
      body: isObject(read.raw) ? read.raw : {},
      raw: read.raw,
      files: read.files,
    };
    return found.route.handle(apiRequest);
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, body: error.body() };
    // A defect of the fake: shown to whoever runs the test, and an error to the client.
    console.error(error);
    return { status: 500, body: { message: "500: Internal Server Error", code: 0 } };
  }
}

function tooMany(seconds: number, scope: "user" | "global" | "shared"): Outcome {
  return {
    status: 429,
    headers: {
      "retry-after": String(Math.ceil(seconds)),
      "x-ratelimit-scope": scope,
      via: "1.1 google",
      ...(scope === "global"
        ? { "x-ratelimit-global": "true" }
        : { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": seconds.toFixed(3) }),
    },
    body: { message: "You are being rate limited.", retry_after: seconds, global: scope === "global" },
  };
}

function send(response: ServerResponse, { status, body }: Outcome, headers: Record<string, string>): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body satisfies unknown as Json));
}

interface Found {
  route: ApiRoute;
  values: Record<string, string>;
}

/** The first route that fits, and the named parts of its path. */
function findRoute(routes: readonly ApiRoute[], method: string, path: string): Found | null {
  for (const route of routes) {
    const values = route.name.startsWith(`${method} `) ? findName(route.name, path) : null;
    if (values) return { route, values };
  }
  return null;
}

function findName(name: string, path: string): Record<string, string> | null {
  const wanted = name.slice(name.indexOf(" ") + 1).split("/");
  const got = path.split("/").map(decodeURIComponent);
  if (wanted.length !== got.length) return null;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = got[index] ?? "";
    if (part.startsWith(":") && value !== "") values[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return values;
}
