/** How code that did not ship with the bot is run. */
import path from "node:path";
import { certificateFiles, processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import { ProgramError, type ProgramRunner, type Verdict } from "../core/programs.ts";
import type { ScriptRunner } from "../core/scripts.ts";
import type { Skill } from "../core/skill.ts";
import type { OwnPort } from "../net/address-policy.ts";
import { createGuardedProxy } from "../net/guarded-proxy.ts";
import type { Sandbox, SandboxOptions } from "../sandbox/create-sandbox.ts";
import { serverTimeZone } from "./app-settings.ts";

const megabyte = 1_048_576;

/** What `createSandbox` gets of the configuration. */
export function sandboxOptions(config: Config, own?: OwnPort): SandboxOptions {
  const { execution } = config.skills;
  return {
    dataDir: config.data.folder,
    openProxy: createGuardedProxy({ allow: config.net.allow, ...(own === undefined ? {} : { own }) }).open,
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
    certificates: certificateFiles(processEnvironment()),
    timeZone: serverTimeZone(config),
  };
}

/** Where this process finds programs, without those of the bot's own dependencies, which npm puts first. */
function programFolders(): string[] {
  const folders = processEnvironment().PATH?.split(path.delimiter) ?? [];
  return folders.filter((folder) => path.isAbsolute(folder) && !folder.includes("node_modules"));
}

/** What isolation is in force; see `Sandbox.describe`. */
export type IsolationFound = ReturnType<Sandbox["describe"]>;

/** Scripts and programs in one sandbox. */
export interface CodeRunners {
  scripts: ScriptRunner;
  programs: ProgramRunner;
  /** What isolation code of this skill runs in here, or why it would not run; for people. */
  describe(skill: Skill): Promise<string>;
  /** What isolation is in force. */
  isolation(): Promise<IsolationFound>;
}

/**
 * Finding out how to isolate starts a process, so it waits until code is run, and so does loading the sandbox.
 * @param verify looks at a skill's files right before code of it runs
 */
export function lazyCodeRunners(
  config: Config,
  own: OwnPort,
  verify: (skill: Skill) => Promise<Verdict>,
): CodeRunners {
  let sandbox: Promise<Sandbox> | undefined;
  const open = () => {
    sandbox ??= openSandbox(config, own).catch((error: unknown) => {
      // A full disk, for instance: the next call tries again.
      sandbox = undefined;
      throw error;
    });
    return sandbox;
  };
  return {
    scripts: {
      allows: async (skill) => (await open()).scripts.allows(skill),
      async run(request) {
        const verdict = await verify(request.skill);
        if (!verdict.ok) return { status: "refused", reason: verdict.reason };
        return (await open()).scripts.run(request);
      },
    },
    programs: {
      allows: async (skill) => (await open()).programs.allows(skill),
      async start(request) {
        const verdict = await verify(request.skill);
        if (!verdict.ok) throw new ProgramError(verdict.reason);
        return (await open()).programs.start(request);
      },
    },
    isolation: async () => (await open()).describe(),
    async describe(skill) {
      if (skill.kind === "builtin") return "It ships with Knack and runs in the bot's own process.";
      const opened = await open();
      const verdict = await opened.programs.allows(skill);
      return verdict.ok ? opened.describe().detail : verdict.reason;
    },
  };
}

async function openSandbox(config: Config, own: OwnPort): Promise<Sandbox> {
  const { createSandbox } = await import("../sandbox/create-sandbox.ts");
  return createSandbox(sandboxOptions(config, own));
}
