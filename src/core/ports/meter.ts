import type { TurnOutcome, Usage } from "../log/turn-event.ts";
import type { Inbound } from "../values/inbound.ts";
import type { ModelCall } from "./model.ts";

/** What a turn took, without a word of what was said. Times are milliseconds. */
export interface TurnMeasure {
  turn_id: string;
  namespace: string;
  thread: string;
  kind: Inbound["kind"];
  /** Who asked: their id. */
  user: string;
  agent?: string | undefined;
  model?: string | undefined;
  /** `merged`: the message was taken into the running turn of its author. */
  outcome: TurnOutcome | "merged";
  /** The code of the turn's last error. */
  error?: string | undefined;
  /** From the message to the first time a worker took it. */
  queued_ms: number;
  /** From the message to the end, waits for people included. */
  duration_ms: number;
  /** How often a worker took the turn up again, after a wait or an interruption. */
  resumed: number;
  rounds: number;
  tool_calls: number;
  tool_errors: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  /** Absent when no model of the turn has a price. */
  cost_usd?: number | undefined;
}

/** Counts and times what happens, for whoever watches many bots. Nothing here throws, waits, or gets texts of people. */
export interface Meter {
  /** A turn ended, or was taken into another one. */
  turn(measure: TurnMeasure): void;
  /** A round of a turn began. */
  round(): void;
  /** A call ended. `outcome` is `ok` or the code of its error; `skill_id` is empty for the agent's own tools. */
  tool(call: { skill_id: string; outcome: string; duration_ms: number }): void;
  /** A request was sent to a model and ended; each attempt and each model of a failover list counts. */
  modelCall(call: ModelCall): void;
  /** What one answer of a model took. `model` is `provider/model`. */
  usage(model: string, usage: Usage): void;
  /** A platform did not do what it was asked. */
  platformError(platform: string, code: string): void;
}

/** Counts nothing: for commands beside a bot, and tests. */
export const noMeter: Meter = {
  turn() {},
  round() {},
  tool() {},
  modelCall() {},
  usage() {},
  platformError() {},
};
