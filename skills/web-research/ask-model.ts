import type { z } from "zod";
import { ModelError } from "../../src/core/ports/model.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import type { Json } from "../../src/core/values/json.ts";

/** Asks the model in a step of its own; undefined where its answer cannot be used. */
export async function askModel<Schema extends z.ZodType>(
  step: string,
  asked: { instructions: string; input: string; schema: Schema },
  context: Pick<ToolContext, "step" | "generate">,
): Promise<z.output<Schema> | undefined> {
  const answer = await context.step(step, async () => {
    try {
      return (await context.generate(asked)) as Json;
    } catch (error) {
      if (isUnusable(error)) return null;
      throw error;
    }
  });
  return answer === null ? undefined : asked.schema.parse(answer);
}

/** Whether a model failed in a way that another text or question might not meet; one that is away, or costs too much, is no such. */
export function isUnusable(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    ["bad_response", "invalid_request", "context_too_long"].includes(error.code)
  );
}
