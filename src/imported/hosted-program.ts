import { fileURLToPath } from "node:url";
import { z } from "zod";
import { errorText } from "../base/error-text.ts";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import {
  type NetworkAccess,
  ProgramError,
  type ProgramRunner,
  type RunningProgram,
} from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Json } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";
import { type FromHost, type HostError, type HostRequest, libraries, type ToHost } from "./host/protocol.ts";

/** How a call of a program ended. */
export type CallOutcome =
  | { status: "result"; text: string; data?: boolean }
  | { status: "error"; error: HostError }
  /** The program ended before it answered, or never started. */
  | { status: "ended"; reason: string };

export interface ProgramCall {
  /** The arguments of the call. */
  args: Json;
  access: NetworkAccess;
  onProgress(note: string): void;
  /** Answers what the code asks; `number` counts the requests of the call. */
  onRequest(asks: HostRequest, number: number): Promise<Json>;
}

/** What a program is started with. */
export interface ProgramStart {
  skill: Skill;
  /** The working folder of the thread that it works for. */
  working?: MountedFolder | undefined;
  /** The first message to the program. */
  setup: ToHost;
  env: Readonly<Record<string, string>>;
}

/** Maximum characters of one log text, and of an error. */
const maxLog = 2_000;
const maxError = 10_000;

const module = fileURLToPath(new URL("./host/handler-host.ts", import.meta.url));

const requestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approval"), payload: jsonSchema, description: z.string() }),
  z.object({ kind: z.literal("page"), url: z.string() }),
]);
const errorSchema = z.object({ name: z.string(), message: z.string(), at: z.string().optional() });
const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), id: z.number(), note: z.string() }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("request"), id: z.number(), request: z.number(), asks: requestSchema }),
  z.object({ type: z.literal("result"), id: z.number(), text: z.string(), data: z.boolean().default(false) }),
  z.object({ type: z.literal("error"), id: z.number(), error: errorSchema }),
  z.object({ type: z.literal("ending") }),
]);

type CallMessage = Extract<z.infer<typeof messageSchema>, { type: "progress" | "result" | "error" }>;

interface OpenCall extends ProgramCall {
  allowance: CallAllowance;
  end(outcome: CallOutcome): void;
}

/** One process that serves the calls of one skill, several at the same time. It starts when it is made. */
export class HostedProgram {
  readonly #onLog: (text: string) => void;
  readonly #onEnd: () => void;
  readonly #open = new Map<number, OpenCall>();
  /** Undefined when it could not start; rejects on a bug. */
  readonly #running: Promise<RunningProgram | undefined>;
  #count = 0;
  /** Why it stopped. */
  #stopped: string | undefined;
  /** Takes no more calls, and ends with the last open one. */
  #isEnding = false;

  /** @param onEnd called once, when it takes no more calls */
  constructor(
    programs: ProgramRunner,
    start: ProgramStart,
    onLog: (text: string) => void,
    onEnd: () => void,
  ) {
    this.#onLog = onLog;
    this.#onEnd = onEnd;
    this.#running = this.#start(programs, start);
    // `#end` tells the waiting calls.
    this.#running.catch(() => undefined);
  }

  /** Calls that are running. */
  get calls(): number {
    return this.#open.size;
  }

  /** Runs a call. Never rejects. */
  call(request: ProgramCall): Promise<CallOutcome> {
    if (this.#stopped !== undefined) return Promise.resolve({ status: "ended", reason: this.#stopped });
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    this.#open.set(id, { ...request, allowance: new CallAllowance(), end: resolve });
    this.#send({ type: "call", id, args: request.args });
    return promise;
  }

  /** Ends the process and every call, with a reason for a person. */
  stop(reason: string): void {
    this.#end(reason);
    this.#kill();
  }

  async #start(
    programs: ProgramRunner,
    { skill, setup, env, working }: ProgramStart,
  ): Promise<RunningProgram | undefined> {
    try {
      const program = await programs.start({
        skill,
        module,
        env,
        libraries,
        working,
        network: { permits: (host) => this.#permits(host) },
        onMessage: (message) => this.#receive(message),
        onText: (text) => this.#log(text),
        onEnd: ({ reason }) => this.#end(reason),
        onWanted: () => {
          if (this.#open.size === 0) this.stop("Other skills needed its place.");
        },
      });
      program.send(setup as Json);
      return program;
    } catch (error) {
      this.#end(errorText(error));
      if (!(error instanceof ProgramError)) throw error;
      return undefined;
    }
  }

  /**
   * While no call is open there is no network: it would be used on nobody's behalf. Every open call is asked, even after one
   * permits: each notes what was tried while it ran.
   */
  #permits(host: string): boolean {
    return [...this.#open.values()].filter(({ access }) => access.permits(host)).length > 0;
  }

  #receive(json: Json): void {
    const message = messageSchema.safeParse(json).data;
    if (message === undefined) return;
    if (message.type === "log") this.#log(message.text);
    else if (message.type === "ending") this.#retire();
    else if (message.type === "request") void this.#answer(message);
    else this.#reply(message);
  }

  #log(text: string): void {
    this.#onLog(text.slice(0, maxLog));
  }

