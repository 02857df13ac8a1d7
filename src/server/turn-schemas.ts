/** The shapes of turns in the HTTP API. */
import { z } from "@hono/zod-openapi";
import { longestMessage } from "../core/inbound.ts";
import { namespaceSchema, threadSchema } from "../core/place.ts";

export const milliseconds = z.number().describe("milliseconds since the epoch");

export const turnRequest = z
  .object({
    namespace: namespaceSchema.default("console:local:dm"),
    thread: threadSchema.optional().describe("a new thread when left out"),
    text: z.string().min(1).max(longestMessage),
    user: z.string().min(1).max(200).default("operator"),
    time_zone: z
      .string()
      .max(200)
      .optional()
      .describe("of the user, IANA name; a name of no time zone is ignored"),
    key: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe(
        "deduplicates: the same key answers the same turn; with another text, user, channel or thread it is refused (409)",
      ),
  })
  .strict();

export const turnAccepted = z.object({ turn_id: z.string(), namespace: z.string(), thread: z.string() });

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

/** Any turn event; src/core/turn-event.ts has each kind. */
export const turnEvent = z.looseObject({
  type: z.string(),
  turn_id: z.string(),
  seq: z.number(),
  at: milliseconds,
});
