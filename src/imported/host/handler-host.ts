/**
 * Runs in the sandbox, as the program of one imported skill: loads its handler.js and runs its calls. Lines of JSON come on standard
 * input and go to standard output; what the skill prints goes to standard error.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isNativeError } from "node:util/types";
import { type HandlerRuntime, loadHandler, loadPackage } from "./load-code.ts";
import type { FromHost, HostError, HostedSkill, HostRequest, ToHost } from "./protocol.ts";

/** Bytes of a result; well below what a line may hold. */
const maxResult = 2_000_000;

/** Maximum characters of an error's message. */
const maxMessage = 4_000;

// biome-ignore lint/style/noProcessEnv: this is how the sandbox says where it shows the skill's folder.
const folder = process.env.KNACK_SKILL_DIR ?? process.cwd();

interface OpenCall {
  id: number;
  /** Waiting for answers of the bot, by number. */
  requests: Map<number, (value: unknown) => void>;
  asked: number;
  /** What of AnythingLLM's agent it looked for in vain. */
  missed: Set<string>;
}

const calls = new Map<number, OpenCall>();
const current = new AsyncLocalStorage<OpenCall>();
let hosted: HostedSkill;
let loaded: Promise<HandlerRuntime> | undefined;

function send(message: FromHost): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

function fail(call: OpenCall, thrown: unknown): void {
  if (!calls.delete(call.id)) return;
  const error = describeError(thrown, folder);
  const missed = [...call.missed].map((name) => `this.super.${name}`).join(", ");
  const about = missed === "" ? "" : ` (${missed} of AnythingLLM is not available here)`;
  send({ type: "error", id: call.id, error: { ...error, message: error.message + about } });
}

/** Loaded with the first call, so that what is wrong with it is that call's failure; and tried once. */
function load(): Promise<HandlerRuntime> {
  loaded ??= loadCode(hosted);
  return loaded;
}

async function loadCode({ entry }: HostedSkill): Promise<HandlerRuntime> {
  return entry === undefined ? loadHandler(folder) : loadPackage(folder, entry);
}

async function run(call: OpenCall, args: unknown): Promise<void> {
  const { id } = call;
  try {
    const runtime = await load();
    const self = handlerContext(hosted, runtime, portOf(call));
    const value = await runtime.handler.call(self, args);
    const text = textOf(value);
    // AnythingLLM knows texts alone; tools of a package may answer data.
    const isData = hosted.entry !== undefined && typeof value === "object" && value !== null;
    const size = Buffer.byteLength(text);
    if (size > maxResult) throw new RangeError(`It answered ${size} bytes; at most ${maxResult} are kept`);
    if (calls.delete(id)) send({ type: "result", id, text, ...(isData ? { data: true } : {}) });
  } catch (error) {
    fail(call, error);
  }
}

/** Handlers that run at the same time share a folder: a file belongs to the call that ends first after it was written. */
function portOf(call: OpenCall): CallPort {
  const { id } = call;
  return {
    introspect: (note) => send({ type: "progress", id, note: note.slice(0, 2_000) }),
    log: (text) => send({ type: "log", text: text.slice(0, 2_000) }),
    missed: (name) => void call.missed.add(name),
    ask(asks) {
      call.asked += 1;
      const request = call.asked;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      call.requests.set(request, resolve);
      send({ type: "request", id, request, asks });
      return promise;
    },
  };
}

function receive(message: ToHost): void {
  if (message.type === "setup") {
    hosted = message.skill;
  } else if (message.type === "call") {
    const call: OpenCall = { id: message.id, requests: new Map(), asked: 0, missed: new Set() };
    calls.set(call.id, call);
    current.run(call, () => void run(call, message.args));
  } else {
    const waiting = calls.get(message.id)?.requests;
    waiting?.get(message.request)?.(message.value);
    waiting?.delete(message.request);
  }
}

/** Fails the call that something belongs to; all of them when that is not known. */
function failOpen(thrown: unknown): void {
  const call = current.getStore();
  for (const each of call !== undefined && calls.has(call.id) ? [call] : [...calls.values()])
    fail(each, thrown);
}

