import { hash } from "node:crypto";
import { errorText } from "../base/error-text.ts";
import { parseExactly } from "../base/exact-number.ts";
import { isContainer, isRecord } from "../base/record.ts";
import { notApproved } from "../core/decisions/not-approved.ts";
import { tellOfChanges } from "../core/effects/folder-run.ts";
import type { WorkingFolders } from "../core/ports/working-folder.ts";
import { networkHint, withGrantedNetwork } from "../core/skill/network-grants.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { Parameter, Skill } from "../core/skill/skill.ts";
import { toToolName, validateParameters } from "../core/skill/skill-identifier.ts";
import { failure, type Tool, type ToolContext, type ToolResult } from "../core/skill/tool.ts";
import { createOutsideWork, type ParkedCalls, type ServeTurn } from "../core/turn/parked-calls.ts";
import { addressesIn, readAddress } from "../core/values/address.ts";
import { WaitingForPerson } from "../core/values/failure.ts";
import {
  canonicalJson,
  type Json,
  type JsonObject,
  type JsonSchema,
  withTexts,
} from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";
import type { HostRequest, ToHost } from "./host/protocol.ts";
import type { CallOutcome } from "./hosted-program.ts";
import type { WarmPrograms } from "./warm-programs.ts";

/** Services that calls of imported skills share. */
export interface ImportedMeans {
  programs: ProgramRunner;
  warm: WarmPrograms;
  parked: ParkedCalls;
  /** The files of threads. */
  folders: WorkingFolders;
}

/** The code of a skill or tool package. */
export interface ImportedCode {
  skill: Skill;
  setup: ToHost;
  env: Readonly<Record<string, string>>;
  /** Hides the secrets in the skill's own files; the bot hides those of the configuration. */
  redact: Redact;
  /** The hosts that its code names, which are found once. */
  hosts(): Promise<readonly string[]>;
}

/** Maximum bytes of an answer. */
const maxOutput = 2_000_000;

/** A tool whose calls run in the sandbox. `argsOf`: what its code gets for an input. Without `parameters` it takes any object. */
export function importedTool(
  means: ImportedMeans,
  code: ImportedCode,
  { id, name, description, max_execution_seconds, max_iterations }: Omit<Skill, "parameters">,
  { schema, parameters }: { schema: JsonSchema; parameters: readonly Parameter[] | undefined },
  argsOf: (input: Json) => Json = (input) => input,
): Tool {
  return {
    name: toToolName(id),
    title: `Running ${name}`,
    description,
    parameters: schema,
    skill_id: id,
    // The effect of foreign code is unknown.
    effect: () => "side_effect",
    validate(input) {
      const given = input ?? {};
      if (parameters === undefined && isRecord(given)) return { ok: true, value: given as JsonObject };
      return validateParameters(parameters ?? [], input);
    },
    run: (input, context) => callImported(means, code, argsOf(input), context),
    max_execution_ms: max_execution_seconds * 1000,
    max_iterations,
    max_output_bytes: maxOutput,
  };
}

/** Runs one call in the sandbox. Failures of its code are results. */
async function callImported(
  means: ImportedMeans,
  code: ImportedCode,
  args: Json,
  context: ToolContext,
): Promise<ToolResult> {
  const verdict = await means.programs.allows(code.skill);
  if (!verdict.ok) {
    const hint = "Tell the person; an operator has to change this. Go on without it.";
    return failure("not_isolated", verdict.reason, hint);
  }
  return means.parked.run(context, (current) =>
    createOutsideWork((serve, signal) => run(means, code, args, { serve, signal, current })),
  );
}

interface Turn {
  serve: ServeTurn;
  signal: AbortSignal;
  current: () => ToolContext | undefined;
}

async function run(
  { warm, folders }: ImportedMeans,
  { skill, setup, env, redact, hosts }: ImportedCode,
  args: Json,
  { serve, signal, current }: Turn,
): Promise<ToolResult> {
  const { couldReach } = await serve(async (context) => context.network);
  const reached = new Set<string>();
  const network: ToolContext["network"] = {
    hosts: () => serve((context) => context.network.hosts()),
    couldReach,
    request: (wanted) => serve((context) => context.network.request(wanted)),
    reached: (host) => void reached.add(host),
  };
  const { place, turn_id, call_id } = await serve(async (context) => context);
  const folder = folders.of(place);
  let output = "";
  const { value: outcome, changed } = await folder.use(
    {
      writer: { kind: "skill", id: skill.parent ?? skill.id },
      turn_id,
      call_id,
      text: JSON.stringify(args),
      shared: true,
    },
    async (working) => {
      output = working.output;
      return withGrantedNetwork({ network }, await hosts(), (access) =>
        warm.call({
          skill,
          setup,
          env,
          place,
          working,
          args: withTexts(args),
          access,
          signal,
          onProgress: (note) => current()?.progress(redact(note)),
          onRequest: (asks, number) =>
            serveRequest({ skillId: skill.id, args }, asks, number, { serve, redact }),
        }),
      );
    },
    signal,
  );
  if (reached.size > 0)
    await serve(async ({ network: own }) => {
      for (const host of reached) own.reached(host);
    });
  const { value, refused } = outcome;
  const notes =
    changed.length === 0
      ? []
      : await serve((context) => tellOfChanges(folder, output, changed, context.file));
  return redact(toResult(skill, value, notes, networkHint(skill.id, refused, couldReach)));
}

