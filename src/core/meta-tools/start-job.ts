import { z } from "zod";
import type { JobRequest } from "../ports/schedules.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { failure, type ToolResult } from "../skill/tool.ts";
import { ok } from "./meta-tool.ts";

const watchSchema = z.object({ line: z.string().optional(), quiet_seconds: z.number().optional() });

/** The parameter that makes a run a job, and what wakes the agent before the end of it. */
export const watch = watchSchema
  .optional()
  .describe("goes on after your answer; its end, this line or silence wakes you");

/** Minimum silence that wakes the agent, ms. */
const minQuietMs = 5_000;

/** Starts a run that goes on after the turn. */
export async function startJob(
  { turn, ports }: TurnScope,
  { call }: CallRequest,
  work: Pick<JobRequest, "name" | "text" | "run">,
  { line, quiet_seconds }: z.output<typeof watchSchema>,
): Promise<ToolResult> {
  const { author, place, turn_id, cause } = turn;
  if (cause?.kind === "trigger")
    return failure(
      "refused",
      "A turn that a job or a trigger began starts no job.",
      "Run it without `watch`.",
    );
  const quiet_ms = quiet_seconds === undefined ? undefined : Math.max(minQuietMs, quiet_seconds * 1_000);
  const job = { ...work, line: line || undefined, quiet_ms };
  const started = await ports.schedules?.startJob({ ...job, author, place, turn_id, call_id: call.id });
  if (started?.ok !== true) return failure("refused", started?.message ?? "Jobs are off here.");
  const { id, max_ms } = started.value;
  return ok(
    `The job ${id} runs, for at most ${max_ms / 60_000} min. You get a turn when there is news: end this one and do not wait.`,
  );
}
