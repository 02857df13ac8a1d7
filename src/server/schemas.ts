/**
 * The shapes of the HTTP API: they validate requests, document openapi.json, and are the types of clients.
 * Names are a contract: extend, never break.
 */
import { z } from "@hono/zod-openapi";
import { turnEvent } from "../app/operations/turns/turn-view.ts";
import { closed, ownNamespace } from "../app/services/shapes.ts";
import { maxMessageLength } from "../core/values/inbound.ts";
import { threadSchema } from "../core/values/place.ts";

/** One line of `GET /namespaces/{ns}/events`. */
export const feedItem = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("event"), thread: z.string(), event: turnEvent }),
  z.object({ kind: z.literal("state"), namespace: z.string() }),
]);

export const liveness = z.object({ ok: z.boolean() });

export const readiness = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** RFC 9457 problem document. `code` is stable, for programs; `detail` is for people. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string(),
});

export const turnRequest = closed(
  z.object({
    namespace: ownNamespace,
    thread: threadSchema.optional().describe("a new thread when left out"),
    text: z.string().min(1).max(maxMessageLength),
    user: z.string().min(1).max(200).default("operator"),
    time_zone: z
      .string()
      .max(200)
      .optional()
      .describe("zone of the user, IANA name; an unknown name is ignored"),
    key: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe(
        "deduplicates: the same key answers the same turn; with another text, user, channel or thread it is refused (409)",
      ),
  }),
);

/** The same as a form. Every file part is attached. */
export const turnForm = z.object({
  namespace: z.string().optional(),
  thread: z.string().optional(),
  text: z.string().optional().describe("may be left out where there are files"),
  user: z.string().optional(),
  time_zone: z.string().optional(),
  key: z.string().optional(),
  file: z
    .any()
    .optional()
    .openapi({ type: "array", items: { type: "string", format: "binary" } })
    .describe("at most 20 files of 50 MB, 100 MB together"),
});

export const turnAccepted = z.object({ turn_id: z.string(), namespace: z.string(), thread: z.string() });