  /** Passes on what a call says. */
  #reply(message: CallMessage): void {
    const { id } = message;
    if (message.type === "progress") this.#tell(id, message.note);
    else if (message.type === "error") this.#fail(id, hostError(message.error));
    else this.#finish(id, { status: "result", text: message.text, data: message.data });
  }

  #tell(id: number, text: string): void {
    const call = this.#open.get(id);
    const note = call?.allowance.note(text);
    if (note !== undefined) call?.onProgress(note);
  }

  async #answer({ id, request, asks }: Extract<FromHost, { type: "request" }>): Promise<void> {
    const call = this.#open.get(id);
    const refused = call?.allowance.refuse(asks);
    if (refused !== undefined) return this.#fail(id, { name: "Error", message: refused });
    try {
      const value = await call?.onRequest(asks, request);
      if (value !== undefined) this.#send({ type: "reply", id, request, value });
    } catch (error) {
      this.#fail(id, { name: "Error", message: errorText(error) });
    }
  }

  #fail(id: number, error: HostError): void {
    this.#finish(id, { status: "error", error });
  }

  #finish(id: number, outcome: CallOutcome): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    call?.end(outcome);
    if (this.#isEnding && this.#open.size === 0) this.#kill();
  }

  #end(reason: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    this.#retire();
    for (const id of [...this.#open.keys()]) this.#finish(id, { status: "ended", reason });
  }

  #retire(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#onEnd();
    // The process says that it ends by itself, which need not be true.
    if (this.#open.size === 0) this.#kill();
  }

  #send(message: ToHost): void {
    this.#running.then((program) => program?.send(message as Json)).catch(() => undefined);
  }

  #kill(): void {
    this.#running.then((program) => program?.kill()).catch(() => undefined);
  }
}

function hostError({ name, message, at }: z.infer<typeof errorSchema>): HostError {
  const shown = { name: name.slice(0, 100), message: message.slice(0, maxError) };
  return at === undefined ? shown : { ...shown, at: at.slice(0, 300) };
}

/** Maximum notes, requests and approvals of one call. */
const limits = { notes: 300, requests: 500, approvals: 20 };

/** Characters of a note that are kept. More than is ever shown, so that no shown part holds a secret that the cut split. */
const maxNote = 4_000;

/** Maximum characters that people are asked to approve. */
const maxPayload = 200_000;

/** What one call may still say and ask. The code of a skill can do what it likes with its own process, so the bot counts too. */
class CallAllowance {
  #notes = 0;
  #requests = 0;
  #approvals = 0;

  /** The part of a note that is shown; undefined for a note that is not shown. */
  note(text: string): string | undefined {
    this.#notes += 1;
    if (this.#notes < limits.notes) return text.slice(0, maxNote);
    return this.#notes === limits.notes ? "It says more than is shown." : undefined;
  }

  /** Why a request is refused; undefined for one that is passed on. */
  refuse(asks: HostRequest): string | undefined {
    this.#requests += 1;
    if (this.#requests > limits.requests)
      return `It asked for more than ${limits.requests} things in one call.`;
    if (asks.kind === "page") return undefined;
    this.#approvals += 1;
    if (this.#approvals > limits.approvals)
      return `It asked for more than ${limits.approvals} approvals in one call.`;
    const size = JSON.stringify(asks.payload).length;
    if (size <= maxPayload) return undefined;
    return `It asked people to approve ${size} characters; at most ${maxPayload} can be read.`;
  }
}
