import { z } from "zod";
import type { Json } from "../../core/values/json.ts";
import { defineBlock } from "../block.ts";
import type { Variables } from "../substitute.ts";
import { variableSchema } from "../variables.ts";

export const startConfigSchema = z.object({
  variables: z
    .array(variableSchema)
    .nullish()
    .transform((variables) => (variables ?? []).filter(({ name }) => name !== "")),
});

/** Declares the variables, which have their values before the first step. The result is the variables except fixed ones. */
export const start = defineBlock({
  config: startConfigSchema,
  summary: () => "Starting",
  run: async (config, { variables }) => shownValues(config, variables),
  describe: (config, { variables }) => ({ variables: shownValues(config, variables) }),
});

function shownValues(
  { variables }: z.output<typeof startConfigSchema>,
  values: Variables,
): { [name: string]: Json } {
  const shown = variables.filter(({ category }) => category !== "static");
  return Object.fromEntries(shown.map(({ name }) => [name, values.get(name) ?? ""]));
}
