import { z } from "zod";
import type { JobMeans } from "../ports/schedules.ts";
import { redactOutcome, type ScriptOutcome } from "../ports/work-means.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { accessTo, networkHint, requestHosts, withGrantedNetwork } from "../skill/network-grants.ts";
import type { ScriptRunner, ScriptWork } from "../skill/programs.ts";
import type { Skill } from "../skill/skill.ts";
import { failure, type ToolContext, type ToolResult } from "../skill/tool.ts";
import { createToolContext } from "../turn/tool-context.ts";
import { guidesOf } from "../turn/toolset.ts";
import { inQuotes } from "../values/call-arguments.ts";
import { objectOf } from "../values/json.ts";
import type { Redactor } from "../values/redact.ts";
import { findOffered } from "./activate-skill.ts";
import { defineMetaTool, ok, printedLines } from "./meta-tool.ts";
import { missingMeansHint, printedParts } from "./missing-means.ts";
import { commandForShell, hasFolder, pathInSkill } from "./read-skill-file.ts";
import { startJob, watch } from "./start-job.ts";

/** Maximum bytes of output; together with the notes this is below the limit of a tool's output. */
const maxOutput = 950_000;

/**
 * Time limit of the tool, ms. Normally the script is limited by its skill's own limit; this limit applies only if the runner fails to end
 * it.
 */
const maxRunMs = 86_400_000;

export const createRunSkillScript = () =>
  defineMetaTool({
    name: "run_skill_script",
    category: "code_exec",
    title: ({ script, command }) => `Running ${(command ?? script ?? "").slice(0, 80)}`,
    description:
      "Runs a script of an active skill, or a command line of its guide, in a sandbox in this thread's folder, and returns what it prints.",
    parameters: z.object({
      skill_name: z.string().min(1).describe("the skill's id"),
      script: z.string().min(1).optional().describe("relative path, or the name of an entry point"),
      command: z.string().min(1).optional().describe("instead of a script: a command line for bash"),
      args: z.array(z.string()).default([]),
      stdin: z.string().default(""),
      watch,
    }),
    effect: "side_effect",
    shares: true,
    says(input) {
      const { skill_name, script, command } = objectOf(input);
      const of = ` of the skill ${inQuotes(skill_name ?? "")}`;
      if (typeof command === "string")
        return { deed: `run a command${of}`, quotes: "command", names: ["skill_name"] };
      return { deed: `run the script ${inQuotes(script ?? "")}${of}`, names: ["skill_name", "script"] };
    },
    runsCodeOf: ({ skill_name }, scope) => {
      const found = findOffered(scope, skill_name);
      return found.status === "error" ? undefined : found.offered.skill.id;
    },
    max_execution_ms: maxRunMs,
    offered: (_turn, { scripts }) => scripts !== undefined,
    needed: ({ active }) => active.some(hasFolder),
    run: async ({ skill_name, script, command, watch, ...input }, context, scope, request) => {
      const found = findOffered(scope, skill_name);
      if (found.status === "error") return found;
      const { skill } = found.offered;
      const what = chosen(skill, { script, command });
      if ("status" in what) return what;
      const { scripts } = scope.ports;
      if (scripts === undefined)
        return failure("refused", "No sandbox for scripts is set up.", "Tell the person.");
      const { id: skill_id, max_iterations } = skill;
      // A context with the network of the skill, which this tool itself does not have.
      const own = createToolContext(scope, request, { skill_id, max_iterations }, context.signal);
      const allowed = await scripts.allows(skill);
      if (!allowed.ok) {
        const message = `Scripts of ${skill.id} do not run here: ${allowed.reason}`;
        return failure("refused", message, "Tell the person.");
      }
      const env = scriptEnvironment(scope, skill);
      const asked = { ...input, ...what, skill, skills: guidesOf(scope), env };
      if (watch === undefined) return runScript(scripts, scope.ports.redact, asked, own);
      if (allowed.unconfined === true)
        return failure("refused", "Jobs run in a sandbox only.", "Run it without `watch`.");
      return startJob(scope, request, await jobOf(scripts, asked, own), watch);
    },
  });

interface AskedScript {
  skill: Skill;
  /** Whose files it sees too. */
  skills: readonly Skill[];
  /** As the model wrote it. */
  name: string;
  work: ScriptWork;
  args: readonly string[];
  stdin: string;
  env: Readonly<Record<string, string>>;
}

/** A script or a command line. Only document skills have command lines. */
function chosen(
  skill: Skill,
  { script, command }: { script?: string | undefined; command?: string | undefined },
): Pick<AskedScript, "name" | "work"> | ToolResult {
  if ((script === undefined) === (command === undefined))
    return failure("invalid_arguments", "Give either script or command.");
  if (script !== undefined)
    return { name: script, work: { kind: "script", path: scriptPath(skill, script) } };
  if (command === undefined || skill.kind !== "document") {
    return failure("refused", `${skill.id} has no command lines.`, "Run its scripts, or go on without it.");
  }
  return { name: "The command", work: { kind: "command", line: commandForShell(command) } };
}

