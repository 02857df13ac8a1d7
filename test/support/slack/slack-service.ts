import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Faults } from "./api/faults.ts";
import { answerFileRequest } from "./api/file-routes.ts";
import type { Backend } from "./api/method.ts";
import { OauthGrants } from "./api/oauth-grants.ts";
import { answerAuthorizePage } from "./api/oauth-page.ts";
import { answerResponseUrl } from "./api/response-urls.ts";
import { answerCall } from "./api/web-api.ts";
import { ControlRefusal } from "./control-refusal.ts";
import { type Controls, createControls } from "./controls.ts";
import { partOf, snapshotOf } from "./observation.ts";
import { Deliveries } from "./world/deliveries.ts";
import { Events } from "./world/events.ts";
import { Interactivity } from "./world/interactivity.ts";
import { defaultSeed, type SlackSeed } from "./world/seed.ts";
import { World } from "./world/world.ts";

export interface SlackOptions {
  /** Parts of the seed that differ from `defaultSeed`. */
  seed?: Partial<SlackSeed>;
  /** How long the app has to acknowledge; Slack gives 3,000 ms. */
  ackTimeoutMs?: number;
  /** Waits before the retries of an event; Slack: 0, 60,000 and 300,000 ms. */
  retryDelaysMs?: readonly number[];
  /** Where events go by signed HTTP; without it they go over Socket Mode. */
  eventsUrl?: string;
  /** Whether Slack's rate limits apply. */
  enforceRates?: boolean;
}

export interface SlackService {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  stop(): Promise<void>;
}

/** Starts the fake on a free loopback port. */
export async function startSlackService(options: SlackOptions): Promise<SlackService> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const backend = createBackend(options, `http://127.0.0.1:${port}`);
  const faults = new Faults(backend.world, options.enforceRates === true);
  const controls = createControls(backend, faults);
  server.on("request", (request, response) => {
    route({ backend, faults, controls }, request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.on("upgrade", (request, socket, head) => backend.deliveries.hub.upgrade(request, socket, head));
  return { url: backend.baseUrl, stop: () => stop(server, backend) };
}

function createBackend(options: SlackOptions, baseUrl: string): Backend {
  const world = new World({ ...defaultSeed(), ...options.seed });
  const deliveries = new Deliveries(world, {
    ackTimeoutMs: options.ackTimeoutMs ?? 3_000,
    retryDelaysMs: options.retryDelaysMs ?? [0, 60_000, 300_000],
    ...(options.eventsUrl === undefined ? {} : { eventsUrl: options.eventsUrl }),
  });
  const events = new Events(world, deliveries, baseUrl);
  const interactivity = new Interactivity(world, baseUrl);
  return { world, events, deliveries, interactivity, oauth: new OauthGrants(world), baseUrl };
}

async function stop(server: Server, backend: Backend): Promise<void> {
  backend.deliveries.stop();
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

interface Parts {
  backend: Backend;
  faults: Faults;
  controls: Controls;
}

async function route(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { backend, faults } = parts;
  const url = new URL(request.url ?? "/", backend.baseUrl);
  const [, first = "", second = ""] = url.pathname.split("/");
  const body = await bytesOf(request);
  if (first === "api") {
    const { headers } = request;
    const reply = await answerCall(backend, faults, { method: second, headers, body: body.toString() });
    const type = typeof reply.body === "string" ? "text/html" : "application/json; charset=utf-8";
    response.writeHead(reply.status, { "content-type": type, ...reply.headers });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  } else if (first === "control") {
    await answerControl(parts, second, url, body.toString(), response);
  } else if (["commands", "actions", "app"].includes(first)) {
    const known = backend.interactivity.responseUrls.get(url.pathname.slice(1));
    const reply =
      known === undefined || faults.next("response_url").length > 0
        ? { status: 404, body: JSON.stringify({ ok: false, error: "invalid_url" }) }
        : answerResponseUrl(backend, known, body.toString());
    response.writeHead(reply.status, { "content-type": "text/plain" }).end(reply.body);
  } else if (first === "files-pri" || first === "upload") {
    const { headers, method = "GET" } = request;
    const reply = answerFileRequest(backend, { method, path: url.pathname, headers, body });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  } else if (url.pathname === "/oauth/v2/authorize") {
    const location = answerAuthorizePage(backend, url.searchParams);
    response.writeHead(302, { location }).end();
  } else {
    response.writeHead(404).end();
  }
}

async function answerControl(
  { backend, controls }: Parts,
  name: string,
  url: URL,
  body: string,
  response: ServerResponse,
): Promise<void> {
  if (name === "state") {
    const after = Number(url.searchParams.get("after") ?? "0");
    if (backend.world.version <= after)
      await backend.world.changed(Number(url.searchParams.get("wait") ?? "0"));
    const all = snapshotOf(backend);
    const isPart = url.searchParams.get("traffic") === "no";
    const thread = url.searchParams.get("thread");
    const part = thread === null ? {} : partOf(all, thread);
    sendJson(response, 200, isPart ? { ...all, ...part, calls: [], deliveries: [] } : all);
    return;
  }
  const action = (controls as Record<string, ((given: unknown) => unknown) | undefined>)[name];
  if (action === undefined) {
    sendJson(response, 404, { code: "no_such_control", message: `There is no control ${name}.` });
    return;
  }
  try {
    sendJson(response, 200, { result: await action(JSON.parse(body)) });
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    sendJson(response, 400, { code: error.code, message: error.message });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
