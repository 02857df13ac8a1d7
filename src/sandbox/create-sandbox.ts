import { mkdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { Mutex } from "../core/ports/storage.ts";
import type { CodeMeans } from "../core/ports/work-means.ts";
import { noPreparedPackages, type PackageLanguage, type PreparedPackages } from "../core/skill/packages.ts";
import type { CodeRunner, ProgramRunner, ScriptRunner, Verdict } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import { chooseIsolation } from "./choose-isolation.ts";
import { defaultLimits, type Isolation, type IsolationNeeds, type SandboxLimits } from "./isolation.ts";
import type { IsolationLack } from "./isolation-cure.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { Places } from "./places.ts";
import { createPreparedFolders } from "./prepare/prepared-folders.ts";
import { type Preparers, SandboxPackages } from "./prepare/prepared-packages.ts";
import { PreparedSets } from "./prepare/prepared-sets.ts";
import { createPythonVersion } from "./prepare/python-version.ts";
import type { PackageSources } from "./prepare/run-installer.ts";
import { createCodeRunner } from "./run/code-runner.ts";
import { claimRunFolders, removeDeadSockets, removeLeftovers } from "./run/open-run.ts";
import { createProgramRunner } from "./run/program-runner.ts";
import { createScriptRunner } from "./run/script-runner.ts";
import { isShipped, type OpenProxy, type SandboxContext } from "./sandbox-context.ts";

export interface SandboxOptions
  extends Partial<Pick<IsolationNeeds, "bwrap" | "allowWeak" | "searchPath" | "certificates" | "timeZone">> {
  /** The bot's data folder; runs have temporary folders in its `workspaces`. Code of skills sees nothing else of it. */
  dataDir: string;
  limits?: Partial<SandboxLimits>;
  /** What code of models may use; by default no host and two minutes. */
  code?: Pick<CodeMeans, "hosts" | "max_ms">;
  /** Opens the only network access, for code that has been granted hosts; without it no code has network. */
  openProxy?: OpenProxy;
  /** The same for installers of packages, which download more. */
  openPackageProxy?: OpenProxy;
  /** Where packages for code come from; without it none can be prepared or used. */
  packages?: PackageSources;
  /** Of all processes that use this data folder at the same time; without it, there is one. */
  mutex?: Mutex | undefined;
  /** How long a request to prepare packages waits for the end, ms. */
  preparePatienceMs?: number;
}

/** Runs code of skills. */
export interface Sandbox {
  scripts: ScriptRunner;
  programs: ProgramRunner;
  code: CodeRunner;
  prepared: PreparedPackages;
  /** Ends the preparation of packages. Nothing runs any more. */
  close(): Promise<void>;
  /** For `doctor`: the isolation in force. */
  describe(): { isolation: Isolation["kind"]; detail: string; lacks?: IsolationLack | undefined };
}

/** Determines once, by trying, how code of skills can be isolated on this machine. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const runs = join(resolve(options.dataDir), "workspaces");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  const { mutex = new KeyedMutex() } = options;
  const release = await claimRunFolders(mutex);
  try {
    await removeLeftovers(runs, mutex);
    await removeDeadSockets();
    const { close, ...sandbox } = await openSandbox(options, runs, mutex);
    return { ...sandbox, close: () => close().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function openSandbox(options: SandboxOptions, runs: string, mutex: Mutex): Promise<Sandbox> {
  const limits = { ...defaultLimits, ...options.limits };
  const hidden = await Promise.all(
    [options.dataDir, join(import.meta.dirname, "../..")].map((path) => realpath(path)),
  );
  const { allowWeak = [] } = options;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const byDefault = { searchPath: [], certificates: {}, timeZone };
  const isolation = await chooseIsolation({ ...byDefault, ...options, allowWeak, limits, hidden }, runs);
  const sets = new PreparedSets(join(resolve(options.dataDir), "prepared"));
  if (options.packages !== undefined) await sets.clean();
  const context: SandboxContext = {
    isolation,
    limits,
    runs,
    openProxy: options.openProxy,
    openPackageProxy: options.openPackageProxy,
    prepared: createPreparedFolders(
      sets,
      async ({ language, runtime }) => (await runtimeOf(language)) === runtime,
    ),
    places: new Places(limits.maxRunning, limits.maxWaitMs),
    memory: new MemoryWatch(limits),
    allows: (skill) => allowed(skill, isolation, allowWeak),
  };
  const pythonVersion = createPythonVersion(context);
  const runtimeOf = async (language: PackageLanguage) =>
    language === "python" ? await pythonVersion() : process.versions.node.split(".")[0];
  const closing = new AbortController();
  const { signal } = closing;
  const prepared = preparedPackages(options, mutex, { sandbox: context, sets, runtimeOf, signal });
  return {
    scripts: createScriptRunner(context),
    programs: createProgramRunner(context),
    code: createCodeRunner(context, options.code ?? { hosts: [], max_ms: 120_000 }),
    prepared,
    async close() {
      closing.abort();
      await prepared.settled();
    },
    describe: () => {
      const { kind, detail } = isolation;
      return { isolation: kind, detail, lacks: kind === "process" ? isolation.lacks : undefined };
    },
  };
}

function preparedPackages(
  { packages: sources, preparePatienceMs: patienceMs = 100_000 }: SandboxOptions,
  mutex: Mutex,
  parts: Omit<Preparers, "sources">,
): PreparedPackages & Pick<SandboxPackages, "settled"> {
  if (sources === undefined) return { ...noPreparedPackages, settled: async () => undefined };
  return new SandboxPackages({ ...parts, sources }, mutex, patienceMs);
}

function allowed(skill: Skill, isolation: Isolation, allowWeak: readonly string[]): Verdict {
  const id = skill.parent ?? skill.id;
  if (isolation.kind === "bubblewrap" || isShipped(skill)) return { ok: true };
  if (allowWeak.includes(id)) return { ok: true, unconfined: true };
  const { problem, cure } = isolation.lacks;
  const reason = `${problem} ${cure} An operator who trusts ${id} can name it in skills.execution.allow_weak.`;
  return { ok: false, reason };
}
