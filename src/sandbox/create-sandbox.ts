import { mkdir, readdir, realpath, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ProgramRunner, Verdict } from "../core/programs.ts";
import type { ScriptRunner } from "../core/scripts.ts";
import type { Skill } from "../core/skill.ts";
import { chooseIsolation } from "./choose-isolation.ts";
import { defaultLimits, type Isolation, type SandboxLimits } from "./isolation.ts";
import type { IsolationLack } from "./isolation-cure.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { Places } from "./places.ts";
import { createProgramRunner } from "./program-runner.ts";
import { isShipped, type OpenProxy, type SandboxContext } from "./sandbox-context.ts";
import { createScriptRunner } from "./script-runner.ts";

export interface SandboxOptions {
  /** The bot's data folder; runs have temporary folders in its `workspaces`. Code of skills sees nothing else of it. */
  dataDir: string;
  limits?: Partial<SandboxLimits>;
  /** Path of bubblewrap; looked for in the system's program folders unless given. */
  bwrap?: string;
  /** Ids of skills whose code may run where bubblewrap does not work, although it did not ship with the bot. */
  allowWeak?: readonly string[];
  /** Folders of programs for code that runs without bubblewrap, beside the system's: the bot's PATH. Absolute paths. */
  searchPath?: readonly string[];
  /** Files of certificates that programs trust beside the machine's, by the variable that names them, e.g. SSL_CERT_FILE. */
  certificates?: Readonly<Record<string, string>>;
  /** The time zone that programs see, an IANA name; the machine's unless given. */
  timeZone?: string;
  /** Opens the only way out for code that has been granted hosts; without it no code has network. */
  openProxy?: OpenProxy;
}

/** Where code of skills runs. */
export interface Sandbox {
  scripts: ScriptRunner;
  programs: ProgramRunner;
  /** For `doctor`: what isolation is in force. */
  describe(): { isolation: Isolation["kind"]; detail: string; lacks?: IsolationLack };
}

/** Finds out once, by trying it, how code of skills can be isolated on this machine. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const limits = { ...defaultLimits, ...options.limits };
  const runs = join(resolve(options.dataDir), "workspaces");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  await removeLeftovers(runs);
  const hidden = await Promise.all(
    [options.dataDir, join(import.meta.dirname, "../..")].map((path) => realpath(path)),
  );
  const { bwrap, allowWeak = [], searchPath = [], certificates = {} } = options;
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isolation = await chooseIsolation({
    bwrap,
    limits,
    runs,
    hidden,
    allowWeak,
    searchPath,
    certificates,
    timeZone,
  });
  const context: SandboxContext = {
    ...{ isolation, limits, runs, openProxy: options.openProxy },
    places: new Places(limits.maxRunning, limits.maxWaitMs),
    memory: new MemoryWatch(limits),
    allows: (skill) => allowed(skill, isolation, allowWeak),
  };
  return {
    scripts: createScriptRunner(context),
    programs: createProgramRunner(context),
    describe: () => {
      const { kind, detail } = isolation;
      return { isolation: kind, detail, ...(kind === "process" ? { lacks: isolation.lacks } : {}) };
    },
  };
}

function allowed(skill: Skill, isolation: Isolation, allowWeak: readonly string[]): Verdict {
  const id = skill.parent ?? skill.id;
  if (isolation.kind === "bubblewrap" || isShipped(skill)) return { ok: true };
  if (allowWeak.includes(id)) return { ok: true, unconfined: true };
  const { problem, cure } = isolation.lacks;
  const reason = `${problem} ${cure} An operator who trusts ${id} can name it in skills.execution.allow_weak.`;
  return { ok: false, reason };
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
