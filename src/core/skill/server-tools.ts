import { nearestNames } from "../../base/nearest-name.ts";
import type { Diagnostic, Skill } from "./skill.ts";
import { toToolName } from "./skill-identifier.ts";
import type { Tool } from "./tool.ts";

/** The skill of a tool server. The prefix keeps a server called `memory` from replacing the skill of that name. */
export function serverSkillId(server: string): string {
  return `mcp_${server.replace(/[^A-Za-z0-9_.-]+/g, "-")}`;
}

/** What models call a server's tool: `server__tool`, as other agents do. */
export function serverToolName(server: string, tool: string): string {
  return toToolName(`${server}__${tool}`);
}

/** An empty list is all tools. A name may be bare, `server__tool`, `server-tool` or `server#tool`. */
export function isWanted(tool: Tool, server: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((name) => isNamed(tool, server, name));
}

function isNamed(tool: Tool, server: string, name: string): boolean {
  if (name === tool.name || name === tool.skill_id) return true;
  const ways = ["", `${server}__`, `${server}-`, `${server}#`];
  return ways.some(
    (prefix) => name.startsWith(prefix) && tool.name === serverToolName(server, name.slice(prefix.length)),
  );
}

/** What the `tool_list` of a skill names that is not there: servers, and tools of servers whose tools are known. */
export function unknownServerTools(skill: Skill, skills: ReadonlyMap<string, Skill>): Diagnostic[] {
  return Object.entries(skill.tool_list).flatMap(([server, wanted]) => {
    const found = skills.get(serverSkillId(server));
    if (found?.kind !== "mcp") {
      const servers = [...skills.values()].filter(
        ({ kind, parent }) => kind === "mcp" && parent === undefined,
      );
      const names = servers.map(({ name }) => name);
      return [
        missing(skill, "unknown_server", `the server ${server}, which is not configured`, server, names),
      ];
    }
    if (found.tools.length === 0) return [];
    return wanted
      .filter((name) => !found.tools.some((tool) => isNamed(tool, server, name)))
      .map((name) => {
        const names = found.tools.map((tool) => tool.skill_id.slice(found.id.length + 1));
        return missing(
          skill,
          "unknown_tool",
          `${name}, which the server ${server} does not have`,
          name,
          names,
        );
      });
  });
}

function missing(skill: Skill, code: string, what: string, name: string, known: string[]): Diagnostic {
  const near = nearestNames(name, known);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const message = `The tool_list of skill ${skill.id} names ${what}.${hint}`;
  return { path: skill.origin.path, skill_id: skill.id, severity: "warning", code, message };
}
