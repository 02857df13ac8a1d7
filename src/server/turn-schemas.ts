/** The shapes of turns in the HTTP API. */
import { z } from "@hono/zod-openapi";
import { longestMessage } from "../core/inbound.ts";
import { namespaceSchema, threadSchema } from "../core/place.ts";

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
