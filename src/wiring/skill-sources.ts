/** Where skills come from, and what they get of the configuration. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import type { Skill, SkillSource } from "../core/skill.ts";
import { createFlowSource } from "../flows/flow-source.ts";
import { createConfigSource } from "../skills/config-source.ts";
import { createFolderSource } from "../skills/folder-source.ts";
import { createHostFacts } from "../skills/host-facts.ts";

/** In rising precedence. Only the folder that ships with the bot may hold code that runs in its process. */
export function skillSources({ skills, workspace, data }: Config): SkillSource[] {
  const folder = (source: string, precedence: number, root: string, mustExist = false) =>
    createFolderSource({ source, precedence, root, importModules: source === "bundled", mustExist });
  const flows = (source: string, precedence: number, root: string) =>
    createFlowSource({ source, precedence, root });
  return [
    ...skills.extra.map((root) => folder("extra", 1, root, true)),
    folder("bundled", 2, fileURLToPath(new URL("../../skills", import.meta.url))),
    flows("bundled", 2, fileURLToPath(new URL("../../flows", import.meta.url))),
    folder("managed", 3, join(data.folder, "skills")),
    folder("workspace", 4, workspace.skills),
    flows("workspace", 4, workspace.flows),
    createConfigSource({
      source: "config",
      precedence: 5,
      path: "skills.config_skills",
      skills: skills.config_skills,
    }),
  ];
}

/** What the machine and the settings offer to skills. */
export function hostFacts(config: Config) {
  const { allowed, denied, disabled, opt_in, auto_discover, env } = config.skills;
  return createHostFacts({
    env: processEnvironment(),
    skillEnv: env,
    config,
    capabilities: [],
    allowed,
    denied,
    disabled,
    optIn: auto_discover ? opt_in : ["*"],
  });
}

/** The variables a skill declares and the operator has set for it. */
export function environmentOf({ skills }: Config, skill: Skill): Record<string, string> {
  const given = { ...skills.env[skill.parent ?? skill.id], ...skills.env[skill.id] };
  return Object.fromEntries(Object.entries(given).filter(([name]) => skill.requires.env.includes(name)));
}

/** Hosts the configuration lets a skill's code reach. */
export function grantedHosts({ skills }: Config, skill: Skill): readonly string[] {
  return skills.network[skill.parent ?? skill.id] ?? [];
}
