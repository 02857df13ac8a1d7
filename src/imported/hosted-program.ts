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
import type { FromHost, HostError, HostRequest, ToHost } from "./host/protocol.ts";

/** How a call of a program ended. */
export type CallOutcome =
  | { status: "result"; text: string; data?: boolean }
  | { status: "error"; error: HostError }
  /** The program ended before it answered, or never started. */
  | { status: "ended"; reason: string };

export interface ProgramCall {
  /** The call itself, as the program understands it. */
  args: Json;
  access: NetworkAccess;
  onProgress(note: string): void;
  /** What the code asks; `number` counts the requests of the call. What is answered, the code gets. */
  onRequest(asks: HostRequest, number: number): Promise<Json>;
}

/** One process that serves the calls of one skill, also at the same time. */
export interface HostedProgram {
  /** Never rejects. */
  call(request: ProgramCall): Promise<CallOutcome>;
  /** Ends it and every call, with a reason for a person. */
  stop(reason: string): void;
  readonly calls: number;
}

export interface HostedProgramOptions {
  programs: ProgramRunner;
  skill: Skill;
  /** The working folder of the thread it works for. */
  working?: MountedFolder | undefined;
  /** The first thing the program is told. */
  setup: ToHost;
  env: Readonly<Record<string, string>>;
  onLog(text: string): void;
  /** It cannot be called any more. */
  onEnd(): void;
}

/** Characters of what it logs at once, and of an error. */
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

/** Starts the program of a skill. */
export function startHostedProgram(options: HostedProgramOptions): HostedProgram {
  const open = new Map<number, OpenCall>();
  let count = 0;
  let stopped: string | undefined;
  let ending = false;

  const finish = (id: number, outcome: CallOutcome): void => {
    const call = open.get(id);
    open.delete(id);
    call?.end(outcome);
    if (ending && open.size === 0) kill();
  };
  const retire = (): void => {
    if (ending) return;
    ending = true;
    options.onEnd();
    // It says that it ends by itself, which need not be true.
    if (open.size === 0) kill();
  };
  const kill = (): void => {
    running.then((program) => program?.kill()).catch(() => undefined);
  };
  const stop = (reason: string): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    retire();
    for (const id of [...open.keys()]) finish(id, { status: "ended", reason });
  };
  const answer = async (message: Extract<FromHost, { type: "request" }>): Promise<void> => {
    const { id, request } = message;
    const call = open.get(id);
    const refused = call?.allowance.refuse(message.asks);
    if (refused !== undefined)
      return finish(id, { status: "error", error: { name: "Error", message: refused } });
    try {
      const value = await call?.onRequest(message.asks, request);
      if (value !== undefined) send({ type: "reply", id, request, value });
    } catch (error) {
      finish(id, { status: "error", error: { name: "Error", message: errorText(error) } });
    }
  };
  const log = (text: string): void => options.onLog(text.slice(0, maxLog));
  /** What a call says of itself. */
  const reply = (id: number, message: CallMessage): void => {
    const call = open.get(id);
    if (message.type === "progress") tell(call, message.note);
    else if (message.type === "error") finish(id, { status: "error", error: hostError(message.error) });
    else {
      const { text, data } = message;
      finish(id, { status: "result", text, data });
    }
  };
  const receive = (json: Json): void => {
    const parsed = messageSchema.safeParse(json);
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.type === "log") log(message.text);
    else if (message.type === "ending") retire();
    else if (message.type === "request") void answer(message);
    else reply(message.id, message);
  };

  const { skill, env, working } = options;
  // While no call is open there is no network: nobody would know on whose behalf. Every open call is asked, not only until one
  // permits: each notes what was tried while it ran.
  const permits = (host: string) =>
    [...open.values()].filter(({ access }) => access.permits(host)).length > 0;
  const started = options.programs
    .start({
      skill,
      module,
      env,
      working,
      network: { permits },
      onMessage: receive,
      onText: log,
      onEnd: ({ reason }) => stop(reason),
      onWanted() {
        if (open.size > 0) return;
        stop("Other skills needed its place.");
        kill();
      },
    })
    .then((program) => {
      program.send(options.setup as Json);
      return program;
    });
  const running: Promise<RunningProgram | undefined> = started.catch((error: unknown) => {
    stop(errorText(error));
    if (!(error instanceof ProgramError)) throw error;
    return undefined;
  });
  // Those who wait for it are told by `stop`.
  running.catch(() => undefined);
  const send = (message: ToHost): void => {
    running.then((program) => program?.send(message as Json)).catch(() => undefined);
  };

  return {
    get calls() {
      return open.size;
    },
    call(request) {
      if (stopped !== undefined) return Promise.resolve({ status: "ended", reason: stopped });
      count += 1;
      const id = count;
      const { promise, resolve } = Promise.withResolvers<CallOutcome>();
      open.set(id, { ...request, allowance: createCallAllowance(), end: resolve });
      send({ type: "call", id, args: request.args });
      return promise;
    },
    stop(reason) {
      stop(reason);
      kill();
    },
  };
}

function tell(call: OpenCall | undefined, text: string): void {
  const note = call?.allowance.note(text);
  if (note !== undefined) call?.onProgress(note);
}

function hostError({ name, message, at }: z.infer<typeof errorSchema>): HostError {
  const shown = { name: name.slice(0, 100), message: message.slice(0, maxError) };
  return { ...shown, ...(at === undefined ? {} : { at: at.slice(0, 300) }) };
}

/** How often the code of one call may say something, ask for something, and ask people. */
const most = { notes: 300, requests: 500, approvals: 20 };

/** Characters that are kept of a note: more than is ever shown, so a secret that the cut parts is not among what is. */
const maxNote = 4_000;

/** Characters of what people are asked to approve. */
const maxPayload = 200_000;

/** What one call may still say and ask. The process of a skill is its code's to do with as it likes, so the bot counts, too. */
interface CallAllowance {
  /** What is shown of a note; undefined for what is not. */
  note(text: string): string | undefined;
  /** Why something is not asked; undefined when it is. */
  refuse(asks: HostRequest): string | undefined;
}

function createCallAllowance(): CallAllowance {
  const used = { notes: 0, requests: 0, approvals: 0 };
  return {
    note(text) {
      used.notes += 1;
      if (used.notes < most.notes) return text.slice(0, maxNote);
      return used.notes === most.notes ? "It says more than is shown." : undefined;
    },
    refuse(asks) {
      used.requests += 1;
      if (used.requests > most.requests) return `It asked for more than ${most.requests} things in one call.`;
      if (asks.kind === "page") return undefined;
      used.approvals += 1;
      if (used.approvals > most.approvals)
        return `It asked for more than ${most.approvals} approvals in one call.`;
      const size = JSON.stringify(asks.payload).length;
      if (size <= maxPayload) return undefined;
      return `It asked people to approve ${size} characters; at most ${maxPayload} can be read.`;
    },
  };
}
