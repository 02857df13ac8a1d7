/** Turns as programs see them. Names are a contract: extend, never break. */
import { z } from "zod";
import { pick } from "../../../base/record.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { milliseconds } from "../../services/shapes.ts";
import type { OperationCall } from "../operation.ts";

/** `Operation.about` where `id` is that of a turn. */
export const turnOfInput = {
  turn: ({ input, services }: OperationCall<{ id: string }>) => services.turns.get(input.id),
};

export const turnRecord = z.object({
  turn_id: z.string(),
  namespace: z.string(),
  thread: z.string(),
  kind: z.enum(["message", "command"]),
  author: z.object({ id: z.string(), name: z.string() }),
  question: z.string().describe("what was said"),
  status: z.enum(["queued", "running", "waiting", "finished"]),
  outcome: z.enum(["completed", "stopped", "limit_reached", "failed"]).optional(),
  text: z.string().optional().describe("the answer"),
  merged_into: z.string().optional(),
  accepted_at: milliseconds,
  started_at: milliseconds.optional(),
  finished_at: milliseconds.optional(),
  usage: z.object({
    input_tokens: z.number(),
    cached_tokens: z.number().describe("of the input, read from the provider's cache"),
    cache_write_tokens: z.number().describe("of the input, written to the provider's cache"),
    output_tokens: z.number(),
    cost_usd: z.number().optional().describe("absent when no model in use has a price"),
    unpriced_tokens: z.number().describe("input and output of models without a price, not in the cost"),
  }),
});

/** Any turn event; core/log/turn-event.ts defines the kinds. */
export const turnEvent = z.looseObject({
  type: z.string(),
  turn_id: z.string(),
  seq: z.number(),
  at: milliseconds,
}) as unknown as z.ZodType<TurnEvent, TurnEvent>;

export function presentTurn(record: TurnRecord): z.output<typeof turnRecord> {
  const { text, answer, author, input_tokens, cached_tokens, cache_write_tokens, ...more } = record;
  const { output_tokens, cost_usd, unpriced_tokens, ...rest } = more;
  return {
    ...rest,
    author: pick(author, "id", "name"),
    question: text,
    text: answer,
    usage: { input_tokens, cached_tokens, cache_write_tokens, output_tokens, cost_usd, unpriced_tokens },
  };
}
