import type { CallInWords } from "../values/call-arguments.ts";
import type { Json } from "../values/json.ts";
import type { AskedFile, TurnEventBodyOf } from "./turn-event.ts";

/** One tool call as recorded in the log. */
export interface CallState {
  started?: TurnEventBodyOf<"tool_started">;
  started_at: number;
  /** True while a question to a person is the last event of the call. It had no effect since, so it may be run again. */
  asking: boolean;
  finished?: TurnEventBodyOf<"tool_finished">;
  /** The turn became private after the call had started. */
  before_private?: true;
  /** Journal: `name#occurrence` → result. */
  steps: Map<string, Json>;
}

/** A call that needs a person's approval. */
export interface ApprovalState {
  approval_id: string;
  tool: string;
  input: Json;
  /** Keys of the web addresses that need approval. */
  addresses?: readonly string[] | undefined;
  says?: CallInWords | undefined;
  files?: readonly AskedFile[] | undefined;
  /** `Binding.definition`. */
  definition?: string | undefined;
  /** ms since the epoch. */
  asked_at: number;
  /** The turn became private after it was asked. */
  before_private?: true;
  expires_at: number;
  /** `by` is empty if nobody decided in time. */
  decided?: Omit<TurnEventBodyOf<"approval_decided">, "type" | "approval_id" | "always">;
}

/** When people are reminded of an approval: half-way to its end, ms since the epoch. */
export function remindAt(asked_at: number, expires_at: number): number {
  return Math.ceil((asked_at + expires_at) / 2);
}
