import { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { asError, errorText } from "../../base/error-text.ts";
import {
  ProgramError,
  type ProgramRequest,
  type ProgramRunner,
  type RunningProgram,
} from "../../core/skill/programs.ts";
import { malformedEnvironment, startFailure, startProcess } from "../child-process.ts";
import type { Launch } from "../isolation.ts";
import { libraryFolders } from "../library-folders.ts";
import type { SandboxContext } from "../sandbox-context.ts";
import { openRun } from "./open-run.ts";
import { skillFolder } from "./resolve-script.ts";
import { codeOfSkill, exposedModules } from "./skill-code.ts";
import { type WatchedProgram, watchProgram } from "./watched-program.ts";

/** Runs programs of skills that keep running, in the same isolation as scripts. */
export function createProgramRunner(context: SandboxContext): ProgramRunner {
  return {
    allows: async (skill) => context.allows(skill),
    async start(request) {
      const verdict = context.allows(request.skill);
      if (!verdict.ok) throw new ProgramError(verdict.reason);
      const malformed = malformedEnvironment(request.env);
      if (malformed !== undefined) throw new ProgramError(malformed);
      const folder = await skillFolder(request.skill.origin.path);
      if (folder === undefined)
        throw new ProgramError(`The skill ${request.skill.id} has no folder any more.`);
      const { module, env, working, libraries = [] } = request;
      const own = await codeOfSkill(request.skill, context);
      const exposed = exposedModules(own.shown, context.isolation);
      if (exposed !== undefined) throw new ProgramError(exposed);
      const code = {
        ...own,
        folder,
        interpreter: ["node"],
        entry: { module },
        args: [],
        env,
        libraries: await libraryFolders(libraries),
        working,
      };
      const opened = await openRun(code, request, context).catch(asProgramError);
      if ("reason" in opened) throw new ProgramError(opened.reason);
      const { launch, close } = opened;
      try {
        return running(await startWatched(launch, request, context), request, close);
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** A full disk, or a skill that was removed in between. */
function asProgramError(error: unknown): never {
  const why = errorText(error);
  throw new ProgramError(`Its place in the sandbox could not be made: ${why}`, { cause: error });
}

/** @throws ProgramError */
async function startWatched(
  launch: Launch,
  request: ProgramRequest,
  context: SandboxContext,
): Promise<WatchedProgram> {
  const child = startProcess(launch);
  if (!(child instanceof ChildProcess)) throw new ProgramError(child.reason);
  const program = watchProgram(child, request, context);
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new ProgramError(startFailure(asError(error)), { cause: error });
  }
  return program;
}

/** The end is reported once everything of the program is gone. */
function running(
  program: WatchedProgram,
  { onEnd }: ProgramRequest,
  close: () => Promise<void>,
): RunningProgram {
  void program.ended.then(async (reason) => {
    // A folder that cannot be removed now is removed at a later start of the bot.
    await close().catch(() => undefined);
    onEnd({ reason });
  });
  return { send: program.send, kill: program.kill };
}
