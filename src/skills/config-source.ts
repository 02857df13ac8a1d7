import { hash } from "node:crypto";
import { z } from "zod";
import { parsedJson } from "../base/json-reader.ts";
import {
  caution,
  type Diagnostic,
  defect,
  type LoadedSkills,
  type Skill,
  type SkillOrigin,
  type SkillSource,
  skillMetadataSchema,
} from "../core/skill/skill.ts";
import { canonicalJson } from "../core/values/json.ts";

/** A skill made only of configuration: a guide that opens tools of servers. `[]` means all tools of that server. */
export interface ConfigSkill {
  name?: string | undefined;
  desc: string;
  usage: string;
  active?: boolean | undefined;
  /** `{server: [tool, …]}`, or that as JSON text. */
  tool_list: Record<string, string[]> | string;
}

/**
 * Skills written in the configuration, by id. They stay the same for the life of the process.
 * @param origin its path is the place in the configuration, for messages
 */
export function createConfigSource(
  origin: SkillOrigin,
  entries: Readonly<Record<string, ConfigSkill>>,
): SkillSource {
  const diagnostics: Diagnostic[] = [];
  const skills = Object.entries(entries).flatMap(([id, entry]) =>
    createSkill(id, entry, origin, diagnostics),
  );
  const loaded: LoadedSkills = { skills, diagnostics };
  return { id: `${origin.source}:${origin.path}`, load: async () => loaded };
}

const entrySchema = z.object({
  name: z.string().min(1).optional(),
  desc: z.string().trim().min(1, "it has no description; add desc"),
  usage: z.string(),
  active: z.boolean().default(false),
  tool_list: z.unknown(),
});

function createSkill(
  id: string,
  entry: ConfigSkill,
  origin: SkillOrigin,
  diagnostics: Diagnostic[],
): Skill[] {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `Skill ${id} is left out: ${issue?.path.join(".")}: ${issue?.message}.`;
    diagnostics.push({ ...defect(origin.path, "invalid_skill", message), skill_id: id });
    return [];
  }
  const { name = id, desc, usage, active } = parsed.data;
  const toolList = readToolList(parsed.data.tool_list);
  if (toolList === undefined) {
    const message = `The tool_list of skill ${id} is neither {server: [tool, …]} nor that as JSON text; the skill has no tools.`;
    diagnostics.push({ ...caution(origin.path, "invalid_tool_list", message), skill_id: id });
  }
  const metadata = { id, name, description: desc, active, tool_list: toolList ?? {} };
  return [
    {
      ...skillMetadataSchema.parse(metadata),
      kind: "config",
      origin,
      hash: hash("sha256", canonicalJson(entry), "hex"),
      instructions: usage,
      tools: [],
    },
  ];
}

function readToolList(written: unknown): Record<string, string[]> | undefined {
  // Null for text that is not JSON: the schema takes undefined as an empty list.
  const value = typeof written === "string" ? (parsedJson(written) ?? null) : written;
  const parsed = skillMetadataSchema.shape.tool_list.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
