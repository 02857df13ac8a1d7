import { z } from "zod";
import { Slots } from "../../base/slots.ts";
import { innerCallId } from "../log/call-id.ts";
import type { TurnEventBody } from "../log/turn-event.ts";
import type { JobMeans } from "../ports/schedules.ts";
import {
  type CodeLanguage,
  type CodeMeans,
  codeLanguages,
  redactOutcome,
  type ScriptOutcome,
} from "../ports/work-means.ts";
import { inputFolder, outputFolder } from "../ports/working-folder.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { CallOfCode } from "../skill/programs.ts";
import { failure, type ToolResult } from "../skill/tool.ts";
import { untrustedIn } from "../transcript/untrusted.ts";
import { checkArguments } from "../turn/check-call.ts";
import { runToolCall } from "../turn/tool-call.ts";
import { findTool, guidesOf } from "../turn/toolset.ts";
import { cut } from "../values/cut.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { ApprovalNeed } from "../values/inbound.ts";
import { objectOf } from "../values/json.ts";
import { defineMetaTool, ok, printedLines } from "./meta-tool.ts";
import { lostOutput, missingMeansHint, printedParts } from "./missing-means.ts";
import { startJob, watch } from "./start-job.ts";

/** Maximum bytes of output. */
const maxOutput = 950_000;
/**
 * Time limit of the tool, ms. Normally the runner ends the code earlier and returns its output; this limit applies only if the runner fails
 * to.
 */
const maxRunMs = 86_400_000;

/** Runs code written by the model, in the sandbox, on the files of the thread. */
export const createRunCode = () =>
  defineMetaTool({
    name: "run_code",
    category: "code_exec",
    title: ({ language }) => `Running ${names[language]}`,
    says: (input) => ({
      deed: `run this ${String(objectOf(input).language)} code`,
      ...{ quotes: "code", names: ["language"] },
    }),
    description: "Runs code in a sandbox.",
    describe: ({ code }) => described(code),
    parameters: z.object({
      language: z.enum(codeLanguages),
      code: z.string().min(1).max(200_000).describe("print what you need"),
      watch,
    }),
    effect: "side_effect",
    shares: true,
    approval: (_input, scope) => mayCarryOut(scope),
    max_execution_ms: maxRunMs,
    offered: ({ code }) => code !== undefined,
    run: async ({ language, code, watch }, context, scope, request) => {
      const { turn, ports } = scope;
      const runner = ports.code;
      if (runner === undefined || turn.code === undefined)
        return failure("refused", "Code cannot be run here.", "Tell the person.");
      const { max_ms } = turn.code;
      const skills = guidesOf(scope);
      if (watch !== undefined) {
        const run = (means: JobMeans) => runner.run({ language, code, skills, ...means });
        return startJob(scope, request, { name: language, text: code, run }, watch);
      }
      const ran = await context.inFolder(code, (working) =>
        runner.run({
          language,
          code,
          working,
          skills,
          signal: context.signal,
          timeout_ms: max_ms,
          max_output_bytes: maxOutput,
          onLine: printedLines(context, ports.redact),
          onCall: callsOf(scope, request, context.signal),
          onHost: (host) => void request.reached?.add(host),
        }),
      );
      return resultOf(redactOutcome(ran.value, ports.redact), ran.notes, max_ms);
    },
  });

/** Maximum calls of one run, and of those at the same time. */
const maxCalls = 100;
const maxAtOnce = 3;

