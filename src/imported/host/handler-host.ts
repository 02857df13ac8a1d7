/**
 * The program of one imported skill, which runs in the sandbox: loads its handler.js and runs its calls. It reads lines of JSON from
 * standard input and writes them to standard output. The skill's own output goes to standard error.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isNativeError } from "node:util/types";
import { type HandlerRuntime, loadHandler, loadPackage } from "./load-code.ts";
import {
  type FromHost,
  type HostError,
  type HostedSkill,
  type HostRequest,
  libraries,
  type ToHost,
} from "./protocol.ts";

/** Maximum bytes of a result, well below the limit of a line. */
const maxResult = 2_000_000;

/** Maximum characters of an error's message. */
const maxMessage = 4_000;

// biome-ignore lint/style/noProcessEnv: this is how the sandbox says where it shows the skill's folder.
const folder = process.env.KNACK_SKILL_DIR ?? process.cwd();
// biome-ignore lint/style/noProcessEnv: and where it keeps what the person gets.
const output = process.env.KNACK_OUTPUT_DIR;

interface OpenCall {
  id: number;
  /** Open requests to the bot, by number. */
  requests: Map<number, (value: unknown) => void>;
  asked: number;
  /** Missing parts of AnythingLLM's agent that it tried to use. */
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

/** Loads the code once, with the first call, so that a fault in it is a failure of that call. */
function load(): Promise<HandlerRuntime> {
  loaded ??= loadCode(hosted);
  return loaded;
}

async function loadCode({ entry }: HostedSkill): Promise<HandlerRuntime> {
  if (entry !== undefined) return loadPackage(folder, entry);
  // A handler knows of no folder but its own: what it writes there is for the person.
  if (output !== undefined) process.chdir(output);
  return loadHandler(folder);
}

async function run(call: OpenCall, args: unknown): Promise<void> {
  const { id } = call;
  try {
    const runtime = await load();
    const self = handlerContext(hosted, runtime, portOf(call));
    const value = await runtime.handler.call(self, args);
    const text = textOf(value);
    // AnythingLLM's skills only answer text; tools of a package may answer data.
    const isData = hosted.entry !== undefined && typeof value === "object" && value !== null;
    const size = Buffer.byteLength(text);
    if (size > maxResult) throw new RangeError(`It answered ${size} bytes; at most ${maxResult} are kept`);
    if (calls.delete(id)) send({ type: "result", id, text, data: isData || undefined });
  } catch (error) {
    fail(call, error);
  }
}

/** Concurrent handlers share a folder: a file belongs to the call that ends first after it was written. */
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

/** Fails the call that an error belongs to; all calls if that is unknown. */
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
  // The state of the process is unknown, so it is not used again.
  exit(70);
});
process.on("exit", (code) => {
  send({ type: "ending" });
  failOpen(new Error(`It ended its own process (exit code ${code})`));
});
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => receive(JSON.parse(line)));
lines.on("close", () => exit(0));

/** The connection of one call to the bot. */
interface CallPort {
  introspect(note: string): void;
  log(text: string): void;
  /** Asks the bot; resolves with its answer. */
  ask(request: HostRequest): Promise<unknown>;
  /** Notes the use of a missing part of AnythingLLM's agent. */
  missed(name: string): void;
}

/** `this` of a handler for one call: AnythingLLM's fields, overridden by the skill's own, and finally the approval. */
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

/** AnythingLLM's agent has many more parts. The use of a missing part is noted, to explain a failure. */
function agentStub(parts: Record<string, unknown>, { missed }: CallPort): object {
  return new Proxy(parts, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name);
      if (name !== "then" && name !== "toJSON") missed(name);
      return undefined;
    },
  });
}

/** A handler's result as text for a model: text as it is, other values as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "The skill ran and answered nothing.";
  return (typeof value === "object" ? jsonOf(value) : undefined) ?? String(value);
}

/** JSON of any value: BigInts as text, `[Circular]` where a value contains itself. Undefined for a value without JSON. */
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

/** A thrown value, with its causes and its first place within the folder. */
function describeError(thrown: unknown, folder: string): HostError {
  if (!isNativeError(thrown)) return { name: "Error", message: cut(textOf(thrown)) };
  const place = placeOf(thrown.stack ?? "", folder);
  return {
    name: String(thrown.name),
    message: cut([...messagesOf(thrown)].join(": ") + adviceFor(thrown)),
    at: place,
  };
}

function* messagesOf(error: Error): Generator<string> {
  const seen = new Set<unknown>();
  for (let next: unknown = error; isNativeError(next) && !seen.has(next); next = next.cause) {
    seen.add(next);
    // Node appends the require stack of a missing module.
    yield next.message.split("\nRequire stack:")[0] ?? "";
  }
}

function adviceFor(error: Error & { code?: unknown }): string {
  if (error.code !== "MODULE_NOT_FOUND") return "";
  return `. Node's own modules, ${libraries.join(", ")} and what is in the skill's own node_modules are there; an operator can add others: knack sandbox add node NAME`;
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
