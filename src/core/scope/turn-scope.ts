import type { Slots } from "../../base/slots.ts";
import type { Conversation } from "../log/conversation.ts";
import type { Opening, Transcript } from "../log/transcript.ts";
import type { TranscriptOpening, TurnEventBody } from "../log/turn-event.ts";
import type { TurnState } from "../log/turn-state.ts";
import type { Models } from "../ports/model.ts";
import type { NamespaceState, Offer, OfferedSkill } from "../skill/namespace-state.ts";
import type { Tool, ToolContext, ToolResult } from "../skill/tool.ts";
import type { SeenAddresses } from "../values/address.ts";
import type { ApprovalNeed, Approver, Author } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Message, ToolCall, ToolDefinition } from "../values/message.ts";
import type { ToolCategory } from "../values/profile.ts";
import { zoneOf } from "../values/said-line.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import type { Turn, TurnPorts } from "./turn.ts";

/** A pending call, made by the model or by another tool. */
export interface CallRequest {
  call: ToolCall;
  parent_call_id?: string | undefined;
  /** A person wrote this call, with `/skill run`. */
  by_person?: boolean | undefined;
  /** 0 for the model's own calls. */
  depth: number;
  /** Gets the hosts that it sends requests to. */
  reached?: { add(host: string): unknown };
  /** Rules in trial that would have had somebody asked, each with whom. */
  shadow?: readonly string[] | undefined;
  /** The person whose account it uses at its server, if that is not the asker. */
  owner?: { id: string; name: string } | undefined;
  /** The tool, if it is not looked up among the offered tools. */
  tool?: Tool;
}

/** What a conversation has, as far as some of the agent's own tools depend on it. */
interface ConversationNeeds {
  active: readonly OfferedSkill[];
  /** Whether it has only the beginning of a guide. */
  cut_guide: boolean;
  /** Number of skills that its list leaves out. */
  unlisted: number;
  /** Whether a server has tools that are shown only once they are found. */
  many_tools: boolean;
  models: Pick<Models, "main">;
}

/** One of the agent's own tools, bound to a running turn. */
export interface OwnTool extends Tool, Pick<MetaTool, "category" | "needed"> {}

/** A tool of the agent itself. It works on the running turn, not for a skill. */
export interface MetaTool extends Omit<Tool, "run" | "approval" | "runsCodeOf"> {
  /** Whether this bot has the tool. The answer is the same for all turns, so that the tool list sent to models does not change. */
  offered(turn: Pick<Turn, "profiles" | "code">, ports: Pick<TurnPorts, "models" | "scripts">): boolean;
  /** Agents that have the tool are chosen by this category; absent means all agents. */
  category?: ToolCategory | undefined;
  /** Whether a conversation needs the tool now; absent means always. Once models are told about the tool, the conversation keeps it. */
  needed?: ((now: ConversationNeeds) => boolean) | undefined;
  /** The description for models here, in place of `description`. */
  describe?: ((turn: Pick<Turn, "code">) => string) | undefined;
  /** Like the method of `Tool`, with access to the running turn. */
  approval?(input: Json, scope: TurnScope): Approver | ApprovalNeed | undefined;
  runsCodeOf?(input: Json, scope: TurnScope): string | undefined;
  run(input: Json, context: ToolContext, scope: TurnScope, request: CallRequest): Promise<ToolResult>;
}

/** What a turn and its sub-runs share. */
interface SharedWork {
  readonly metaTools: readonly MetaTool[];
  /** Sub-runs at the same time. */
  readonly runs: Slots;
  /** Calls of sub-runs at the same time. */
  readonly calls: Slots;
  /** Sub-runs that have not ended. */
  readonly going: Set<Promise<unknown>>;
}

/** The state that the parts of a running turn, or of a sub-run, share. Lives as long as `runTurn`. */
export interface TurnScope {
  /** The scope that started this sub-run; undefined for the turn itself. */
  readonly parent?: TurnScope | undefined;
  readonly shared: SharedWork;
  readonly turn: Turn;
  readonly ports: TurnPorts;
  readonly state: TurnState;
  /** The conversation of the turn, or of this sub-run. */
  readonly conversation: Conversation;
  readonly guard: DuplicateGuard;
  /** The agent's own tools by name; the same list for every model call. */
  readonly ownTools: ReadonlyMap<string, OwnTool>;
  /** The definitions of these tools for models. */
  readonly ownDefinitions: readonly ToolDefinition[];
  /** The thread's conversation as models get it; undefined until a transcript has opened. */
  readonly transcript: Transcript | undefined;
  /** Addresses seen in the thread before the turn, or carried over by its transcript; and addresses seen in the turn. */
  readonly seen: { thread: SeenAddresses; turn: SeenAddresses };
  /** Messages with their pictures loaded. */
  readonly loaded: WeakMap<Message, Message>;
  /** The namespace as last read, and its offer. `refreshOffer` reads both again. */
  namespace: NamespaceState;
  namespaceOffer: Offer;
  /** The offer of this thread. */
  offer: Offer;
  /** Passes an event to the reader of the turn. Resolves once it is recorded. */
  emit(event: TurnEventBody): Promise<void>;
  /** Opens a transcript: stores its opening and records the event. */
  open(opening: Opening, how: Omit<TranscriptOpening, "opening">): Promise<void>;
  /** Runs a call to its result, or returns `waiting` when it waits for a person. */
  runCall(request: CallRequest): Promise<ToolResult | "waiting">;
}

/** The scope of the turn that a sub-run belongs to. */
export function rootOf(scope: TurnScope): TurnScope {
  return scope.parent === undefined ? scope : rootOf(scope.parent);
}

/** The time zone in which a person reads times in the channel of the turn, by default its author; an IANA name. */
export function zoneIn({ turn, namespace, ports }: TurnScope, person: Author = turn.author): string {
  return zoneOf(person, namespace.settings.time_zone, ports.time_zone);
}

/** Ids of the people that messages of a turn may mention so that they are notified. */
export function calledBy({ turn, state }: Pick<TurnScope, "turn" | "state">): string[] {
  return [turn.author.id, ...(turn.mentions ?? []).map(({ id }) => id), ...state.named];
}