/** Answers the calls that code makes: to tools that the model has, if they only read and nobody has to be asked. */
function callsOf(scope: TurnScope, { call, depth }: CallRequest, signal: AbortSignal): CallOfCode {
  const slots = new Slots(maxAtOnce);
  const unattended = withoutAsking(scope);
  // Other calls of the turn may read for its asker alone meanwhile; whether the code may leave files was decided before.
  const requireAsDecided = () => {
    const { state } = scope;
    const before = state.calls.get(call.id)?.before_private ?? state.approvalOf(call.id)?.before_private;
    if (before) throw new NobodyAsked();
  };
  let made = 0;
  return async (name, input) => {
    requireAsDecided();
    made += 1;
    if (made > maxCalls) throw new Error(`One run of code makes at most ${maxCalls} calls.`);
    const id = innerCallId(call.id, made);
    const tool = findTool(scope, name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    const valid = await checkArguments(tool, input);
    if (valid.ok && tool.effect(valid.value) !== "read_only")
      throw new Error(`${name} does more than read: call it yourself, as a tool.`);
    const asked = { id, name: tool.name, arguments: JSON.stringify(input) };
    const result = await slots.run(signal, () =>
      runToolCall(unattended, { call: asked, parent_call_id: call.id, depth: depth + 1 }),
    );
    requireAsDecided();
    if (result === "waiting") throw new NobodyAsked();
    if (result.status === "error") throw new Error([result.message, result.hint].filter(Boolean).join(" "));
    return scope.ports.redact(result.output);
  };
}

const asksSomebody: ReadonlySet<string> = new Set(["approval_requested", "question_asked"]);

/** Nobody can be asked in the middle of a run of code: its process cannot wait for hours. */
class NobodyAsked extends ExpectedFailure {
  constructor() {
    super("needs_a_person", "A person has to be asked for this: call it yourself, as a tool.");
  }
}

/**
 * The turn as it is, but that a request to a person fails before it is made. So does what would make the turn private: whether the code may
 * leave files in the thread was decided before it ran.
 */
function withoutAsking(scope: TurnScope): TurnScope {
  const unattended: TurnScope = Object.create(scope, {
    emit: {
      value: (event: TurnEventBody) =>
        asksSomebody.has(event.type) || (event.type === "answer_private" && !scope.state.private)
          ? Promise.reject(new NobodyAsked())
          : scope.emit(event),
    },
    runCall: { value: (request: CallRequest) => runToolCall(unattended, request) },
  });
  return unattended;
}

/** Code that reaches hosts could send them the files of the thread if the model is manipulated by text it read. */
function mayCarryOut(scope: TurnScope): ApprovalNeed | undefined {
  const hosts = scope.turn.code?.hosts ?? [];
  if (hosts.length === 0 || untrustedIn(scope).length === 0) return undefined;
  const reason = `The code can reach ${hosts.join(", ")} with the files of this thread, and the agent has read text that nobody here vouches for.`;
  return { approver: "asker", reason };
}

const names: Readonly<Record<CodeLanguage, string>> = {
  python: "Python",
  javascript: "JavaScript",
  bash: "a shell script",
};

function described(code: CodeMeans | undefined): string {
  const { languages = [], packages = {}, of_machine = [], hosts = [] } = code ?? {};
  const missing = codeLanguages.filter((language) => !languages.includes(language));
  const prepared = codeLanguages.flatMap((language) => {
    const list = [...(packages[language] ?? []), ...(language === "python" ? of_machine : [])];
    return list.length === 0 ? [] : [`${names[language]} has ${list.join(", ")}.`];
  });
  return [
    `Runs code in a sandbox in this thread's folder, which keeps its files: ${inputFolder} has people's, read-only; ${outputFolder} is posted with your answer (plots as PNG); skills/ID has an active guide's. It can call tools that only read: from knack_tools import call; call("tool", key=value), or import {call} from "./knack-tools.mjs"; await call("tool", {key: value}).`,
    ...(missing.length === 0 ? [] : [`There is no ${missing.join(" and no ")} here.`]),
    ...prepared,
    hosts.length === 0 ? "No network." : `It reaches ${hosts.join(", ")} and nothing else.`,
  ].join(" ");
}

function resultOf(outcome: ScriptOutcome, notes: readonly string[], maxMs: number): ToolResult {
  switch (outcome.status) {
    case "refused":
      return failure("refused", outcome.reason, "Tell the person.");
    case "timed_out": {
      const printed = [outcome.stdout, outcome.stderr].map((text) => text.trim()).filter(Boolean);
      const message = `It was stopped after ${maxMs / 1_000} s.`;
      return failure("timed_out", [message, ...printed, ...notes].join("\n"), "Do less at once.");
    }
    case "exited": {
      const { exit_code, stdout, stderr, truncated } = outcome;
      if (exit_code === 0)
        return ok([...printedParts(outcome), ...notes].join("\n") || "(it printed nothing)");
      const complaint = stderr.trim();
      const printed = [...lostOutput(truncated), stdout.trim(), cut(complaint, -4_000)];
      const message = [`It ended with ${exit_code}.`, ...printed, ...notes];
      return failure("code_failed", message.filter(Boolean).join("\n"), missingMeansHint(complaint));
    }
    default:
      return outcome satisfies never;
  }
}
