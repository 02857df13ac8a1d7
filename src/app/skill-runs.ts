import type { TurnEvent } from "../core/turn-event.ts";
import type { TurnFilter, TurnLog, TurnRecord } from "../core/turn-log.ts";
import type { SkillRun } from "./app.ts";

/** The executions of skills in the turns of a filter, the latest first: a projection of the turn log. */
export async function skillRuns(log: TurnLog, filter: TurnFilter): Promise<SkillRun[]> {
  const turns = await log.list(filter);
  const runs = await Promise.all(turns.map(async (turn) => runsOf(turn, await log.read(turn.turn_id, 0))));
  return runs.flat().sort((a, b) => b.started_at - a.started_at);
}

function runsOf(turn: TurnRecord, events: readonly TurnEvent[]): SkillRun[] {
  const runs = new Map<string, SkillRun>();
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
      });
    } else if (event.type === "tool_finished") {
      const run = runs.get(event.call_id);
      if (run === undefined) continue;
      run.status = event.status === "ok" ? "completed" : "failed";
      run.output = event.output;
      run.duration_ms = event.duration_ms;
    }
  }
  return [...runs.values()];
}
