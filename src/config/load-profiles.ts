import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { nearestName } from "../base/nearest-name.ts";
import { ConfigError } from "./config-error.ts";
import { type ProviderSections, unusableProvider } from "./model-providers.ts";
import { efforts } from "./model-schema.ts";

/** As core's `toolCategories`; the composition root would not compile if they differed. */
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
  /** When to hand a turn over to this agent. */
  description: z.string().min(1),
  /** The model it works with, `provider/model`. */
  model: z
    .string()
    .regex(/^[a-z][a-z0-9_-]*\/\S+$/, "expected provider/model")
    .optional(),
  /** How hard its model thinks. */
  effort: z.enum(efforts).optional(),
  /** The categories of tools it has. */
  tools: z.array(z.enum(toolCategories)).optional(),
  /** Its skills by id with their priority, or a list of those it has. */
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
  /** The id of the agent that this one is a mode of. */
  preset_of: z.string().optional(),
});

function onlyThese(ids: string[]): Record<string, number | false> {
  return { "*": false, ...Object.fromEntries(ids.map((id) => [id, 0])) };
}

/** An agent of `config/agents/<id>.md`, or of the operator's own folder: frontmatter, then its instructions. */
export interface AgentProfile extends z.output<typeof frontmatterSchema> {
  id: string;
  prompt: string;
}

const shipped = fileURLToPath(new URL("../../config/agents", import.meta.url));

interface AgentFile {
  file: string;
  agent: AgentProfile;
}

/**
 * The agents of the shipped folder and of the operator's, whose files replace those of the same id; `chat` comes first, the others by name.
 * A mode has what it does not say from the agent it is a preset of.
 * @param sections the providers of models there are; a model at another one is an error
 * @param own the operator's folder; it need not be there
 * @throws ConfigError naming the file that cannot be used
 */
export async function loadProfiles(
  sections: ProviderSections,
  own?: string,
  folder = shipped,
): Promise<[AgentProfile, ...AgentProfile[]]> {
  const found = new Map<string, AgentFile>();
  for (const each of [...(await agentsIn(folder)), ...(own === undefined ? [] : await agentsIn(own))])
    found.set(each.agent.id, each);
  const files = [...found.values()].sort((one, other) => (one.agent.id < other.agent.id ? -1 : 1));
  for (const { file, agent } of files) {
    const message = agent.model === undefined ? undefined : unusableProvider(agent.model, sections);
    if (message !== undefined) throw new ConfigError([{ where: file, key: "model", message }]);
  }
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
  const files = names.filter((name) => name.endsWith(".md")).map((name) => path.join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, agent: await readAgent(file) })));
}

/** A mode with what its agent has. Its own words come after those of the agent. */
function withPreset({ file, agent }: AgentFile, found: ReadonlyMap<string, AgentFile>): AgentProfile {
  if (agent.preset_of === undefined) return agent;
  const base = found.get(agent.preset_of)?.agent;
  if (base === undefined || base.preset_of !== undefined) {
    const agents = [...found.values()].filter((each) => each.agent.preset_of === undefined);
    const near = nearestName(
      agent.preset_of,
      agents.map((each) => each.agent.id),
    );
    const message =
      base === undefined ? `there is no agent ${agent.preset_of}` : `${agent.preset_of} is a mode itself`;
    const hint = near === undefined ? "Name an agent of these folders" : `Did you mean ${near}?`;
    throw new ConfigError([{ where: file, key: "preset_of", message, hint }]);
  }
  const { supervisor: _, ...inherited } = base;
  return {
    ...inherited,
    ...agent,
    skills: { ...base.skills, ...agent.skills },
    prompt: `${base.prompt}\n\n${agent.prompt}`.trim(),
  };
}

async function readAgent(file: string): Promise<AgentProfile> {
  const text = (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
  const [, frontmatter, prompt = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  try {
    const about = frontmatterSchema.parse(parse(frontmatter ?? ""));
    return { id: path.basename(file, ".md"), ...about, prompt: prompt.trim() };
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    const hint = "It begins with ---, description: …, --- and goes on with the agent's instructions";
    throw new ConfigError([{ where: file, key: "", message, hint }], { cause: error });
  }
}
