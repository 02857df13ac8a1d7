import { z } from "zod";
import { defineBlock } from "../block.ts";
import { variableSchema } from "../variables.ts";

export const startConfigSchema = z.object({
  variables: z
    .array(variableSchema)
    .nullish()
    .transform((variables) => (variables ?? []).filter(({ name }) => name !== "")),
});

/** Declares the variables; they have their values before the first step. Answers those that are no secret of the flow. */
export const start = defineBlock({
  config: startConfigSchema,
  summary: () => "Starting",
  run: async ({ variables }, scope) =>
    Object.fromEntries(
      variables
        .filter(({ category }) => category !== "static")
        .map(({ name }) => [name, scope.variables.get(name) ?? ""] as const),
    ),
  describe: ({ variables }, scope) => ({
    variables: Object.fromEntries(
      variables
        .filter(({ category }) => category !== "static")
        .map(({ name }) => [name, scope.variables.get(name) ?? ""] as const),
    ),
  }),
});
