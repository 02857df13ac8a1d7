import type { Skill } from "../skill/skill.ts";
import type { Tool } from "../skill/tool.ts";

/** Names a tool, or the code it runs, as it is now: what people allowed counts for nothing else. Undefined for the agent's own tools. */
export function definitionOf(
  { server }: Pick<Tool, "server">,
  skill: Pick<Skill, "hash"> | undefined,
): string | undefined {
  return server?.definition ?? skill?.hash;
}
