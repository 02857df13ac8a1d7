import type { Json } from "../../core/json.ts";

/** An execution of one skill, from the turn log. */
export interface SkillRun {
  run_id: string;
  turn_id: string;
  skill_id: string;
  user: string;
  namespace: string;
  status: "running" | "completed" | "failed";
  input: Json;
  output?: Json | undefined;
  /** Why it failed. */
  error?: string | undefined;
  started_at: number;
  finished_at?: number | undefined;
  duration_ms?: number | undefined;
}
