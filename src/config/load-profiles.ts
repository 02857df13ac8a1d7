import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse, YAMLError } from "yaml";
import { z } from "zod";
import { looseText } from "../base/decode-text.ts";
import { errorText } from "../base/error-text.ts";
import { nearestName } from "../base/text/nearest-name.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type ProviderSections, unusableProvider } from "./model-providers.ts";
import { efforts } from "./model-schema.ts";

/** The same as `toolCategories` in core; the composition root does not compile if they differ. */
const toolCategories = [
  "search",
  "image",
  "browser",
  "code_exec",
  "data",
  "handoff",
  "skill",
  "hitl",
] as const;

const frontmatterSchema = z.strictObject({
  /** When a turn is handed to this agent. */
  description: z.string().min(1),
  /** Its model, `provider/model`. */
  model: z
    .string()
    .regex(/^[a-z][a-z0-9_-]*\/\S+$/, "expected provider/model")
    .optional(),
  /** How hard its model thinks. */
  effort: z.enum(efforts).optional(),
  /** Its categories of tools. */
  tools: z.array(z.enum(toolCategories)).optional(),
  /** Its skills by id with their priority, or a list of its skills. */
  skills: z
    .union([
      z.record(z.string(), z.union([z.number(), z.literal(false)])),
      z.array(z.string()).transform(onlyThese),
    ])
    .optional(),
  black_tool_actions: z
    .record(z.string(), z.union([z.array(z.string().min(1)), z.string().transform((action) => [action])]))
    .optional(),
  supervisor: z.boolean().optional(),
  /** The id of the agent of which this one is a mode. */
  preset_of: z.string().optional(),
});

function onlyThese(ids: string[]): Record<string, number | false> {
  return { "*": false, ...Object.fromEntries(ids.map((id) => [id, 0])) };
}

/** An agent of `config/agents/<id>.md`, or of the operator's own folder: frontmatter, then its instructions. */
export interface AgentProfile extends z.output<typeof frontmatterSchema> {
  id: string;
  prompt: string;
  /** The problem with its file. An unusable agent has no tools. */
  unusable?: ConfigProblem;
}

const shipped = fileURLToPath(new URL("../../config/agents", import.meta.url));

interface AgentFile {
  file: string;
  agent: AgentProfile;
}

/**
 * The agents of the shipped folder and of the operator's, whose files replace those of the same id. `chat` comes first, the others by
 * name. A mode inherits from the agent of which it is a preset. An agent with an invalid file is `unusable`; it is not replaced by the
 * shipped agent of the same id, which may have more rights.
 * @param sections the configured providers of models; a model of any other provider cannot be used
 * @param own the operator's folder, which may be missing
 * @throws ConfigError when there are no agents
 */
export async function loadProfiles(
  sections: ProviderSections,
  own?: string,
  folder = shipped,
): Promise<[AgentProfile, ...AgentProfile[]]> {
  const found = new Map<string, AgentFile>();
  for (const each of [...(await agentsIn(folder)), ...(own === undefined ? [] : await agentsIn(own))])
    found.set(each.agent.id, withModel(each, sections));
  const files = [...found.values()].sort((one, other) => (one.agent.id < other.agent.id ? -1 : 1));
  const agents = files.map((each) => withPreset(each, found));
  const [first, ...others] = agents.sort((a, b) => Number(b.id === "chat") - Number(a.id === "chat"));
  if (first === undefined)
    throw new ConfigError([{ where: folder, key: "", message: "there is no agent (*.md) in it" }]);
  return [first, ...others];
}

async function agentsIn(folder: string): Promise<AgentFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith(".md") && !/^readme\.md$/i.test(name));
  const read = async (file: string) => ({ file, agent: await readAgent(file) });
  return Promise.all(files.map((name) => read(path.join(folder, name))));
}

function unusable(id: string, problem: ConfigProblem): AgentProfile {
  return { id, description: "Cannot be used", prompt: "", tools: [], unusable: problem };
}

function withModel({ file, agent }: AgentFile, sections: ProviderSections): AgentFile {
  const message = agent.model && unusableProvider(agent.model, sections);
  if (message === undefined) return { file, agent };
  return { file, agent: unusable(agent.id, { where: file, key: "model", message }) };
}

/** A mode with the properties of its agent. It is denied what either of them is denied. Its instructions follow those of the agent. */
function withPreset({ file, agent }: AgentFile, found: ReadonlyMap<string, AgentFile>): AgentProfile {
  if (agent.preset_of === undefined) return agent;
  const base = found.get(agent.preset_of)?.agent;
  if (base === undefined || base.preset_of !== undefined || base.unusable !== undefined)
    return unusable(agent.id, { where: file, key: "preset_of", ...noPreset(agent.preset_of, base, found) });
  const { supervisor: _, ...inherited } = base;
  const denied = bothLists(base.black_tool_actions, agent.black_tool_actions);
  const prompt = `${base.prompt}\n\n${agent.prompt}`.trim();
  const skills = { ...base.skills, ...agent.skills };
  return { ...inherited, ...agent, skills, black_tool_actions: denied, prompt };
}

function noPreset(
  id: string,
  base: AgentProfile | undefined,
  found: ReadonlyMap<string, AgentFile>,
): Pick<ConfigProblem, "message" | "hint"> {
  if (base?.unusable !== undefined) return { message: `the agent ${id} cannot be used itself` };
  const agents = [...found.values()].flatMap((each) =>
    each.agent.preset_of === undefined ? each.agent.id : [],
  );
  const near = nearestName(id, agents);
  return {
    message: base === undefined ? `there is no agent ${id}` : `${id} is a mode itself`,
    hint: near === undefined ? "Name an agent of these folders" : `Did you mean ${near}?`,
  };
}

type Denied = AgentProfile["black_tool_actions"];

function bothLists(one: Denied, other: Denied): Denied {
  if (one === undefined || other === undefined) return one ?? other;
  const names = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(names.map((name) => [name, [...(one[name] ?? []), ...(other[name] ?? [])]]));
}

const form = "It begins with ---, description: …, --- and goes on with the agent's instructions";

async function readAgent(file: string): Promise<AgentProfile> {
  const id = path.basename(file, ".md");
  const wrong = (message: string, hint?: string) => unusable(id, { where: file, key: "", message, hint });
  const named = "its name is the agent's id: small letters, digits, - and _, a letter first";
  if (!/^[a-z][a-z0-9_-]*$/.test(id)) return wrong(named, "Rename the file");
  try {
    const text = looseText(await readFile(file)).replaceAll("\r\n", "\n");
    const [, frontmatter, prompt = ""] = /^---\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? [];
    if (frontmatter === undefined) return wrong("it has no frontmatter", form);
    return { id, ...frontmatterSchema.parse(parse(frontmatter)), prompt: prompt.trim() };
  } catch (error) {
    if (error instanceof z.ZodError) return wrong(z.prettifyError(error));
    return wrong(errorText(error), error instanceof YAMLError ? form : undefined);
  }
}
