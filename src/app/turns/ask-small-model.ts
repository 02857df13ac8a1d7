import type { z } from "zod";
import { withTimeLimit } from "../../base/time-limit.ts";
import type { Usage } from "../../core/log/usage.ts";
import { type Model, ModelError } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { parseAnswer } from "../../core/scope/generate.ts";
import { toJsonSchema } from "../../core/skill/define-skill.ts";

export interface SmallQuestion<Schema extends z.ZodType> {
  instructions: string;
  text: string;
  /** Of the answer, one JSON value. */
  schema: Schema;
  /** Maximum tokens of the answer, including reasoning. */
  maxTokens: number;
  longestMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Asks a model once, outside of any turn. `spent` gets the usage and the model that answered; the caller checks whether the budget allows
 * the question. Undefined if the answer does not fit the schema. @throws ModelError, and the signal's reason
 */
export async function askSmallModel<Schema extends z.ZodType>(
  {
    model,
    clock,
    spent,
  }: { model: Model; clock: Pick<Clock, "after">; spent(usage: Usage, model: string): void },
  { instructions, text, schema, maxTokens, longestMs, signal }: SmallQuestion<Schema>,
): Promise<z.output<Schema> | undefined> {
  const late = () => new ModelError("unavailable", `it did not answer within ${longestMs / 1000} s`);
  const written = await withTimeLimit({ ms: longestMs, timer: clock, signal, late }, async (limited) => {
    const events = model.stream({
      system: `${instructions}\nAnswer with one JSON value and nothing else.`,
      messages: [{ role: "user", text }],
      tools: [],
      output_schema: toJsonSchema(schema),
      effort: "low",
      max_output_tokens: maxTokens,
      signal: limited,
    });
    for await (const event of events) {
      if (event.type === "finished" || event.type === "spent") spent(event.usage, event.model);
      if (event.type === "finished") return event.message.text;
    }
    return "";
  });
  const parsed = parseAnswer(written, schema);
  return parsed.ok ? parsed.value : undefined;
}
