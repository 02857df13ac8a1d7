import type { Offer, OfferedTools } from "./offer.ts";
import { openedTools } from "./opened-tools.ts";
import { uniqueToolNames } from "./skill-identifier.ts";
import type { Tool } from "./tool.ts";

/**
 * Names the tools of everything usable, active or not. A name depends on nothing that changes within a conversation but the
 * installation of another tool of that name.
 *
 * @param reserved names of the agent's own tools, which skills cannot take
 */
export function createOfferedTools(
  offer: Pick<Offer, "all" | "catalogue" | "usable" | "denies">,
  reserved = ownToolNames,
): OfferedTools {
  const usable = new Set(offer.usable.map(({ skill }) => skill.id));
  const entries = new Map<string, { tool: Tool; source: string; roots: string[] }>();
  const add = (tool: Tool, source: string, root: string) => {
    if (offer.denies?.(tool) === true) return;
    const key = `${tool.skill_id} ${tool.name}`;
    const known = entries.get(key);
    if (known === undefined) entries.set(key, { tool, source, roots: [root] });
    else if (!known.roots.includes(root)) known.roots.push(root);
  };
  const inOrder = offer.usable.toSorted((a, b) => (a.skill.id < b.skill.id ? -1 : 1));
  for (const offered of inOrder) {
    const { id, tools, origin } = offered.skill;
    for (const tool of tools) if (usable.has(tool.skill_id)) add(tool, origin.source, id);
  }
  for (const offered of inOrder) {
    for (const { tool, source } of openedTools(offer, offered)) add(tool, source, offered.skill.id);
  }
  const list = [...entries.values()];
  const named = uniqueToolNames(list, reserved);
  return new Map(
    named.map((tool, at) => {
      const { name, description, parameters } = tool;
      const definition = { name, description, parameters };
      return [name, { tool, definition, roots: list[at]?.roots ?? [] }];
    }),
  );
}

/** The agent's own tools. A test holds this list to the tools themselves. */
export const ownToolNames: ReadonlySet<string> = new Set([
  "list_skills",
  "activate_skill",
  "offload_skill",
  "invoke_skill",
  "read_skill_file",
  "run_skill_script",
  "list_files",
  "read_file",
  "write_file",
  "run_code",
  "read_tool_output",
  "ask_user",
  "handoff",
]);
