import type { ScriptOutcome } from "../../core/ports/work-means.ts";
import type { CallOfCode, RunRequest, ScriptRequest, ScriptRunner } from "../../core/skill/programs.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { malformedEnvironment, supervise } from "../child-process.ts";
import type { ShownSkill } from "../isolation.ts";
import { isShipped, type SandboxContext } from "../sandbox-context.ts";
import { exposedModules, unreadModules } from "../unread-modules.ts";
import { openRun, type RunCode } from "./open-run.ts";
import { resolveCommand, resolveScript, skillFolder } from "./resolve-script.ts";

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
  const { folder, script, interpreter, moduleFolders } = found.value;
  const shown = await shownSkills([skill, ...(request.skills ?? [])]);
  const exposed = exposedModules(shown[0]?.leftOut ?? [], isolation);
  if (exposed !== undefined) return { status: "refused", reason: exposed };
  const code = {
    folder,
    interpreter,
    moduleFolders,
    args,
    env,
    keys: skill.requires.keys,
    packages: await context.prepared.packagesFor(skill),
    entry: { script },
    shown,
    shipped: isShipped(skill),
  };
  return await runToEnd(code, request, context);
}

/** The skills with a folder, each once, as code sees them. */
export async function shownSkills(skills: readonly Skill[]): Promise<ShownSkill[]> {
  const shown = new Map<string, ShownSkill>();
  for (const skill of skills) {
    const folder = shown.has(skill.id) ? undefined : await skillFolder(skill.origin.path);
    if (folder !== undefined)
      shown.set(skill.id, { id: skill.id, folder, leftOut: await unreadModules(skill, folder) });
  }
  return [...shown.values()];
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
