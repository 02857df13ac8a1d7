/**
 * The shapes of the HTTP API: parsed on the way in, documented in openapi.json, and the types of every client.
 * Names are a contract: extend, never break.
 */
import { z } from "@hono/zod-openapi";
import { milliseconds, toolDefinition } from "../app/operations/shapes.ts";
import { turnEvent, turnRecord } from "../app/operations/turn-view.ts";

export const threadList = z.object({
  threads: z.array(
    z.object({
      thread: z.string(),
      title: z.string(),
      turns: z.number(),
      last_at: milliseconds,
      busy: z.boolean(),
    }),
  ),
});

export const threadView = z.object({
  turns: z.array(z.object({ turn: turnRecord, events: z.array(turnEvent) })),
});

/** One line of `GET /namespaces/{ns}/events`. */
export const feedItem = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("event"), thread: z.string(), event: turnEvent }),
  z.object({ kind: z.literal("state"), namespace: z.string() }),
]);

export const completions = z.object({
  completions: z.array(z.object({ text: z.string(), label: z.string(), description: z.string() })),
});

export const stopRequest = z.object({ user: z.string().min(1).max(200).default("operator") }).strict();

export const stopped = z.object({
  stopped: z.boolean().describe("false when the turn had finished before"),
});

export const forgotten = z.object({
  forgotten: z.boolean().describe("its texts and files are gone for good"),
});

export const approvalRequest = z
  .object({
    approve: z.boolean().describe("false refuses"),
    always: z
      .boolean()
      .default(false)
      .describe("approved calls like this one are not asked about in its channel any more"),
    turn: z
      .boolean()
      .default(false)
      .describe("approved sites that the call names may be reached for the rest of the turn"),
    user: z.string().min(1).max(200).default("operator"),
  })
  .strict();

export const decided = z.object({
  decided: z.boolean().describe("false when somebody had decided before, or it was over"),
});

export const answered = z.object({
  answered: z.boolean().describe("false when the question was no longer open"),
});

export const promptView = z.object({
  system: z.string(),
  tools: z.array(toolDefinition),
  /** Of a thread: what follows instructions and tools. */
  messages: z
    .array(z.object({ role: z.enum(["user", "assistant", "tool", "system"]), text: z.string() }))
    .optional(),
  tokens: z.number(),
});

export const answerRequest = z
  .object({
    question_id: z.string(),
    text: z.string().min(1),
    user: z.string().min(1).max(200).default("operator"),
  })
  .strict();

export const liveness = z.object({ ok: z.boolean() });

export const readiness = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** What a client needs to know at start. */
export const about = z.object({
  name: z.string(),
  version: z.string(),
  model: z.string(),
  /** Three things to try in an empty channel. */
  suggestions: z.array(z.string()),
});

/** RFC 9457 problem document. `code` is stable and what programs branch on; `detail` is for the person. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string(),
});
