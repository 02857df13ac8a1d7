import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import { mayHoldSkills } from "../../base/skill-places.ts";
import { commandAsSkill, promptAsSkill, type SkillFromFile, tomlAsSkill } from "./as-skill.ts";

/**
 * What packages for other agents hold besides skills, and what becomes of it: the loader, its messages and the table in docs/skills.md say
 * the same. The places are those that the programs' own documentation names:
 * https://code.claude.com/docs/en/plugins-reference, https://geminicli.com/docs/extensions/reference,
 * https://cursor.com/docs/context/rules, https://docs.github.com/en/copilot/reference/custom-agents-configuration,
 * https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md.
 */
export interface ForeignFormat {
  id: string;
  /** For people: one, and several. */
  title: readonly [one: string, several: string];
  /** Folders of such files: in a hidden folder of an agent (`.claude/commands`), or in that of a plugin or extension. */
  folders?: readonly string[];
  /** How their names end. Without `folders`, such files may be anywhere. */
  endings?: readonly string[];
  /** Single files, from the folder of the project, plugin or extension. */
  files?: readonly string[];
  /** Makes a skill of one; without it, such files are named and nothing else. */
  toSkill?: (text: string, name: string) => SkillFromFile;
  /** What people learn about such files, after their names, or about the skill that one became: sentences. */
  note: string;
  /** Names in the file that say what it holds; without any, it is no such file. */
  names?: (text: string) => string[];
}

const callByName = "Only people call it, by its name (/skill run NAME …).";
const addEntries = "An operator who wants them adds their entries to config/mcp.json.";

export const foreignFormats: readonly ForeignFormat[] = [
  {
    id: "command",
    title: ["a command", "commands"],
    folders: ["commands", "command", "prompts", "workflows"],
    endings: [".prompt.md", ".md"],
    toSkill: commandAsSkill,
    note: callByName,
  },
  {
    id: "gemini_command",
    title: ["a command of Gemini CLI", "commands of Gemini CLI"],
    folders: ["commands"],
    endings: [".toml"],
    toSkill: tomlAsSkill,
    note: callByName,
  },
  {
    id: "agent",
    title: ["an agent", "agents"],
    folders: ["agents", "agent"],
    endings: [".agent.md", ".md"],
    toSkill: promptAsSkill,
    note: "It is a guide in the conversation of the agent that opens it. For an agent with a conversation and tools of its own, an operator writes a file to .knack-workspace/agents/.",
  },
  {
    id: "rule",
    title: ["a rule of Cursor", "rules of Cursor"],
    endings: [".mdc"],
    toSkill: promptAsSkill,
    note: "The agent opens it when its description fits, not for files of a pattern.",
  },
  {
    id: "hooks",
    title: ["hooks", "hooks"],
    folders: ["hooks"],
    endings: [".json"],
    files: [".claude/settings.json"],
    note: "They run commands when something happens in another program, and never run here.",
  },
  {
    id: "servers",
    title: ["tool servers", "tool servers"],
    files: [
      ".mcp.json",
      "mcp.json",
      ".cursor/mcp.json",
      ".vscode/mcp.json",
      ".claude-plugin/plugin.json",
      "gemini-extension.json",
    ],
    note: addEntries,
    names: serversIn,
  },
  {
    id: "bundle",
    title: ["an MCP bundle (.mcpb, .dxt)", "MCP bundles (.mcpb, .dxt)"],
    files: ["manifest.json"],
    note: "It is a program, not a skill. An operator who wants it unpacks it, and adds the entry of its server.mcp_config to config/mcp.json, with the values of its user_config.",
    names: bundleIn,
  },
  {
    id: "instructions",
    title: ["instructions for agents that write code", "instructions for agents that write code"],
    files: [
      ...["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules"],
      ".github/copilot-instructions.md",
    ],
    note: "They are not taken over: put what applies here into a SKILL.md.",
  },
];

/** Files that plugins and projects keep beside these, for people. */
const forPeople: ReadonlySet<string> = new Set("readme index changelog contributing license".split(" "));

/** Folders in which formats have their places. */
export interface FormatRoots {
  plugins: ReadonlySet<string>;
  /** Those, and the project. */
  all: ReadonlySet<string>;
}

/** The format of a file and its name in it; undefined for all other files. */
export function formatOf(
  path: string,
  roots: FormatRoots,
): { format: ForeignFormat; name: string } | undefined {
  for (const format of foreignFormats) {
    const name = nameIn(format, path.split("/"), roots);
    if (name === undefined || forPeople.has(name.slice(name.lastIndexOf("/") + 1).toLowerCase())) continue;
    return { format, name };
  }
  return undefined;
}

function nameIn(
  { folders, endings = [], files = [] }: ForeignFormat,
  parts: readonly string[],
  { plugins, all }: FormatRoots,
): string | undefined {
  const from = (at: number) => parts.slice(at).join("/");
  const until = (at: number) => parts.slice(0, at).join("/");
  const file = [...parts.keys()].find((at) => files.includes(from(at)) && all.has(until(at)));
  if (file !== undefined) return from(file);
  const ending = endings.find((each) => parts.at(-1)?.endsWith(each) === true);
  if (ending === undefined) return undefined;
  const inside =
    folders === undefined
      ? parts.length - 1
      : parts.findIndex((_, at) => {
          const [around = "", own = ""] = [parts[at - 2], parts[at - 1]];
          return folders.includes(own) && (isAgentFolder(around) || plugins.has(until(at - 1)));
        });
  return inside < 1 && folders !== undefined ? undefined : from(inside).slice(0, -ending.length);
}

/** Whether programs keep what their agents use in a hidden folder of this name. */
function isAgentFolder(name: string): boolean {
  return name.startsWith(".") && mayHoldSkills(name);
}

/** Names of the servers in a file of a client, a plugin or an extension. */
function serversIn(text: string): string[] {
  const json = parsedJson(text);
  if (!isRecord(json)) return [];
  const servers = json.mcpServers ?? json.servers ?? (isBare(json) ? json : undefined);
  return isRecord(servers) ? Object.keys(servers) : [];
}

/** A plugin's `.mcp.json` may hold the entries themselves. */
function isBare(json: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.values(json);
  return (
    entries.length > 0 && entries.every((each) => isRecord(each) && ("command" in each || "url" in each))
  );
}

function bundleIn(text: string): string[] {
  const json = parsedJson(text);
  if (!isRecord(json) || !isRecord(json.server)) return [];
  if (!["manifest_version", "mcpb_version", "dxt_version"].some((key) => key in json)) return [];
  return [String(json.display_name ?? json.name ?? "")];
}