const exit = process.exit.bind(process);
Object.defineProperty(process, "stdout", { value: process.stderr });
process.on("unhandledRejection", failOpen);
process.on("uncaughtException", (error) => {
  send({ type: "ending" });
  failOpen(error);
  // What else the process was doing is unknown: it is not used any more.
  exit(70);
});
process.on("exit", (code) => {
  send({ type: "ending" });
  failOpen(new Error(`It ended its own process (exit code ${code})`));
});
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => receive(JSON.parse(line)));
lines.on("close", () => exit(0));

/** What one call of a handler may say and ask. */
interface CallPort {
  introspect(note: string): void;
  log(text: string): void;
  /** Asks the bot; resolves with its answer. */
  ask(request: HostRequest): Promise<unknown>;
  /** A part of AnythingLLM's agent that is not here was looked for. */
  missed(name: string): void;
}

/** `this` of a handler, for one call: what AnythingLLM puts there, the skill's own fields over it, and the approval last. */
function handlerContext(skill: HostedSkill, runtime: HandlerRuntime, port: CallPort): object {
  const logger = (...parts: unknown[]) => port.log(parts.map(textOf).join(" "));
  const introspect = (note: unknown) => port.introspect(textOf(note));
  return {
    super: agentStub({ introspect, handlerProps: { log: logger } }, port),
    ...structuredClone(skill),
    caller: "@agent",
    runtime: "docker",
    introspect,
    logger,
    webScraper: { getLinkContent: (url: unknown) => port.ask({ kind: "page", url: String(url) }) },
    ...runtime,
    requestToolApproval: (request: { payload?: unknown; description?: unknown } = {}) =>
      port.ask({
        kind: "approval",
        payload: JSON.parse(jsonOf(request?.payload ?? {}) ?? "{}"),
        description: textOf(request?.description ?? ""),
      }),
  };
}

/** AnythingLLM's agent has much more than this. What is looked for and not there is told, so that a failure explains itself. */
function agentStub(parts: Record<string, unknown>, { missed }: CallPort): object {
  return new Proxy(parts, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name);
      if (name !== "then" && name !== "toJSON") missed(name);
      return undefined;
    },
  });
}

/** What a model reads of a handler's result: text as it is, everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "The skill ran and answered nothing.";
  return (typeof value === "object" ? jsonOf(value) : undefined) ?? String(value);
}

/** JSON of anything: BigInts as text, `[Circular]` where a value holds itself. Undefined where there is no JSON for it. */
function jsonOf(value: unknown): string | undefined {
  const above: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key, item: unknown) {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null) return item;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(item)) return "[Circular]";
    above.push(item);
    return item;
  });
}

/** What was thrown, with its causes and its first place within the folder. */
function describeError(thrown: unknown, folder: string): HostError {
  if (!isNativeError(thrown)) return { name: "Error", message: cut(textOf(thrown)) };
  const place = placeOf(thrown.stack ?? "", folder);
  return {
    name: String(thrown.name),
    message: cut([...messagesOf(thrown)].join(": ") + adviceFor(thrown)),
    ...(place === undefined ? {} : { at: place }),
  };
}

function* messagesOf(error: Error): Generator<string> {
  const seen = new Set<unknown>();
  for (let next: unknown = error; isNativeError(next) && !seen.has(next); next = next.cause) {
    seen.add(next);
    // Node appends the stack of who required a missing module.
    yield next.message.split("\nRequire stack:")[0] ?? "";
  }
}

function adviceFor(error: Error & { code?: unknown }): string {
  if (error.code !== "MODULE_NOT_FOUND") return "";
  return ". Only Node's own modules and those in the skill's own node_modules are there";
}

/** A frame `at f (/skill/handler.js:3:9)`, or the first line of a syntax error, `/skill/handler.js:3`. */
function placeOf(stack: string, folder: string): string | undefined {
  for (const line of stack.split("\n")) {
    const from = line.indexOf(`${folder}/`);
    const place = from < 0 ? undefined : /^[^:()]+:\d+/.exec(line.slice(from + folder.length + 1))?.[0];
    if (place !== undefined) return place;
  }
  return undefined;
}

function cut(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage)} …` : text;
}
