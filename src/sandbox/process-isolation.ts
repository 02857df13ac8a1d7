import { join } from "node:path";
import { fixedEnvironment, type Isolation, type SandboxLimits } from "./isolation.ts";
import { type LimitPrograms, limitPrefix } from "./limit-programs.ts";
import { programFolders } from "./programs.ts";

/**
 * A plain child process with a cleared environment, its own temporary workspace and, where util-linux is there, limits.
 * It can read what the bot can read and reach the network: for skills that ship with the bot only.
 */
export function createProcessIsolation(
  why: string,
  programs: LimitPrograms | undefined,
  limits: SandboxLimits,
): Isolation {
  return {
    kind: "process",
    detail: `${why} Until then only scripts of bundled skills run, as ordinary processes with a cleared environment.`,
    async prepare(request) {
      const { runFolder, folder, env } = request;
      // A child in a group of its own would outlive a killed bot; the parent-death signal takes it along.
      const prefix =
        programs === undefined
          ? []
          : [
              programs.setpriv,
              "--pdeathsig",
              "KILL",
              "--",
              ...limitPrefix(programs, limits, { timeoutMs: request.timeoutMs }),
            ];
      const [program, ...flags] = request.interpreter;
      const { entry } = request;
      const script = "module" in entry ? entry.module : join(folder, entry.script);
      const [file = "", ...args] = [
        ...prefix,
        program === "node" || program === undefined ? process.execPath : program,
        ...flags,
        script,
        ...request.args,
      ];
      const place = { path: programFolders.join(":"), workspace: runFolder, skill: folder, temp: runFolder };
      return { file, args, env: { ...env, ...fixedEnvironment(place) }, cwd: runFolder };
    },
  };
}
