import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { LRUCache } from "lru-cache";
import { growingTo } from "../base/growing-cache.ts";
import type { HostFacts } from "../core/skill/eligibility.ts";
import { givenVariables, type SkillEnv } from "./skill-settings.ts";

/** The settings of an operator about skills, and where they are looked up. */
interface HostSettings extends Partial<Pick<HostFacts, "os" | "allowed" | "denied" | "disabled" | "optIn">> {
  /** The process environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Variables the operator gives single skills: `{SKILL_ID: {NAME: value}}`. */
  skillEnv?: SkillEnv;
  /** The effective configuration; skills ask for dotted paths of it. */
  config: unknown;
  capabilities: readonly string[];
}

/** How long the result of a search for a program on the PATH is valid, ms. */
const programAge = 60_000;

/** What this machine and the operator's settings offer to skills. */
export function createHostFacts({ env, skillEnv = {}, config, ...settings }: HostSettings): HostFacts {
  const programs = new LRUCache<string, boolean>({ ...growingTo(1_000), ttl: programAge });
  const { os = process.platform } = settings;
  return {
    allowed: ["*"],
    denied: [],
    disabled: [],
    optIn: [],
    ...settings,
    os,
    hasBin(name) {
      const known = programs.get(name) ?? isOnPath(name, env, os);
      if (!programs.has(name)) programs.set(name, known);
      return known;
    },
    hasEnv: (name, skill) => Boolean(givenVariables(skillEnv, skill)[name] ?? env[name]),
    hasConfig: (dotted) => Boolean(valueAt(config, dotted)),
  };
}

function isOnPath(name: string, env: HostSettings["env"], os: string): boolean {
  if (name === "" || /[\\/]/.test(name)) return false;
  const folders = (env.PATH ?? env.Path ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const endings = os === "win32" ? ["", ...(env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";")] : [""];
  return folders.some((folder) => endings.some((ending) => isProgram(path.join(folder, name + ending))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function valueAt(config: unknown, dotted: string): unknown {
  return dotted
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key)
          ? Reflect.get(value, key)
          : undefined,
      config,
    );
}