async function serveRequest(
  { skillId, args }: { skillId: string; args: Json },
  asks: HostRequest,
  number: number,
  { serve, redact }: { serve: ServeTurn; redact: Redact },
): Promise<Json> {
  if (asks.kind === "page") return serve((context) => readPage(skillId, asks.url, args, context));
  const { payload, description } = redact(asks);
  // The key depends on the request, so code that is run again with another request does not get this decision.
  const key = `${number}:${hash("sha256", canonicalJson(asks), "hex").slice(0, 16)}`;
  const question = description === "" ? {} : { question: description.slice(0, 1_000) };
  const decided = await serve((context) =>
    context.approve({ action: skillId, ...question, input: payload, key }),
  );
  const { approved } = decided;
  if (approved) return { approved, message: "The request was approved." };
  return { approved, message: notApproved(decided, { so: "it is not allowed" }).message };
}

/**
 * Reads a page and answers as AnythingLLM's collector does. Addresses can carry data out: an address in the call's arguments is checked
 * like an address that the model chose; an address from the code needs a granted host, like every other connection of the code.
 */
async function readPage(skillId: string, url: string, args: Json, context: ToolContext): Promise<Json> {
  const { web, signal, network } = context;
  const host = hostOf(url);
  try {
    const allowed =
      host === undefined ||
      (isGivenAddress(url, args) ? await context.reach(url) : await network.request([host]));
    if (!allowed) {
      return {
        success: false,
        url,
        content: null,
        reason: networkHint(skillId, host === undefined ? [] : [host], network.couldReach) ?? "",
      };
    }
    const page = await web.read(url, { signal });
    return { success: true, url: page.url, content: page.text };
  } catch (error) {
    if (error instanceof WaitingForPerson) throw error;
    const reason = errorText(error);
    return { success: false, url, content: null, reason };
  }
}

/** The host as grants name it. Undefined for an invalid address, which the page reader refuses. */
function hostOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  const name = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return url.port === "" || url.port === "443" || url.port === "80" ? name : `${url.hostname}:${url.port}`;
}

/** Undefined for invalid JSON: the code of a skill may write anything. */
function parsed(text: string): Json | undefined {
  try {
    return parseExactly(text) as Json;
  } catch {
    return undefined;
  }
}

function toResult(
  { id }: Skill,
  outcome: CallOutcome,
  notes: readonly string[],
  networkProblem: string | undefined,
): ToolResult {
  if (outcome.status === "result") {
    const all = [...notes, ...(networkProblem === undefined ? [] : [`[${networkProblem}]`])];
    const readable = [outcome.text, ...all].join("\n\n");
    const data = outcome.data === true ? parsed(outcome.text) : undefined;
    if (data === undefined) return { status: "ok", output: readable };
    return { status: "ok", output: data, ...(all.length === 0 ? {} : { readable }) };
  }
  if (outcome.status === "ended") {
    return {
      status: "error",
      code: "skill_ended",
      message: `The code of the skill ${id} ended before it answered. ${outcome.reason}`,
      hint:
        networkProblem ?? "It is started anew with the next call. Ask for less at once, or go on without it.",
    };
  }
  const { name, message, at } = outcome.error;
  const place = at === undefined ? "" : ` (${at})`;
  return {
    status: "error",
    code: networkProblem === undefined ? "skill_failed" : "network_refused",
    message: `The skill ${id} failed: ${name}: ${message}${place}`,
    hint:
      networkProblem ?? "Check the arguments. If they are right, the fault is the skill's: tell the person.",
  };
}

/** Whether an address is in the arguments of a call, with or without its scheme, so the code did not choose it. */
function isGivenAddress(address: string, args: Json): boolean {
  const key = readAddress(address)?.key;
  return (
    key !== undefined && textsIn(args).some((text) => addressesIn(text).some((given) => given.key === key))
  );
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return isContainer(value) ? Object.values(value).flatMap(textsIn) : [];
}
