import { z } from "zod";
import { json, milliseconds } from "./shapes.ts";

/** An execution of one skill, from the turn log. */
export const skillRun = z.object({
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
export type SkillRun = z.output<typeof skillRun>;
