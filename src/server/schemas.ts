/**
 * The shapes of the HTTP API: parsed on the way in, documented in openapi.json, and the types of every client.
 * Names are a contract: extend, never break.
 */
import { z } from "@hono/zod-openapi";
import { turnEvent } from "../app/operations/turn-view.ts";

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

/** RFC 9457 problem document. `code` is stable and what programs branch on; `detail` is for the person. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string(),
});
