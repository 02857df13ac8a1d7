import type { ScriptOutcome } from "../../core/ports/work-means.ts";
import type { CallOfCode, RunRequest, ScriptRequest, ScriptRunner } from "../../core/skill/programs.ts";
import { malformedEnvironment, supervise } from "../child-process.ts";
import type { SandboxContext } from "../sandbox-context.ts";
import { openRun, type RunCode } from "./open-run.ts";
import { resolveCommand, resolveScript } from "./resolve-script.ts";
import { codeOfSkill, exposedModules } from "./skill-code.ts";

/** Runs scripts of skills: each run is a process that ends. */
export function createScriptRunner(context: SandboxContext): ScriptRunner {
  return {
    allows: async (skill) => context.allows(skill),
    async run(request) {
      request.signal.throwIfAborted();
      const verdict = context.allows(request.skill);
      if (!verdict.ok) return { status: "refused", reason: verdict.reason };
      return await run(request, context);
    },
  };
}

async function run(request: ScriptRequest, context: SandboxContext): Promise<ScriptOutcome> {
  const malformed = malformedInput(request) ?? exposedCommand(request, context);
  if (malformed !== undefined) return { status: "refused", reason: malformed };
  const { skill, work, args, env } = request;
  const { isolation } = context;
  const found =
    work.kind === "script"
      ? await resolveScript(skill, work.path, isolation)
      : await resolveCommand(skill, work.line, isolation);
  if (!found.ok) return { status: "refused", reason: found.reason };
  const { script, ...resolved } = found.value;
  const own = await codeOfSkill(skill, context, request.skills);
  const exposed = exposedModules(own.shown, isolation);
  if (exposed !== undefined) return { status: "refused", reason: exposed };
  return await runToEnd({ ...own, ...resolved, args, env, entry: { script } }, request, context);
}

/**
 * What code that asks this machine something prints within half a minute; undefined if it fails, as it may on a busy machine.
 * @param maxBytes of what it prints
 */
export async function askCode(
  code: Pick<RunCode, "interpreter" | "entry"> & Partial<RunCode>,
  maxBytes: number,
  context: SandboxContext,
): Promise<string | undefined> {
  const { signal } = new AbortController();
  const limits = { signal, timeout_ms: 30_000, max_output_bytes: maxBytes };
  const quiet = { args: [], env: {}, shipped: false, ...code };
  const outcome = await runToEnd(quiet, { ...limits, stdin: "", env: {} }, context);
  return outcome.status === "exited" && outcome.exit_code === 0 ? outcome.stdout : undefined;
}

/** Runs resolved code to its end, with its limits. */
export async function runToEnd(
  code: Omit<RunCode, "timeoutMs" | "working">,
  request: RunRequest & { stdin: string; onCall?: CallOfCode },
  context: SandboxContext,
): Promise<ScriptOutcome> {
  const { working, timeout_ms: timeoutMs } = request;
  const opened = await openRun({ ...code, working, timeoutMs }, request, context);
  if ("reason" in opened) return { status: "refused", reason: opened.reason };
  const { launch, close } = opened;
  try {
    request.signal.throwIfAborted();
    return await supervise(launch, request, context.memory);
  } finally {
    await close();
  }
}

/** A script was reviewed by whoever ships or allows it; a command line is written by a model on the spot. */
function exposedCommand({ work }: ScriptRequest, { isolation }: SandboxContext): string | undefined {
  if (work.kind === "script" || isolation.kind !== "process") return undefined;
  return `Command lines run with bubblewrap only, whatever skill they are of. ${isolation.lacks.problem} ${isolation.lacks.cure}`;
}

/** Variables that the operating system cannot pass to a process. */
function malformedInput({ args, env }: ScriptRequest): string | undefined {
  if (args.some((argument) => argument.includes("\0"))) {
    return "An argument contains a NUL character. Remove it.";
  }
  return malformedEnvironment(env);
}
