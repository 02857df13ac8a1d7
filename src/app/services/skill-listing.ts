import type { Json } from "../../core/json.ts";
import type { ToolDefinition } from "../../core/message.ts";
import type { SkillState } from "../../core/namespace-state.ts";
import type { Parameter } from "../../core/parameter.ts";
import type { Diagnostic, Invocation, SkillKind } from "../../core/skill.ts";

/** A skill as listings show it. */
export interface SkillListing {
  id: string;
  name: string;
  kind: SkillKind;
  description: string;
  category: string;
  version: string;
  source: string;
  path: string;
  hash: string;
  state: SkillState;
  eligible: boolean;
  /** Why it is not eligible, in words for a person. Empty when eligible. */
  reasons: string[];
  /** Somebody switched it off on purpose, in its file or in the configuration. */
  switched_off?: true | undefined;
  /** What people should know of its state here, e.g. that it has to be enabled again. */
  notice?: string | undefined;
  risk: "low" | "medium" | "high";
  emoji?: string | undefined;
  parent?: string | undefined;
}

/** One skill in full. */
export interface SkillDetail extends SkillListing {
  author: string;
  tags: string[];
  parameters: Parameter[];
  output_schema?: Json | undefined;
  examples: { prompt: string; call: string }[];
  tools: ToolDefinition[];
  files: { path: string; bytes: number }[];
  parts: SkillListing[];
  instructions: string;
  max_execution_seconds: number;
  max_iterations: number;
  license?: string | undefined;
  homepage?: string | undefined;
  /** Who may call it; people and the agent where nothing is said. */
  invocation?: Invocation | undefined;
  /** Hosts its code may reach. */
  network: { granted: string[] };
  /** Tools of servers it brings along; an empty list is all of a server. */
  tool_list: Record<string, string[]>;
  /** What was found wrong in its files. */
  problems: Diagnostic[];
  package?: InstalledSkill | undefined;
}

/** Of an installed skill: where from, and how many findings of each gravity its review has. */
export interface InstalledSkill {
  from: string;
  by: string;
  installed_at: number;
  hash: string;
  /** Its files are no longer those that were installed. */
  changed: boolean;
  danger: number;
  warnings: number;
}
