import type { z } from "zod";
import type { ToolContext, WorkModel } from "../skill/tool.ts";
import type { Json } from "../values/json.ts";

/**
 * Asks the model for one value of a schema in a step of its own: after a crash the log answers, and the model is not asked again.
 * @throws what `generate` throws
 */
export async function generateStep<Schema extends z.ZodType>(
  step: string,
  asked: { instructions: string; input: string; schema: Schema; model?: WorkModel | undefined },
  context: Pick<ToolContext, "step" | "generate">,
): Promise<z.output<Schema>> {
  return asked.schema.parse(await context.step(step, async () => (await context.generate(asked)) as Json));
}
