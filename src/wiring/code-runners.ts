/** Runners for code that does not ship with the bot. */
import path from "node:path";
import { certificateFiles, processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import type { Mutex } from "../core/ports/storage.ts";
import type { PreparedPackages } from "../core/skill/packages.ts";
import {
  type CodeRunner,
  ProgramError,
  type ProgramRunner,
  type ScriptRunner,
  type Verdict,
} from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { OwnPorts } from "../net/address-policy.ts";
import { createGuardedProxy } from "../net/guarded-proxy.ts";
import type { Sandbox, SandboxOptions } from "../sandbox/create-sandbox.ts";
import { serverTimeZone } from "./app-settings.ts";

const megabyte = 1_048_576;

/** Options of `createSandbox`, from the configuration. */
export function sandboxOptions(config: Config, own?: OwnPorts): SandboxOptions {
  const { execution } = config.skills;
  const certificates = certificateFiles(processEnvironment());
  return {
    dataDir: config.data.folder,
    openProxy: createGuardedProxy({
      allow: config.net.allow,
      certificates: Object.values(certificates),
      own,
    }).open,
    ...packageOptions(config, own),
    limits: {
      memoryBytes: execution.memory_megabytes * megabyte,
      totalMemoryBytes: execution.total_memory_megabytes * megabyte,
      processes: execution.processes,
      workspaceBytes: execution.workspace_megabytes * megabyte,
      maxRunning: execution.max_running,
      ...(execution.all_memory_megabytes > 0
        ? { allMemoryBytes: execution.all_memory_megabytes * megabyte }
        : {}),
    },
    allowWeak: execution.allow_weak,
    searchPath: programFolders(),
    certificates,
    timeZone: serverTimeZone(config),
    code: { hosts: config.code.hosts, max_ms: config.code.max_seconds * 1_000 },
  };
}

/** Maximum run time of a package installer, ms. */
const maxInstall = 900_000;

/** The sources of packages for code. An index named by the operator may be in a private network. */
function packageOptions(
  { net, skills }: Config,
  own?: OwnPorts,
): Pick<SandboxOptions, "packages" | "openPackageProxy"> {
  const { python_index, npm_registry, package_hosts, package_megabytes } = skills.execution;
  const maxBytes = package_megabytes * megabyte;
  const named = [python_index, npm_registry].flatMap((address) =>
    address === undefined ? [] : new URL(address).hostname,
  );
  const proxy = createGuardedProxy({
    allow: [...net.allow, ...named, ...package_hosts],
    own,
    // Every download is also written to disk, where a tighter limit applies.
    limits: { connectionBytes: maxBytes, hourlyBytes: 2 * maxBytes },
  });
  return {
    openPackageProxy: proxy.open,
    packages: {
      pythonIndex: python_index ?? "https://pypi.org/simple",
      npmRegistry: npm_registry ?? "https://registry.npmjs.org/",
      hosts: package_hosts,
      maxBytes,
      maxMs: maxInstall,
    },
  };
}

/** The program search path of this process, without the bot's own dependencies, which npm puts first. */
function programFolders(): string[] {
  const folders = processEnvironment().PATH?.split(path.delimiter) ?? [];
  return folders.filter((folder) => path.isAbsolute(folder) && !folder.includes("node_modules"));
}

/**
 * Detecting the isolation starts a process, so that and loading the sandbox wait until code is run.
 * @param mutex of all processes that use the data folder at the same time; without it, there is one
 * @param verify checks a skill's files right before its code runs
 */
export function lazyCodeRunners(
  config: Config,
  own: OwnPorts,
  mutex: Mutex | undefined,
  verify: (skill: Skill) => Promise<Verdict>,
) {
  let sandbox: Promise<Sandbox> | undefined;
  const open = () => {
    sandbox ??= openSandbox(config, own, mutex).catch((error: unknown) => {
      // A full disk, for instance: the next call tries again.
      sandbox = undefined;
      throw error;
    });
    return sandbox;
  };
  const scripts: ScriptRunner = {
    allows: async (skill) => (await open()).scripts.allows(skill),
    async run(request) {
      const verdict = await verify(request.skill);
      if (!verdict.ok) return { status: "refused", reason: verdict.reason };
      return (await open()).scripts.run(request);
    },
  };
  const programs: ProgramRunner = {
    allows: async (skill) => (await open()).programs.allows(skill),
    async start(request) {
      const verdict = await verify(request.skill);
      if (!verdict.ok) throw new ProgramError(verdict.reason);
      return (await open()).programs.start(request);
    },
  };
  const code: CodeRunner = {
    means: async () => (await open()).code.means(),
    run: async (request) => (await open()).code.run(request),
  };
  return {
    scripts,
    programs,
    /** Undefined where the configuration says that no model runs code. */
    code: config.code.enabled ? code : undefined,
    /** Packages that operators install for code. */
    prepared: lazyPreparedPackages(async () => (await open()).prepared),
    /** The isolation in force; see `Sandbox.describe`. */
    isolation: async () => (await open()).describe(),
    /** Ends the preparation of packages. */
    close: async () => (await sandbox)?.close(),
    /** The isolation in which code of this skill runs here, or why it would not run; for people. */
    async describe(skill: Skill): Promise<string> {
      if (skill.kind === "builtin") return "It ships with Knack and runs in the bot's own process.";
      const opened = await open();
      const verdict = await opened.programs.allows(skill);
      return verdict.ok ? opened.describe().detail : verdict.reason;
    },
  };
}

function lazyPreparedPackages(open: () => Promise<PreparedPackages>): PreparedPackages {
  let opened: PreparedPackages | undefined;
  const prepared = async () => {
    opened ??= await open();
    return opened;
  };
  return {
    list: async () => (await prepared()).list(),
    add: async (...given) => (await prepared()).add(...given),
    remove: async (...given) => (await prepared()).remove(...given),
    prepare: async (...given) => (await prepared()).prepare(...given),
    drop: async (id) => (await prepared()).drop(id),
    // A skill without code needs nothing, so the sandbox is not opened.
    lacks: async (skill) => (skill.code === undefined ? undefined : (await prepared()).lacks(skill)),
    missingImports: async (skill) =>
      skill.code?.runs === "scripts" ? (await prepared()).missingImports(skill) : [],
    // As before the first change of a sandbox.
    changes: async () => opened?.changes() ?? "0",
  };
}

async function openSandbox(config: Config, own: OwnPorts, mutex: Mutex | undefined): Promise<Sandbox> {
  const { createSandbox } = await import("../sandbox/create-sandbox.ts");
  return createSandbox({ ...sandboxOptions(config, own), mutex });
}
