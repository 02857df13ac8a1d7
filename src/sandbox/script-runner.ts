import { mkdir, mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ScriptOutcome, ScriptRequest, ScriptRunner } from "../core/scripts.ts";
import type { Skill } from "../core/skill.ts";
import { chooseIsolation } from "./choose-isolation.ts";
import { defaultLimits, type Isolation, type SandboxLimits } from "./isolation.ts";
import { resolveScript } from "./resolve-script.ts";
import { supervise } from "./supervise.ts";

export interface ScriptRunnerOptions {
  /** The bot's data folder; runs have temporary folders in its `workspaces`. Scripts see nothing else of it. */
  dataDir: string;
  limits?: Partial<SandboxLimits>;
  /** Path of bubblewrap; looked for in the system's program folders unless given. */
  bwrap?: string;
}

/** A script runner that can say, for `doctor`, what isolation is in force. */
export interface IsolatedScriptRunner extends ScriptRunner {
  describe(): { isolation: Isolation["kind"]; detail: string };
}

/** Finds out once, by trying it, how scripts can be isolated on this machine. */
export async function createScriptRunner(options: ScriptRunnerOptions): Promise<IsolatedScriptRunner> {
  const limits = { ...defaultLimits, ...options.limits };
  const runs = join(resolve(options.dataDir), "workspaces");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  await removeLeftovers(runs);
  const hidden = await Promise.all(
    [options.dataDir, join(import.meta.dirname, "../..")].map((path) => realpath(path)),
  );
  const isolation = await chooseIsolation({ bwrap: options.bwrap, limits, runs, hidden });
  const allows = (skill: Skill) => allowed(skill, isolation);
  return {
    allows,
    describe: () => ({ isolation: isolation.kind, detail: isolation.detail }),
    async run(request) {
      request.signal.throwIfAborted();
      const verdict = allows(request.skill);
      if (!verdict.ok) return { status: "refused", reason: verdict.reason };
      return await run(request, isolation, runs);
    },
  };
}

function allowed(skill: Skill, isolation: Isolation): ReturnType<ScriptRunner["allows"]> {
  if (isolation.kind === "bubblewrap" || skill.origin.source === "bundled") return { ok: true };
  return {
    ok: false,
    reason: `Scripts of the skill ${skill.id} did not ship with the bot. ${isolation.detail}`,
  };
}

async function run(request: ScriptRequest, isolation: Isolation, runs: string): Promise<ScriptOutcome> {
  const malformed = malformedInput(request);
  if (malformed !== undefined) return { status: "refused", reason: malformed };
  const script = await resolveScript(request.skill, request.script);
  if (!script.ok) return { status: "refused", reason: script.reason };
  const runFolder = await mkdtemp(join(runs, "run-"));
  try {
    const { args, env, timeout_ms: timeoutMs } = request;
    const launch = await isolation.prepare({ ...script.value, args, env, timeoutMs, runFolder });
    request.signal.throwIfAborted();
    return await supervise(launch, request);
  } finally {
    await rm(runFolder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What the operating system cannot pass to a process. */
function malformedInput({ args, env }: ScriptRequest): string | undefined {
  if (args.some((argument) => argument.includes("\0"))) {
    return "An argument contains a NUL character. Remove it.";
  }
  const bad = Object.entries(env).find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
  return (
    bad && `The environment variable ${JSON.stringify(bad[0])} has a name or value that cannot be passed on.`
  );
}

/** Folders that a killed bot left behind. Younger ones may belong to a running one. */
async function removeLeftovers(runs: string): Promise<void> {
  const dayAgo = Date.now() - 86_400_000;
  for (const entry of await readdir(runs, { withFileTypes: true })) {
    const path = join(runs, entry.name);
    if (!entry.isDirectory() || !entry.name.startsWith("run-")) continue;
    if ((await changedAt(path)) < dayAgo) await rm(path, { recursive: true, force: true });
  }
}

/** Milliseconds since the epoch; never, when another bot has just removed it. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
