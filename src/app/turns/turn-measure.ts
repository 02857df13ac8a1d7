/** The cost of a turn: the figures for its log line, its metrics and its trace, without any text of the conversation. */

import { type TurnEventBody, unwrapped } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import {
  type Meter,
  type ModelErrorCode,
  noMeter,
  noTracer,
  type TurnMeasure,
} from "../../core/ports/model.ts";
import { errorCodeOf } from "../../core/skill/tool.ts";
import type { AppDeps } from "../app-deps.ts";
import type { TurnObserver } from "./turn-writer.ts";

/**
 * Counts a turn and logs it at its end. Problems that need an operator are logged with the reason: an unavailable model, once per outage of
 * a turn, and errors that do not go away with time.
 */
export function createTurnMeasuring({
  clock,
  logger,
  meter = noMeter,
  tracer = noTracer,
}: Pick<AppDeps, "clock" | "logger" | "meter" | "tracer">): (claimed: ClaimedTurn) => TurnObserver {
  const end = (measure: TurnMeasure) => {
    meter.turn(measure);
    if (measure.outcome === "failed") logger.warn(measure, "A turn failed");
    else logger.info(measure, measure.outcome === "merged" ? "A message joined a turn" : "A turn ended");
  };
  const tellOperator = (event: TurnEventBody, wasAway: boolean, { turn_id }: ClaimedTurn) => {
    if (event.type === "model_away" && !wasAway)
      logger.warn({ turn_id, code: event.code, reason: event.message }, "A turn waits for its model");
    else if (event.type === "error" && forOperators.has(event.code))
      logger.warn({ turn_id, code: event.code, reason: event.message }, "A model cannot be used");
  };
  return (claimed) => {
    const measure = createMeasure(claimed, clock.now());
    const skillOf = new Map<string, string>();
    const trace = tracer(claimed);
    let isAway = false;
    for (const stored of claimed.events) {
      const event = unwrapped(stored);
      // An earlier worker has counted its own work.
      note(measure, event, noMeter, skillOf);
      isAway = staysAway(event, isAway);
    }
    return {
      after(written) {
        trace(written, written.at);
        const event = unwrapped(written);
        tellOperator(event, isAway, claimed);
        isAway = staysAway(event, isAway);
        note(measure, event, meter, skillOf);
        measure.duration_ms = Math.max(0, clock.now() - (claimed.events[0]?.at ?? clock.now()));
        if (written.type === "steered") {
          const merged = { turn_id: written.from_turn, outcome: "merged", queued_ms: 0 } as const;
          end({ ...createMeasure(claimed, clock.now()), ...merged });
        }
        if (written.type === "turn_finished") end({ ...measure, outcome: written.outcome });
      },
    };
  };
}

/** Failures that stay until an operator acts. Their messages concern servers and settings, not the conversation. */
const forOperators: ReadonlySet<string> = new Set<ModelErrorCode>([
  "bad_response",
  "invalid_request",
  "not_configured",
  "unauthorized",
]);

function staysAway({ type }: TurnEventBody, isAway: boolean): boolean {
  return type === "model_away" || (isAway && type !== "model_message");
}

function createMeasure({ turn_id, inbound, events }: ClaimedTurn, now: number): TurnMeasure {
  const taken = events.find(({ type }) => type === "turn_started")?.at ?? now;
  return {
    turn_id,
    namespace: inbound.namespace,
    thread: inbound.thread,
    kind: inbound.kind,
    user: inbound.author.id,
    outcome: "completed",
    queued_ms: Math.max(0, taken - (events[0]?.at ?? now)),
    duration_ms: 0,
    resumed: 0,
    rounds: 0,
    tool_calls: 0,
    tool_errors: 0,
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
  };
}

/** Adds an event to the figures of its turn, and counts it. */
function note(measure: TurnMeasure, event: TurnEventBody, meter: Meter, skillOf: Map<string, string>): void {
  switch (event.type) {
    case "turn_started":
      measure.agent = event.profile;
      measure.model = event.model;
      break;
    case "turn_resumed":
      measure.resumed += 1;
      break;
    case "round_started":
      measure.rounds += 1;
      meter.round();
      break;
    case "tool_started":
      skillOf.set(event.call_id, event.skill_id);
      break;
    case "tool_finished":
      measure.tool_calls += 1;
      if (event.status === "error") measure.tool_errors += 1;
      meter.tool({
        skill_id: skillOf.get(event.call_id) ?? "",
        outcome: event.status === "ok" ? "ok" : errorCodeOf(event.output),
        duration_ms: event.duration_ms,
      });
      break;
    case "usage":
      measure.input_tokens += event.input_tokens;
      measure.cached_tokens += event.cached_tokens ?? 0;
      measure.output_tokens += event.output_tokens;
      if (event.cost_usd !== undefined) measure.cost_usd = (measure.cost_usd ?? 0) + event.cost_usd;
      meter.usage(event.model, event);
      break;
    case "error":
      measure.error = event.code;
      break;
  }
}
