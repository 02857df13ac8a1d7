import type { Opening, Transcript } from "../log/transcript.ts";
import type { TranscriptOpening, TurnEventBody } from "../log/turn-event.ts";
import type { TurnState } from "../log/turn-state.ts";
import type { NamespaceState } from "../skill/namespace-state.ts";
import type { Offer } from "../skill/offer.ts";
import type { Tool, ToolContext, ToolResult } from "../skill/tool.ts";
import type { ApprovalNeed, Approver } from "../values/approver.ts";
import type { Json } from "../values/json.ts";
import type { Message, ToolCall, ToolDefinition } from "../values/message.ts";
import type { ToolCategory } from "../values/profile.ts";
import type { SeenAddresses } from "../values/seen-addresses.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import type { Turn, TurnPorts } from "./turn.ts";

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

/** A tool of the bot's own, as a running turn has it. */
export interface OwnTool extends Tool {
  /** Which agents have it; absent where all do. */
  category?: ToolCategory | undefined;
}

/** A tool of the agent itself: it works on the running turn, not for a skill. */
export interface MetaTool extends Omit<Tool, "run" | "approval" | "runsCodeOf"> {
  /** Whether this bot has it at all: the same for all turns, so that what a model is sent stays the same. */
  offered(turn: Pick<Turn, "profiles" | "code">, ports: Pick<TurnPorts, "models" | "scripts">): boolean;
  /** Which agents have it; absent where all do. */
  category?: ToolCategory | undefined;
  /** Of a tool that is offered: true where a model is not told of it, but conversations that began earlier may call it. */
  retired?: boolean | undefined;
  /** What a model reads of it here, instead of `description`. */
  describe?: ((turn: Pick<Turn, "code">) => string) | undefined;
  /** As a tool's, with the running turn to look at. */
  approval?(input: Json, scope: TurnScope): Approver | ApprovalNeed | undefined;
  runsCodeOf?(input: Json, scope: TurnScope): string | undefined;
  run(input: Json, context: ToolContext, scope: TurnScope, request: CallRequest): Promise<ToolResult>;
}

/** What the parts of a running turn share. Lives as long as `runTurn`. */
export interface TurnScope {
  readonly turn: Turn;
  readonly ports: TurnPorts;
  readonly state: TurnState;
  readonly guard: DuplicateGuard;
  /** The agent's own tools, by name; the same list for every model call. */
  readonly ownTools: ReadonlyMap<string, OwnTool>;
  /** The same, as a model sees them. */
  readonly ownDefinitions: readonly ToolDefinition[];
  /** The thread's conversation as models get it; undefined until one has opened. */
  readonly transcript: Transcript | undefined;
  /** Addresses that were shown in the thread before the turn, or that its transcript took over, and in the turn. */
  readonly seen: { thread: SeenAddresses; turn: SeenAddresses };
  /** Messages with their pictures, once they were loaded. */
  readonly loaded: WeakMap<Message, Message>;
  /** The namespace as last read, and the offer it makes. `refreshOffer` reads it again. */
  namespace: NamespaceState;
  namespaceOffer: Offer;
  /** The same as this thread has it. */
  offer: Offer;
  /** Hands an event to the reader of the turn; resolves once it is recorded. */
  emit(event: TurnEventBody): Promise<void>;
  /** Begins a transcript: stores how it opens, and records it. */
  open(opening: Opening, how: Omit<TranscriptOpening, "opening">): Promise<void>;
  /** Brings a call to its result, or answers `waiting` when it waits for a person. */
  runCall(request: CallRequest): Promise<ToolResult | "waiting">;
}

/** The ids that messages of a turn may call. */
export function calledBy({ turn, state }: Pick<TurnScope, "turn" | "state">): string[] {
  return [turn.author.id, ...(turn.mentions ?? []).map(({ id }) => id), ...state.named];
}
