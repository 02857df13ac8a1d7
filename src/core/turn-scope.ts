import type { DuplicateGuard } from "./duplicate-guard.ts";
import type { Json } from "./json.ts";
import type { ToolCall } from "./message.ts";
import type { NamespaceState } from "./namespace-state.ts";
import type { Offer } from "./offer.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import type { Turn, TurnPorts } from "./turn.ts";
import type { TurnEventBody } from "./turn-event.ts";
import type { TurnState } from "./turn-state.ts";

/** A call on its way: the model's own, or one that another tool makes. */
export interface CallRequest {
  call: ToolCall;
  parent_call_id?: string;
  /** 0 for the model's own calls. */
  depth: number;
  /** The tool, when it is not looked up among those offered. */
  tool?: Tool;
}

/** A tool of the agent itself: it works on the running turn, not for a skill. */
export interface MetaTool extends Omit<Tool, "run"> {
  /** Whether there is anything for it to do in this turn. */
  offered(scope: TurnScope): boolean;
  run(input: Json, context: ToolContext, scope: TurnScope, request: CallRequest): Promise<ToolResult>;
}

/** What the parts of a running turn share. Lives as long as `runTurn`. */
export interface TurnScope {
  readonly turn: Turn;
  readonly ports: TurnPorts;
  readonly metaTools: readonly MetaTool[];
  readonly state: TurnState;
  readonly guard: DuplicateGuard;
  /** The namespace as last read, and the offer it makes. `refreshOffer` reads it again. */
  namespace: NamespaceState;
  offer: Offer;
  /** The tools of the current model call. */
  tools: ReadonlyMap<string, Tool>;
  /** Hands an event to the reader of the turn; resolves once it is recorded. */
  emit(event: TurnEventBody): Promise<void>;
  /** Brings a call to its result, or answers `waiting` when it waits for a person. */
  runCall(request: CallRequest): Promise<ToolResult | "waiting">;
}
