import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Json, objectOf } from "../../../src/core/values/json.ts";
import { answerRequest, type Desk } from "./answer-request.ts";
import { anthropicApi } from "./anthropic/anthropic.ts";
import { completionsApi } from "./completions/completions.ts";
import type { Dialect } from "./completions/completions-request.ts";
import type { Feature, Incoming, VendorApi, World } from "./exchange.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createPrefixCache } from "./prefix-cache.ts";
import type { RecordedRequest } from "./recording.ts";
import { responsesApi } from "./responses/responses.ts";
import { echo } from "./script.ts";
import { answerTranscription, type RecordedTranscription } from "./transcriptions.ts";
import type { Script } from "./view.ts";

export interface VendorsOptions {
  /** What the models say; the echo unless given. */
  script?: Script;
  /** Milliseconds; the real time unless given. Lifetimes of the cache are counted by it. */
  now?: () => number;
  /** Tokens of reasoning of an answer whose script does not say; 40 unless given. */
  reasoning_tokens?: number;
  /** Context windows other than the real ones, tokens by model. */
  context?: Readonly<Record<string, number>>;
  /** Features that are refused beyond the rules, by model; `*` is every model. */
  refuses?: Readonly<Record<string, readonly Feature[]>>;
}

/** The model APIs of all vendors on a loopback port. They reject the same requests as the real ones, and count tokens the same way. */
export interface Vendors {
  url: string;
  /** For the key `baseUrl` of a provider: OpenAI's and Anthropic's own, or a compatible server by its kind. */
  openAiUrl: string;
  anthropicUrl: string;
  compatibleUrl(kind: Dialect): string;
  /** All requests since the start or the last reset, oldest first. */
  requests(filter?: (request: RecordedRequest) => boolean): RecordedRequest[];
  /** All requests for transcriptions since then, oldest first. */
  transcriptions(): RecordedTranscription[];
  /** Replaces the script. */
  script(script: Script): void;
  /** Fails the next requests. */
  fail(fault: Fault): void;
  /** Refuses features from now on, for a model or, with `*`, for all. */
  refuse(model: string, ...features: Feature[]): void;
  /** Moves the clock of the caches on. */
  advance(ms: number): void;
  /** Forgets requests, caches, faults and refusals, and takes these options in place of those of the start. */
  reset(options?: VendorsOptions): void;
  stop(): Promise<void>;
}

const apis: Readonly<Record<string, VendorApi>> = {
  messages: anthropicApi,
  responses: responsesApi,
  "chat/completions": completionsApi,
};

const route = /^(?:\/[\w-]+)?\/v1\/(messages|responses|chat\/completions)$/;

/** Starts the stand-in in this process. */
export async function startVendors(options: VendorsOptions = {}): Promise<Vendors> {
  let state = createState(options);
  const server = createServer((request, response) => {
    serve(request, response, state).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    openAiUrl: `${url}/v1`,
    anthropicUrl: url,
    compatibleUrl: (kind) => `${url}/${kind}/v1`,
    requests: (filter = () => true) => state.records.filter(filter),
    transcriptions: () => [...state.transcriptions],
    script: (script) => {
      state.desk.script = script;
    },
    fail: (fault) => state.desk.faults.add(fault),
    refuse: (model, ...features) => state.refused.push({ model, features }),
    advance: (ms) => state.advance(ms),
    reset: (next = options) => {
      state = createState(next);
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface State {
  desk: Desk;
  records: RecordedRequest[];
  transcriptions: RecordedTranscription[];
  refused: { model: string; features: readonly Feature[] }[];
  advance(ms: number): void;
}

function createState(options: VendorsOptions): State {
  const { script = echo, now = Date.now, reasoning_tokens = 40, context = {} } = options;
  const refused = Object.entries(options.refuses ?? {}).map(([model, features]) => ({ model, features }));
  let advanced = 0;
  let number = 0;
  const world: World = {
    now: () => now() + advanced,
    next: () => {
      number += 1;
      return number;
    },
    cache: createPrefixCache(),
    reasoning_tokens,
    context,
    refuses: (model, feature) =>
      refused.some((one) => (one.model === "*" || one.model === model) && one.features.includes(feature)),
  };
  return {
    desk: { world, script, faults: createFaults(), issued: new Set() },
    records: [],
    transcriptions: [],
    refused,
    advance: (ms) => {
      advanced += ms;
    },
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const api = apis[route.exec(path)?.[1] ?? ""];
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(request));
  if (/\/v1\/audio\/transcriptions$/.test(path) && request.method === "POST") {
    const { status, headers, body, record } = await answerTranscription(
      request,
      path,
      bytes,
      state.desk.faults,
    );
    state.transcriptions.push(record);
    response.writeHead(status, headers);
    return void response.end(body);
  }
  const text = bytes.toString();
  if (api === undefined || request.method !== "POST") {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `no route ${request.method} ${path}` } }));
    return;
  }
  const { answer, record } = answerRequest(incomingOf(path, request, text), api, state.desk);
  state.records.push(record);
  response.writeHead(answer.status, answer.headers);
  for (const piece of answer.body) response.write(piece);
  if (!answer.cut) return void response.end();
  response.write("", () => response.destroy());
}

function incomingOf(path: string, request: IncomingMessage, text: string): Incoming {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value ?? "")]),
  );
  const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1];
  const body = objectOf(JSON.parse(text === "" ? "{}" : text) as Json);
  const key = path.startsWith("/azure/") ? headers["api-key"] : (headers["x-api-key"] ?? bearer);
  return { path, headers, body, key: key ?? "" };
}