async function runScript(
  scripts: ScriptRunner,
  redact: Redactor,
  asked: AskedScript,
  context: ToolContext,
): Promise<ToolResult> {
  const { skill } = asked;
  const means = {
    signal: context.signal,
    timeout_ms: skill.max_execution_seconds * 1000,
    max_output_bytes: maxOutput,
    onLine: printedLines(context, redact),
  };
  const { value: ran, notes } = await context.inFolder(textOf(asked), (working) =>
    withGrantedNetwork(context, keyHosts(skill), (network) =>
      scripts.run({ ...asked, ...means, working, network }),
    ),
  );
  const hint = networkHint(skill.id, ran.refused, context.network.couldReach);
  return scriptResult(asked, redactOutcome(ran.value, redact), notes, hint);
}

/** The run as a job. An operator is asked for the hosts of its keys now: nobody can be asked later. */
async function jobOf(scripts: ScriptRunner, asked: AskedScript, context: ToolContext) {
  await requestHosts(context, keyHosts(asked.skill));
  const granted = await context.network.hosts();
  const { name, work } = asked;
  return {
    name: work.kind === "command" ? work.line.slice(0, 60) : name,
    text: textOf(asked),
    run: (means: JobMeans) => scripts.run({ ...asked, ...means, network: accessTo(granted, means.onHost) }),
  };
}

/** The text of a call, in which files are named. */
function textOf({ work, args, stdin }: AskedScript): string {
  return JSON.stringify([work, args, stdin]);
}

function keyHosts({ requires }: Skill): string[] {
  return Object.values(requires.keys ?? {}).map(({ host }) => host);
}

/** Resolves the name of an entry point, or a path. */
function scriptPath({ code }: Skill, script: string): string {
  const entry_points = code?.entry_points ?? {};
  const named = Object.hasOwn(entry_points, script) ? entry_points[script] : undefined;
  return named ?? pathInSkill(script);
}

/**
 * Information about the call, as environment variables. Variables declared by the skill come first, so that they cannot override those of
 * the context. The LINX names are for packages written for LINX.
 */
function scriptEnvironment({ turn, ports }: TurnScope, skill: Skill): Record<string, string> {
  const { profile, author, place, turn_id } = turn;
  return {
    ...ports.environmentOf(skill),
    KNACK_SKILL_ID: skill.id,
    KNACK_AGENT_ID: profile.id,
    KNACK_USER_ID: author.id,
    KNACK_NAMESPACE: place.namespace,
    KNACK_THREAD_ID: place.thread,
    KNACK_TURN_ID: turn_id,
    KNACK_PERMISSIONS: author.trust,
    LINX_AGENT_ID: profile.id,
    LINX_USER_ID: author.id,
    LINX_SESSION_ID: place.thread,
  };
}

/** A hint at declared variables that the script ran without; undefined if it had all. */
function missingVariables(skill: Skill, env: Readonly<Record<string, string>>): string | undefined {
  const apiKey = skill.settings?.api_key_variable;
  const declared = new Set([...skill.requires.env, ...(apiKey === undefined ? [] : [apiKey])]);
  const missing = [...declared].filter((name) => env[name] === undefined);
  if (missing.length === 0) return undefined;
  return `It ran without ${missing.join(", ")}, which an operator gives it under skills.env.${skill.id} in the configuration.`;
}

/** The result of a script for a model. `notes` list the files it left, `networkHint` the hosts it could not reach. */
function scriptResult(
  { skill, name, env }: AskedScript,
  outcome: ScriptOutcome,
  notes: readonly string[],
  networkHint: string | undefined,
): ToolResult {
  switch (outcome.status) {
    case "refused":
      return failure("refused", outcome.reason, scriptsOf(skill));
    case "timed_out": {
      const message = `${name} was stopped: it took longer than ${skill.max_execution_seconds} s.`;
      return failure("timed_out", [`${message} ${outcome.stderr}`.trim(), ...notes].join("\n"), networkHint);
    }
    case "exited": {
      const { exit_code, stdout, stderr } = outcome;
      if (exit_code !== 0) {
        const hints = [networkHint, missingVariables(skill, env), missingMeansHint(stderr)].filter(
          (hint) => hint !== undefined,
        );
        const message = [`${name} ended with ${exit_code}: ${stderr || stdout}`.trimEnd(), ...notes].join(
          "\n",
        );
        return failure("script_failed", message, hints.length === 0 ? undefined : hints.join(" "));
      }
      return ok([...printedParts(outcome), ...notes].join("\n"));
    }
  }
}

function scriptsOf({ code }: Skill): string | undefined {
  const names = Object.keys(code?.entry_points ?? {});
  return names.length === 0 ? undefined : `Its entry points: ${names.join(", ")}.`;
}
