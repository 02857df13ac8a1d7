/** What `black_tool_actions` keeps an agent from, and which of the bot's own tools it has. */

import type { Profile, ToolCategory } from "../values/profile.ts";
import { resolveSkillId } from "./skill-identifier.ts";

/** A call as `black_tool_actions` looks at it. */
interface Action {
  name: string;
  skill_id: string;
  server?: { server: string; tool: string } | undefined;
}

/** Whether an agent may not call a tool at all; with an input, whether it may not call it so. */
export function deniesAction({ black_tool_actions = {} }: Profile, tool: Action, input?: unknown): boolean {
  const [root = "", part] = tool.skill_id.split("#");
  const owners = [tool.name, tool.skill_id, root, tool.server?.server ?? ""].filter(Boolean);
  const denied = Object.entries(black_tool_actions).flatMap(([owner, actions]) =>
    resolveSkillId(owner, owners).status === "found" ? actions : [],
  );
  if (denied.length === 0) return false;
  const names = ["*", tool.name, part, tool.server?.tool, ...actionsIn(input)];
  return denied.some((action) => names.includes(action));
}

/** Whether an agent may not use anything of a skill, its guide and scripts included. */
export function deniesSkill(profile: Profile, { id, parent }: { id: string; parent?: string }): boolean {
  return deniesAction(profile, { name: parent === undefined ? id : "", skill_id: id });
}

/** Whether an agent has a tool of the bot's own; one without a category all have. */
export function hasOwnTool(
  profile: Profile,
  { name, category }: { name: string; category?: ToolCategory | undefined },
): boolean {
  if (category !== undefined && profile.tools?.includes(category) === false) return false;
  return !deniesAction(profile, { name, skill_id: "" });
}

function actionsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const { action, do: done } = input as { action?: unknown; do?: unknown };
  return [action, done].filter((value) => typeof value === "string");
}
