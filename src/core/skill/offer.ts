import type { ToolDefinition } from "../values/message.ts";
import type { Catalogue } from "./catalogue.ts";
import type { SkillState } from "./namespace-state.ts";
import type { Mean, Skill } from "./skill.ts";
import type { Tool } from "./tool.ts";

/** A skill as one namespace has it. */
export interface OfferedSkill {
  skill: Skill;
  state: SkillState;
  /** Why it cannot be used here, in words for a person; empty when it can. */
  reasons: string[];
  /** Somebody switched it off on purpose, for every namespace. */
  switched_off?: true;
  /** Something a person should know although the skill can be used. */
  notice?: string;
}

/** A tool under the name models know it by. */
export interface OfferedTool {
  tool: Tool;
  definition: ToolDefinition;
  /** The skills whose activation shows it: its own, and those that name it in their `tool_list`. */
  roots: readonly string[];
}

/** All tools of an offer by name, in a fixed order: by skill, then as the skill has them. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>;

/** What a namespace has of the catalogue. */
export interface Offer {
  readonly catalogue: Catalogue;
  /** Every skill, usable or not. */
  readonly all: ReadonlyMap<string, OfferedSkill>;
  /** What the agent may use: eligible, allowed, not blocked, and enabled where that is required; parts included. */
  readonly usable: readonly OfferedSkill[];
  /** Usable too, but by people alone: what is kept from the model until a person enables it or asks for it by name. */
  readonly personOnly: readonly OfferedSkill[];
  /** What turns here have to do without. */
  readonly lacking: readonly Mean[];
  /** Tools that the agent which has the turn may not call; absent where it may call all. */
  readonly denies?: (tool: Tool) => boolean;
  /** The tools of what is usable, under names that do not depend on which skills are active. */
  tools(): OfferedTools;
  /** How the list in the instructions shows what is usable: id → line. `open`: skills whose tools are there anyway. */
  lines(open: readonly string[]): ReadonlyMap<string, string>;
  /** What else is made of this offer is made once for each key, which says all that it depends on beside the offer. */
  once<T>(key: string, make: () => T): T;
}

/** Whether the skill's tools and guide are there without asking. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}
