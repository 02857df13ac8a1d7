/** How code that did not ship with the bot is run. */
import type { Config } from "../config/schema.ts";
import type { ProgramRunner } from "../core/programs.ts";
import type { ScriptRunner } from "../core/scripts.ts";
import { createGuardedProxy } from "../net/guarded-proxy.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../sandbox/create-sandbox.ts";

const megabyte = 1_048_576;

/** What `createSandbox` gets of the configuration. */
export function sandboxOptions(config: Config): SandboxOptions {
  const { execution } = config.skills;
  return {
    dataDir: config.data.folder,
    openProxy: createGuardedProxy({ allow: config.net.allow }).open,
    limits: {
      memoryBytes: execution.memory_megabytes * megabyte,
      totalMemoryBytes: execution.total_memory_megabytes * megabyte,
      processes: execution.processes,
      workspaceBytes: execution.workspace_megabytes * megabyte,
    },
    allowWeak: execution.allow_weak,
  };
}

/** Scripts and programs in one sandbox. Finding out how to isolate starts a process, so it waits until code is run. */
export function lazyCodeRunners(config: Config): { scripts: ScriptRunner; programs: ProgramRunner } {
  let sandbox: Promise<Sandbox> | undefined;
  const open = () => {
    sandbox ??= createSandbox(sandboxOptions(config));
    return sandbox;
  };
  return {
    scripts: {
      allows: () => ({ ok: true }),
      run: async (request) => (await open()).scripts.run(request),
    },
    programs: {
      allows: async (skill) => (await open()).programs.allows(skill),
      start: async (request) => (await open()).programs.start(request),
    },
  };
}

/** The scripts of `lazyCodeRunners` alone. */
export function lazyScriptRunner(config: Config): ScriptRunner {
  return lazyCodeRunners(config).scripts;
}
