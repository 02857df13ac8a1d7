/**
 * The shapes of the HTTP API: parsed on the way in, documented in openapi.json, and the types of every client.
 * Names are a contract: extend, never break.
 */
import { z } from "@hono/zod-openapi";
import { namespaceSchema } from "../core/place.ts";
import { milliseconds, turnEvent, turnRecord } from "./turn-schemas.ts";

/** Any JSON value. The document says so itself: the generator would follow the recursive schema without end. */
export const json = z.json().openapi({ type: ["object", "array", "string", "number", "boolean", "null"] });

const parameter = z.object({
  name: z.string(),
  type: z.enum(["string", "number", "boolean", "object", "array"]),
  description: z.string(),
  required: z.boolean(),
  default: json.optional(),
  enum: z.array(json).optional(),
});

export const diagnostic = z.object({
  path: z.string(),
  skill_id: z.string().optional().describe("the skill it tells of, where one file holds several"),
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  message: z.string(),
});

export const skillListing = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["builtin", "document", "imported", "flow", "mcp", "config"]),
  description: z.string(),
  category: z.string(),
  version: z.string(),
  source: z.string(),
  path: z.string(),
  hash: z.string(),
  state: z.enum(["available", "active", "pinned", "blocked"]),
  eligible: z.boolean(),
  reasons: z.array(z.string()),
  switched_off: z.literal(true).optional().describe("on purpose, in its file or in the configuration"),
  notice: z.string().optional().describe("what people should know of its state here"),
  risk: z.enum(["low", "medium", "high"]),
  emoji: z.string().optional(),
  parent: z.string().optional(),
});

export const skillList = z.object({ skills: z.array(skillListing), diagnostics: z.array(diagnostic) });

const toolDefinition = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), json),
});

export const skillDetail = skillListing.extend({
  author: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(parameter),
  output_schema: json.optional(),
  examples: z.array(z.object({ prompt: z.string(), call: z.string() })),
  tools: z.array(toolDefinition),
  files: z.array(z.object({ path: z.string(), bytes: z.number() })),
  parts: z.array(skillListing),
  instructions: z.string(),
  max_execution_seconds: z.number(),
  max_iterations: z.number(),
  license: z.string().optional(),
  homepage: z.string().optional(),
  invocation: z
    .object({ by_people: z.boolean(), by_model: z.boolean(), command_tool: z.string().optional() })
    .optional(),
  network: z.object({ granted: z.array(z.string()) }).describe("hosts its code may reach"),
  tool_list: z
    .record(z.string(), z.array(z.string()))
    .describe("tools of servers it brings along; [] is all of a server"),
  problems: z.array(diagnostic).describe("what was found wrong in its files"),
  package: z
    .object({
      from: z.string(),
      by: z.string(),
      installed_at: milliseconds,
      hash: z.string(),
      changed: z.boolean().describe("its files are no longer those that were installed"),
      danger: z.number(),
      warnings: z.number(),
    })
    .optional()
    .describe("of an installed skill: where from, and how many findings its review has"),
});

export const runRequest = z
  .object({
    params: z.record(z.string(), json).default({}),
    namespace: namespaceSchema.default("console:local:dm"),
    user: z.string().min(1).max(200).default("operator"),
  })
  .strict();

export const skillResult = json.describe("{skill_id, output, success: true}, or {error, …}");

export const skillStateRequest = z
  .object({
    state: z
      .enum(["pinned", "blocked", "available"])
      .describe("pinned enables, blocked disables, available resets"),
    user: z.string().min(1).max(200).default("operator"),
  })
  .strict();

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

const skillRun = z.object({
  run_id: z.string(),
  turn_id: z.string(),
  skill_id: z.string(),
  user: z.string(),
  namespace: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  input: json,
  output: json.optional(),
  error: z.string().optional().describe("why it failed"),
  started_at: milliseconds,
  finished_at: milliseconds.optional(),
  duration_ms: z.number().optional(),
});

export const runList = z.object({ turns: z.array(turnRecord), skills: z.array(skillRun) });

/** One turn with what it did. */
export const runView = z.object({
  turn: turnRecord,
  events: z.array(turnEvent),
  skills: z.array(skillRun),
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
