/** Skills as people and programs see them. Names are a contract: extend, never break. */
import { z } from "zod";
import { diagnostic, json, milliseconds, toolDefinition } from "./shapes.ts";

const parameter = z.object({
  name: z.string(),
  type: z.enum(["string", "number", "boolean", "object", "array"]),
  description: z.string(),
  required: z.boolean(),
  default: json.optional(),
  enum: z.array(json).optional(),
});

export const skillListing = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["builtin", "document", "imported", "flow", "mcp", "config"]),
  description: z.string().describe("what it does and when to use it, for models"),
  summary: z.string().describe("what it does, one line for people"),
  category: z.string(),
  version: z.string(),
  source: z.string(),
  path: z.string(),
  hash: z.string(),
  state: z.enum(["available", "active", "pinned", "blocked"]),
  eligible: z.boolean(),
  reasons: z.array(z.string()),
  switched_off: z.literal(true).optional().describe("on purpose, in its file or in the configuration"),
  notice: z.string().optional().describe("what people should know about its state here"),
  only_for: z.string().optional().describe("who may use it, in words, where not everybody may"),
  risk: z.enum(["low", "medium", "high"]),
  emoji: z.string().optional(),
  parent: z.string().optional(),
  taught: z
    .object({ home: z.string(), offered: z.boolean(), everyone: z.boolean() })
    .optional()
    .describe("for a skill made in the chat: by which channel, and who has it"),
});

export const skillList = z.object({ skills: z.array(skillListing), diagnostics: z.array(diagnostic) });

export const skillDetail = skillListing.extend({
  author: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(parameter),
  output_schema: json.optional(),
  examples: z.array(
    z.object({
      prompt: z.string(),
      call: z.string(),
      needs: z.array(z.string()).optional(),
      first: z.boolean().optional(),
    }),
  ),
  tools: z.array(toolDefinition),
  files: z.array(z.object({ path: z.string(), bytes: z.number() })),
  parts: z.array(skillListing),
  instructions: z.string(),
  max_execution_seconds: z.number(),
  max_iterations: z.number(),
  license: z.string().optional(),
  homepage: z.string().optional(),
  invocation: z
    .object({ by_people: z.boolean(), by_model: z.boolean(), command_tool: z.string().optional() })
    .optional(),
  network: z.object({ granted: z.array(z.string()) }).describe("hosts its code may reach"),
  variables: z
    .array(
      z.object({
        name: z.string(),
        put_into: z
          .object({ host: z.string(), header: z.string() })
          .optional()
          .describe("in a sandbox the code has a placeholder, and requests to the host get the value"),
      }),
    )
    .optional()
    .describe("variables its code is given, if the operator has set them"),
  rights: z
    .record(z.string(), z.object({ people: z.array(z.string()), roles: z.array(z.string()) }))
    .optional()
    .describe("who may use it, its parts and tools, where not everybody may"),
  tool_list: z
    .record(z.string(), z.array(z.string()))
    .describe("tools of servers it brings along; [] is all of a server"),
  problems: z.array(diagnostic).describe("problems in its files"),
  package: z
    .object({
      from: z.string(),
      by: z.string(),
      installed_at: milliseconds,
      hash: z.string(),
      changed: z.boolean().describe("its files have changed since the installation"),
      danger: z.number(),
      warnings: z.number(),
    })
    .optional()
    .describe("for an installed skill: its source, and the number of findings in its review"),
});

/** A skill as listings show it; `reasons` say why it is not eligible, in words for a person. */
export type SkillListing = z.output<typeof skillListing>;
/** One skill in full. */
export type SkillDetail = z.output<typeof skillDetail>;
/** Of an installed skill: where from, and how many findings of each gravity its review has. */
export type InstalledSkill = NonNullable<SkillDetail["package"]>;
