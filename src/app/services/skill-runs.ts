import { z } from "zod";
import type { TurnEvent, TurnEventOf } from "../../core/log/turn-event.ts";
import type { TurnFilter, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { Json } from "../../core/values/json.ts";
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
  private: z.literal(true).optional().describe("only the person who asked may read the answer of its turn"),
});
export type SkillRun = z.output<typeof skillRun>;

/** Executions of skills in the turns that match a filter, newest first. */
export async function skillRuns(log: TurnReading, filter: TurnFilter): Promise<SkillRun[]> {
  const turns = await log.list(filter);
  const runs = await Promise.all(turns.map(async (turn) => runsOf(turn, await log.read(turn.turn_id, 0))));
  return runs.flat().sort((a, b) => b.started_at - a.started_at);
}

function runsOf(turn: TurnRecord, events: readonly TurnEvent[]): SkillRun[] {
  const runs = new Map<string, SkillRun>();
  const isPrivate = events.some(({ type }) => type === "answer_private");
  for (const event of events) {
    if (event.type === "tool_started" && event.skill_id !== "") {
      runs.set(event.call_id, {
        run_id: `${turn.turn_id}:${event.call_id}`,
        turn_id: turn.turn_id,
        skill_id: event.skill_id,
        user: turn.author.id,
        namespace: turn.namespace,
        status: "running",
        input: event.input,
        started_at: event.at,
        private: isPrivate || undefined,
      });
    } else if (event.type === "tool_finished") {
      const run = runs.get(event.call_id);
      if (run !== undefined) runs.set(event.call_id, finished(run, event));
    }
  }
  if (turn.status === "finished") for (const run of runs.values()) endWithTurn(run, turn);
  return [...runs.values()];
}

function finished(
  run: SkillRun,
  { status, output, duration_ms, at }: TurnEventOf<"tool_finished">,
): SkillRun {
  const end = { output, finished_at: at, duration_ms };
  if (status === "ok") return { ...run, ...end, status: "completed" };
  return { ...run, ...end, status: "failed", error: errorIn(output) };
}

function errorIn(output: Json): string {
  const error = typeof output === "object" && output !== null && "error" in output ? output.error : output;
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** Ends a run that was still open when its turn ended: the turn was stopped or reached a limit. */
function endWithTurn(run: SkillRun, { outcome, finished_at }: TurnRecord): void {
  if (run.status !== "running") return;
  run.status = "failed";
  run.error = outcome === "stopped" ? "It was stopped." : "Its turn ended before it did.";
  if (finished_at === undefined) return;
  run.finished_at = finished_at;
  run.duration_ms = Math.max(0, finished_at - run.started_at);
}
