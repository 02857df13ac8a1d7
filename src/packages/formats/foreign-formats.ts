import { readJson } from "../../base/json-reader.ts";
import { oneLine } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";
import { mayHoldSkills } from "../../base/skill-places.ts";
import {
  agentAsSkill,
  commandAsSkill,
  instructionsAsSkill,
  ruleAsSkill,
  type SkillFromFile,
  tomlAsSkill,
} from "./as-skill.ts";

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
  /** Beside other skills it is installed only if somebody asks for it by its name. */
  byName?: true;
  /** What people learn about such files, after their names, or about the skill that one became: sentences. */
  note: string;
  /** Names in the file that say what it holds; without any, it is no such file. */
  names?: (text: string) => string[];
  /** The same about the content of one: sentences that follow the note. */
  details?: (text: string) => string;
}

const switchedOn =
  "Where a manager enables it (/skill enable NAME), it is part of the agent's instructions in every conversation there.";
const callByName = "Only people call it, by its name (/skill run NAME …).";

const instructionFiles = [
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
];

/** Whether a file of this name, in any case, has instructions for the agents of a project. */
export function isInstructionFile(fileName: string): boolean {
  return instructionFiles.some((name) => name.toLowerCase() === fileName.toLowerCase());
}

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
    toSkill: agentAsSkill,
    note: "Where people enable it (/skill enable NAME), it is an agent with a conversation and tools of its own, to which others hand work over and which a message that begins with its name asks.",
  },
  {
    id: "rule",
    title: ["a rule of Cursor", "rules of Cursor"],
    endings: [".mdc"],
    toSkill: ruleAsSkill,
    note: switchedOn,
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
    note: 'They are programs that would run with the rights of the bot. An operator who wants them keeps the package on the bot\'s machine and adds an entry { "from": "ITS FOLDER" } to config/mcp.json.',
    names: serversIn,
  },
  {
    id: "marketplace",
    title: ["plugins of other repositories", "plugins of other repositories"],
    files: [".claude-plugin/marketplace.json"],
    note: "This package only names them. Install each from where it is.",
    names: (text) =>
      marketplaceOf(text).plugins.flatMap(({ name, source }) => {
        const { repo, url, package: packageName } = isRecord(source) ? source : {};
        const place = [repo, url, packageName].find((each) => typeof each === "string");
        return place === undefined ? [] : oneLine(`${String(name)} (${place})`, 120);
      }),
  },
  {
    id: "bundle",
    title: ["an MCP bundle (.mcpb, .dxt)", "MCP bundles (.mcpb, .dxt)"],
    files: ["manifest.json"],
    note: "It is a tool server: a program that would run with the rights of the bot.",
    names: (text) => bundleOf(text)?.names ?? [],
    details: (text) => bundleOf(text)?.details ?? "",
  },
  {
    id: "instructions",
    title: ["instructions for agents that write code", "instructions for agents that write code"],
    files: [...instructionFiles, ".github/copilot-instructions.md"],
    toSkill: instructionsAsSkill,
    byName: true,
    note: switchedOn,
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
  const json = jsonIn(text);
  if (!isRecord(json)) return [];
  // A plugin may name a file with them.
  const servers = [json.mcpServers ?? json.servers ?? (isBare(json) ? json : undefined)].flat();
  return servers.flatMap((each) =>
    isRecord(each) ? Object.keys(each) : typeof each === "string" ? each : [],
  );
}

/** JSON as editors write it, with comments; undefined for other text. */
function jsonIn(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

/** The plugins in a manifest of a marketplace, and the folder they are in. https://code.claude.com/docs/en/plugin-marketplaces */
export function marketplaceOf(text: string): { root: string; plugins: Readonly<Record<string, unknown>>[] } {
  const json = jsonIn(text);
  const { plugins, metadata } = isRecord(json) ? json : {};
  const root = isRecord(metadata) ? metadata.pluginRoot : undefined;
  return {
    root: typeof root === "string" ? root : "",
    plugins: Array.isArray(plugins) ? plugins.filter(isRecord) : [],
  };
}

/** A plugin's `.mcp.json` may hold the entries themselves. */
function isBare(json: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.values(json);
  return (
    entries.length > 0 && entries.every((each) => isRecord(each) && ("command" in each || "url" in each))
  );
}

/** The bundle that a manifest describes, and how an operator adds it. */
function bundleOf(text: string): { names: string[]; details: string } | undefined {
  const json = jsonIn(text);
  if (!isRecord(json) || !isRecord(json.server)) return undefined;
  if (!["manifest_version", "mcpb_version", "dxt_version"].some((key) => key in json)) return undefined;
  const name = oneLine(String(json.name ?? "bundle"), 60);
  const names = [oneLine(String(json.display_name ?? name), 80)];
  const { platforms } = isRecord(json.compatibility) ? json.compatibility : {};
  if (Array.isArray(platforms) && !platforms.includes(process.platform))
    return {
      names,
      details: `It is for ${platforms.join(" and ")}, and this machine runs ${process.platform}.`,
    };
  const settings = isRecord(json.user_config) ? Object.entries(json.user_config) : [];
  const needed = settings.filter(([, setting]) => isRecord(setting) && setting.required === true);
  const user_config = Object.fromEntries(
    needed.map(([key]) => [key, `\${${key.toUpperCase().replace(/\W/g, "_")}}`]),
  );
  const entry = JSON.stringify({ from: "THAT FOLDER", ...(needed.length > 0 && { user_config }) });
  const others = settings.filter((each) => !needed.includes(each)).map(([key]) => key);
  const more = others.length === 0 ? "" : ` It may have these too: ${others.join(", ")}.`;
  const details = `An operator who wants it unpacks it on the bot's machine (unzip FILE -d FOLDER), and adds to config/mcp.json: "${name}": ${entry}.${more}`;
  return { names, details };
}
