import type { DuplicateGuard } from "./duplicate-guard.ts";
import type { Json } from "./json.ts";
import type { ToolCall, ToolDefinition } from "./message.ts";
import type { NamespaceState } from "./namespace-state.ts";
import type { Offer } from "./offer.ts";
import type { Approver, Tool, ToolContext, ToolResult } from "./tool.ts";
import type { Turn, TurnPorts } from "./turn.ts";
import type { TurnEventBody } from "./turn-event.ts";
import type { TurnState } from "./turn-state.ts";

/** A call on its way: the model's own, or one that another tool makes. */
export interface CallRequest {
  call: ToolCall;
  parent_call_id?: string;
  /** A person wrote this very call, as `/skill run`. */
  by_person?: true;
  /** 0 for the model's own calls. */
  depth: number;
  /** The tool, when it is not looked up among those offered. */
  tool?: Tool;
}

/** A tool of the agent itself: it works on the running turn, not for a skill. */
export interface MetaTool extends Omit<Tool, "run" | "approval"> {
  /** Whether there is anything for it to do in this turn. */
  offered(scope: TurnScope): boolean;
  /** As a tool's, with the running turn to look at. */
  approval?(input: Json, scope: TurnScope): Approver | undefined;
  run(input: Json, context: ToolContext, scope: TurnScope, request: CallRequest): Promise<ToolResult>;
}

/** The tools of one model call: the agent's own and those of active skills. */
export interface Toolset {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The same, as a model sees them. */
  readonly definitions: readonly ToolDefinition[];
  /** What it was made from; while both are the same, so is the toolset, and the adapters' work on it. */
  readonly offer: Offer | undefined;
  readonly own: readonly MetaTool[];
}

export const noTools: Toolset = { tools: new Map(), definitions: [], offer: undefined, own: [] };

/** What the parts of a running turn share. Lives as long as `runTurn`. */
export interface TurnScope {
  readonly turn: Turn;
  readonly ports: TurnPorts;
  readonly metaTools: readonly MetaTool[];
  readonly state: TurnState;
  readonly guard: DuplicateGuard;
  /** The namespace as last read, and the offer it makes. `refreshOffer` reads it again. */
  namespace: NamespaceState;
  namespaceOffer: Offer;
  /** The same with the skills that were asked for in this turn. */
  offer: Offer;
  /** The tools of the current model call. */
  toolset: Toolset;
  /** Hands an event to the reader of the turn; resolves once it is recorded. */
  emit(event: TurnEventBody): Promise<void>;
  /** Brings a call to its result, or answers `waiting` when it waits for a person. */
  runCall(request: CallRequest): Promise<ToolResult | "waiting">;
}
