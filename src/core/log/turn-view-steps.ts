/** The tool calls of a turn for people: steps in plain language, with the stages of each. */
import type { Json } from "../values/json.ts";
import { type VerdictFields, verdictOf, verdicts } from "../values/verdict.ts";
import { isOfCall } from "./call-id.ts";
import type { TurnEvent, TurnEventOf } from "./turn-event.ts";

/** One tool call as a step in plain language. */
export interface StepView
  extends Pick<
    TurnEventOf<"tool_started">,
    "call_id" | "parent_call_id" | "title" | "tool" | "skill_id" | "input"
  > {
  state: "running" | "ok" | "error";
  started_at: number;
  duration_ms?: number | undefined;
  /** It has not begun: it waits for approval. */
  asks?: true | undefined;
  /** The latest progress note. */
  note?: string | undefined;
  progress?: number | undefined;
  total?: number | undefined;
  stages: Pick<TurnEventOf<"stage">, "name" | "status">[];
  output?: Json | undefined;
}

/** The steps of a turn after one more event; undefined if the event does not concern them. */
export function foldSteps(steps: StepView[], event: TurnEvent): StepView[] | undefined {
  switch (event.type) {
    case "tool_started": {
      const { call_id, parent_call_id, title, tool, skill_id, input, at } = event;
      const call = { call_id, parent_call_id, title, tool, skill_id, input };
      const others = steps.filter((other) => other.call_id !== call_id);
      return [...others, { ...call, state: "running", started_at: at, stages: [] }];
    }
    case "tool_progress":
      return changeStep(steps, event.call_id, {
        note: event.note,
        progress: event.progress,
        total: event.total,
      });
    case "tool_finished":
      return changeStep(steps, event.call_id, {
        state: event.status,
        output: event.output,
        duration_ms: event.duration_ms,
        note: undefined,
      });
    case "stage": {
      // The step itself already shows the skill's own stage.
      if (event.name === `skill_${event.skill_id}`) return steps;
      const stages = steps.find((step) => step.call_id === event.call_id)?.stages ?? [];
      const others = stages.filter((stage) => stage.name !== event.name);
      return changeStep(steps, event.call_id, {
        stages: [...others, { name: event.name, status: event.status }],
      });
    }
    default:
      return undefined;
  }
}

function changeStep(steps: readonly StepView[], callId: string, change: Partial<StepView>): StepView[] {
  return steps.map((step) => (step.call_id === callId ? { ...step, ...change } : step));
}

/** The steps after a call has asked: the step waits, or one is added for a call that begins only when it is approved. */
export function askingSteps(
  steps: readonly StepView[],
  { call_id, title, tool, skill_id, input, at }: TurnEventOf<"approval_requested">,
): StepView[] {
  const note = "waiting for approval";
  if (title === undefined) {
    const asking = steps.findLast((step) => isOfCall(call_id, step.call_id));
    return asking === undefined ? [...steps] : changeStep(steps, asking.call_id, { note });
  }
  const step: StepView = {
    ...{ call_id, title, tool, skill_id, input, note },
    ...{ state: "running", asks: true, started_at: at, stages: [] },
  };
  return [...steps, step];
}

type Decided = Pick<TurnEventOf<"approval_decided">, "edited" | keyof VerdictFields> &
  Pick<TurnEventOf<"approval_requested">, "person">;

/** A decision in the form that follows a name: `approved, always here`. */
export function verdictText({
  approved: approve,
  for_turn: turn,
  edited,
  person,
  ...standing
}: Decided): string {
  const verdict = verdictOf({ approve, turn, ...standing });
  if (approve && edited !== undefined) return "approved, with changes";
  return verdict === "turn" && person?.for_answer ? "approved, for this answer" : verdicts[verdict].after;
}
