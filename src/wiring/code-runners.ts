/** How code that did not ship with the bot is run. */
import type { Config } from "../config/schema.ts";
import type { ScriptRunner } from "../core/scripts.ts";
import { createScriptRunner } from "../sandbox/script-runner.ts";

/** Finding out how to isolate scripts starts a process, so it waits until a script is run. */
export function lazyScriptRunner(config: Config): ScriptRunner {
  const { memory_megabytes, processes, workspace_megabytes } = config.skills.execution;
  let runner: Promise<ScriptRunner> | undefined;
  const open = () => {
    runner ??= createScriptRunner({
      dataDir: config.data.folder,
      limits: {
        memoryBytes: memory_megabytes * 1_048_576,
        processes,
        workspaceBytes: workspace_megabytes * 1_048_576,
      },
    });
    return runner;
  };
  return {
    allows: () => ({ ok: true }),
    run: async (request) => (await open()).run(request),
  };
}
