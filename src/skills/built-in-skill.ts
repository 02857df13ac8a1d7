import { z } from "zod";
import { type SkillDefinition, type SkillModule, toJsonSchema } from "../core/skill/define-skill.ts";
import { parametersOf, type Skill } from "../core/skill/skill.ts";
import type { Tool } from "../core/skill/tool.ts";
import { importModule, moduleName } from "./import-module.ts";
import { createSkillTools, partId } from "./skill-tools.ts";

/**
 * Imports the code of a shipped skill.
 * @throws what the module throws, or a TypeError when it does not export `skill`.
 */
export async function importSkillModule(folder: string, hash: string): Promise<SkillModule> {
  const parsed = moduleSchema.safeParse(await importModule(folder, hash));
  if (!parsed.success) throw new TypeError(`${moduleName} does not export \`skill\` made with defineSkill`);
  return parsed.data.skill;
}

const definitionSchema = z.custom<SkillDefinition>(
  (value) =>
    value !== null &&
    typeof value === "object" &&
    "run" in value &&
    "parameters" in value &&
    "output" in value,
);
const moduleSchema = z.object({
  skill: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("single"), definition: definitionSchema }),
    z.object({ kind: z.literal("parts"), parts: z.record(z.string(), definitionSchema) }),
  ]),
});

/**
 * A document skill with its code: the built-in skill first, then its parts. The parent has the tools of all parts.
 * @throws when a zod type of a definition has no JSON Schema.
 */
export function createBuiltInSkills(document: Skill, module: SkillModule): Skill[] {
  const tools = createSkillTools(document, module);
  // Its code needs no folder explained to the model.
  const { guide_note: _, ...own } = document;
  const parent: Skill = { ...own, kind: "builtin", tools };
  if (module.kind === "single") return [{ ...parent, ...interfaceOf(module.definition) }];
  const parts = Object.entries(module.parts).map(([part, definition], at) =>
    createPart(parent, part, definition, tools.slice(at, at + 1)),
  );
  return [parent, ...parts];
}

function createPart(parent: Skill, part: string, definition: SkillDefinition, tools: readonly Tool[]): Skill {
  return {
    ...parent,
    id: partId(parent.id, part),
    name: `${parent.name}: ${part}`,
    description: definition.description ?? parent.description,
    examples: [],
    ...(definition.aliases === undefined ? {} : { aliases: definition.aliases }),
    parent: parent.id,
    tools,
    ...interfaceOf(definition),
  };
}

function interfaceOf(definition: SkillDefinition): Pick<Skill, "parameters" | "output_schema"> {
  return {
    parameters: parametersOf(toJsonSchema(definition.parameters.strict())),
    output_schema: toJsonSchema(definition.output),
  };
}
