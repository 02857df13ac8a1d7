import type { Clock } from "../core/ports/storage.ts";
import type { WorkingFolders } from "../core/ports/working-folder.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { FolderFormat, Skill, ToolPackages } from "../core/skill/skill.ts";
import { ParkedCalls } from "../core/turn/parked-calls.ts";
import { createImportedSkill } from "./imported-skill.ts";
import { readPlugin } from "./plugin-file.ts";
import { createToolPackages } from "./tool-package.ts";
import { WarmPrograms } from "./warm-programs.ts";

export interface ImportedSkillsOptions {
  programs: ProgramRunner;
  clock: Pick<Clock, "after">;
  /** The operator's settings of a skill: its setup arguments, which are also the variables of its code. */
  settingsOf(skillId: string): Readonly<Record<string, string>>;
  /** Whether code of a package may be run to list its tools; true by default. */
  mayRun?(skill: Skill): Promise<boolean>;
  /** How long a call waits for a person, ms: the time that a question stays open. */
  question_ms: number;
  /** Called with the output and logs of skills. */
  onLog?(skillId: string, text: string): void;
  /** How long a process is kept after its last call, ms; five minutes by default. */
  idle_ms?: number;
  /** The files of threads. */
  folders: WorkingFolders;
  /** Maximum idle processes; eight by default. */
  most_idle?: number;
}

/** AnythingLLM's agent skills, run unmodified in the sandbox. */
export interface ImportedSkills {
  /** The format of their folders, for the sources of skills. */
  format: FolderFormat;
  /** The loader of tool packages. */
  toolPackages: ToolPackages;
  /** Ends all processes, and the calls that wait for a person. */
  close(): void;
}

/** Starts no process before the first call. */
export function createImportedSkills(options: ImportedSkillsOptions): ImportedSkills {
  const { programs, clock, settingsOf, question_ms, onLog = () => {}, mayRun = async () => true } = options;
  const { idle_ms = 5 * 60_000, most_idle = 8, folders } = options;
  const warm = new WarmPrograms(programs, clock, { idleMs: idle_ms, maxIdle: most_idle }, onLog);
  const parked = new ParkedCalls(clock, question_ms);
  const means = { programs, warm, parked, folders };
  return {
    format: {
      manifest: "plugin.json",
      code: "handler.js",
      load(folder) {
        const { plugin, diagnostics } = readPlugin(folder);
        if (plugin === undefined) return { skills: [], diagnostics };
        const settings = settingsOf(plugin.metadata.id);
        return { skills: [createImportedSkill(plugin, folder, settings, means)], diagnostics };
      },
    },
    toolPackages: createToolPackages(means, clock, settingsOf, mayRun),
    close() {
      parked.close();
      warm.close();
    },
  };
}
