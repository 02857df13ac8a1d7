/** The sources of skills, and their settings from the configuration. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import type { FolderFormat, LoadedSkills, Skill, SkillSource, ToolPackages } from "../core/skill/skill.ts";
import { createFlowSource } from "../flows/flow-source.ts";
import type { FlowPorts } from "../flows/run-flow.ts";
import { createConfigSource } from "../skills/config-source.ts";
import { createFolderSource } from "../skills/folder-source.ts";
import { createHostFacts } from "../skills/host-facts.ts";
import { createLimitedSource } from "../skills/judged-sources.ts";
import { skillEnvironment } from "../skills/skill-settings.ts";

/** Only shipped skills may contain code that runs in the bot's process. */
export function shippedSources(flowPorts: FlowPorts): SkillSource[] {
  const place = { source: "bundled", precedence: 2 };
  const skills = fileURLToPath(new URL("../../skills", import.meta.url));
  const flows = fileURLToPath(new URL("../../flows", import.meta.url));
  return [
    createFolderSource({ ...place, root: skills, importModules: true }),
    createFlowSource({ ...place, root: flows, ports: flowPorts }),
  ];
}

/** The folders of installed skills and of installations in progress. */
export function managedFolders({ data }: Config) {
  return {
    skills: join(data.folder, "skills"),
    flows: join(data.folder, "flows"),
    staging: join(data.folder, "staging"),
  };
}

/**
 * The sources, in rising precedence.
 * @param formats of skills other than a folder with a SKILL.md
 * @param verify checks the loaded installed skills
 */
export function skillSources(
  config: Config,
  formats: readonly FolderFormat[],
  toolPackages: ToolPackages,
  flowPorts: FlowPorts,
  verify: (loaded: LoadedSkills) => Promise<LoadedSkills>,
): SkillSource[] {
  const { skills, workspace } = config;
  const linkFolders = [workspace.skills, ...skills.extra, ...skills.link_folders];
  const folder = (source: string, precedence: number, root: string, mustExist = false) =>
    createLimitedSource(
      createFolderSource({
        source,
        precedence,
        root,
        importModules: false,
        formats,
        toolPackages,
        mustExist,
        linkFolders: source === "managed" ? [] : linkFolders,
      }),
      skills.execution.max_seconds,
    );
  const flows = (source: string, precedence: number, root: string) =>
    createFlowSource({ source, precedence, root, ports: flowPorts });
  const managed = managedFolders(config);
  return [
    ...skills.extra.map((root) => folder("extra", 1, root, true)),
    ...shippedSources(flowPorts),
    verified(folder("managed", 3, managed.skills), verify),
    verified(flows("managed", 3, managed.flows), verify),
    folder("workspace", 4, workspace.skills),
    flows("workspace", 4, workspace.flows),
    createConfigSource(
      { source: "config", precedence: 5, path: "skills.config_skills" },
      skills.config_skills,
    ),
  ];
}

function verified(source: SkillSource, verify: (loaded: LoadedSkills) => Promise<LoadedSkills>): SkillSource {
  return { id: source.id, load: async () => verify(await source.load()) };
}

/** The facts about machine and settings that decide which skills are eligible. */
export function hostFacts(config: Config) {
  const { allowed, denied, disabled, opt_in, auto_discover, env, capabilities } = config.skills;
  return createHostFacts({
    env: processEnvironment(),
    skillEnv: env,
    config,
    capabilities,
    allowed,
    denied,
    disabled,
    optIn: auto_discover ? opt_in : ["*"],
  });
}

/** The declared variables of a skill that the operator has set. */
export function environmentOf({ skills }: Config, skill: Skill): Record<string, string> {
  return skillEnvironment(skills.env, skill);
}

/** All variables the operator has set for a skill, declared or not. */
export function settingsOf({ skills }: Config, skillId: string): Readonly<Record<string, string>> {
  return skills.env[skillId] ?? {};
}

/** Hosts the configuration lets a skill's code reach. */
export function grantedHosts({ skills }: Config, skill: Skill): readonly string[] {
  return skills.network[skill.parent ?? skill.id] ?? [];
}
