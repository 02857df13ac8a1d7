import type { MetaTool } from "../scope/turn-scope.ts";
import { createActivateSkill } from "./activate-skill.ts";
import { createAskUser } from "./ask-user.ts";
import { createHandoff } from "./handoff.ts";
import { createInvokeSkill } from "./invoke-skill-tool.ts";
import { createListFiles } from "./list-files.ts";
import { createListSkills } from "./list-skills.ts";
import { createOffloadSkill } from "./offload-skill.ts";
import { createReadFile, createReadToolOutput } from "./read-file.ts";
import { createRunCode } from "./run-code.ts";
import { createRunSkillScript } from "./run-skill-script.ts";
import { createReadSkillFile } from "./skill-files.ts";
import { createWriteFile } from "./write-file.ts";

/** The agent's own tools. Made once, when the bot is wired; each decides per turn whether it is offered. */
export function createMetaTools(): MetaTool[] {
  return [
    createListSkills(),
    createActivateSkill(),
    createOffloadSkill(),
    createInvokeSkill(),
    createReadSkillFile(),
    createRunSkillScript(),
    createListFiles(),
    createReadFile(),
    createWriteFile(),
    createRunCode(),
    createReadToolOutput(),
    createAskUser(),
    createHandoff(),
  ];
}
