import type { Slots } from "../../base/slots.ts";
import type { Conversation } from "../log/conversation.ts";
import type { Opening, Transcript } from "../log/transcript.ts";
import type { TranscriptOpening, TurnEventBody } from "../log/turn-event.ts";
import type { TurnState } from "../log/turn-state.ts";
import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { Clock } from "../ports/storage.ts";
import { serverSkillId, serverToolName } from "../skill/catalogue.ts";
import {
  isActive,
  type NamespaceState,
  type Offer,
  type OfferedSkill,
  skillsIn,
} from "../skill/namespace-state.ts";
import type { Skill } from "../skill/skill.ts";
import { toToolName } from "../skill/skill-identifier.ts";
import { failure, type Tool, type ToolContext, type ToolResult, type WorkModel } from "../skill/tool.ts";
import type { SeenAddresses } from "../values/address.ts";
import type { ApprovalNeed, Approver, Author } from "../values/inbound.ts";
import { canonicalJson, type Json } from "../values/json.ts";
import type { Effort, Message, ToolCall, ToolDefinition } from "../values/message.ts";
import type { Profile, ToolCategory } from "../values/profile.ts";
import { zoneOf } from "../values/said-line.ts";
import type { Turn, TurnPorts } from "./turn.ts";

/** A pending call, made by the model or by another tool. */
export interface CallRequest {
  call: ToolCall;
  parent_call_id?: string | undefined;
  /** A person wrote this call, with `/skill run`. */
  by_person?: true;
  /** 0 for the model's own calls. */
  depth: number;
  /** Gets the hosts that it sends requests to. */
  reached?: { add(host: string): unknown };
  /** Rules in trial that would have had somebody asked, each with whom. */
  shadow?: readonly string[];
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

/**
 * Answers a repeated read-only call of a model with its first result, and enforces cooldowns and once-per-turn limits. Each turn has one;
 * it is rebuilt from the log on resume.
 */
interface DuplicateGuard {
  /**
   * The result that replaces running the tool, if any. `now` is in ms since the epoch. `by_skill`: a skill or flow makes the call; it
   * repeats calls on purpose and expects the tool's current answer.
   */
  check(tool: Tool, input: Json, now: number, by_skill?: boolean): ToolResult | undefined;
  /** Records a finished call. A call with side effects clears the remembered results. */
  record(tool: Tool, input: Json, result: ToolResult, now: number): void;
}

export function createDuplicateGuard(): DuplicateGuard {
  const results = new Map<string, Json>();
  const lastRun = new Map<string, number>();
  const key = (tool: Tool, input: Json) => `${tool.name} ${canonicalJson(input)}`;

  return {
    check(tool, input, now, by_skill = false) {
      const ran = lastRun.get(tool.name);
      if (ran !== undefined && tool.once_per_turn) {
        return failure(
          "once_per_turn",
          `${tool.name} runs once per turn and has run.`,
          "Use its first result.",
        );
      }
      const wait = ran === undefined ? 0 : ran + (tool.cooldown_ms ?? 0) - now;
      if (wait > 0) {
        return failure(
          "cooldown",
          `${tool.name} may run again in ${Math.ceil(wait / 1000)} s.`,
          "Go on without it.",
        );
      }
      const mayRepeat = by_skill || tool.repeatable || tool.effect(input) !== "read_only";
      const first = mayRepeat ? undefined : results.get(key(tool, input));
      if (first === undefined) return undefined;
      const note =
        "Same call as before: this is its first result. Do not repeat it; use the result or change the arguments.";
      return { status: "ok", output: { note, result: first } };
    },
    record(tool, input, result, now) {
      lastRun.set(tool.name, now);
      if (tool.effect(input) !== "read_only") results.clear();
      else if (result.status === "ok") results.set(key(tool, input), result.output);
    },
  };
}

/** Starting skills, whose tools are not known yet: a server that has not listed its tools, or a package of tools that is being read. */

/** Maximum wait of a turn or command for the skills it needs, ms. A server that is installed on its first start takes this long. */
const maxWait = 30_000;

/** The skills of a list that are starting. Parts are not included: they exist only once their skill has started. */
export function startingOf(skills: Iterable<Skill>): Skill[] {
  return [...skills].filter((skill) => skill.ready !== undefined);
}

/** Whether an unknown name may be a tool, or a part, of a skill that is starting. */
export function mayBeOf(name: string, { id, kind, name: title }: Skill): boolean {
  if (name === id || name.startsWith(`${id}#`)) return true;
  if (kind === "mcp") return name.startsWith(serverToolName(title, ""));
  const tool = toToolName(id);
  return name === tool || name.startsWith(`${tool}_`);
}

/**
 * The starting skills that a turn needs: skills that are active in its channel or thread or requested by name, skills whose tools it has
 * called before, and the servers whose tools these skills use.
 */
export function startingFor(turn: Turn, offer: Offer): Skill[] {
  const starting = startingOf(skillsIn(offer));
  if (starting.length === 0) return [];
  const active = [...offer.all.values()].filter(isActive).map(({ skill }) => skill.id);
  const ids = new Set([...active, ...(turn.asked ?? []), ...idsInThread(turn)]);
  const servers = [...ids].flatMap((id) => {
    const skill = offer.catalogue.skills.get(id);
    return Object.keys(skill?.tool_list ?? {}).map(serverSkillId);
  });
  const needed = [...ids, ...servers];
  return starting.filter((skill) => needed.some((id) => id === skill.id || id.startsWith(`${skill.id}#`)));
}

/** Skills that the agent activated in the thread, or that the turn has used. */
function idsInThread({ past, events }: Turn): string[] {
  const before = past.steps.flatMap((step) =>
    step.kind === "activate" ? step.skill_id : step.kind === "open" ? step.with.active : [],
  );
  const now = events.flatMap((event) =>
    event.type === "skill_activated" || event.type === "tool_started" ? event.skill_id : [],
  );
  return [...before, ...now];
}

/** Resolves when all skills have started or failed, when the signal aborts, or after `maxWait` at the latest. */
export async function whenReady(
  skills: readonly Skill[],
  clock: Pick<Clock, "sleep">,
  signal?: AbortSignal,
): Promise<void> {
  if (skills.length === 0) return;
  const enough = new AbortController();
  const ends = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  const ready = Promise.all(skills.map((skill) => skill.ready?.()));
  await Promise.race([ready, clock.sleep(maxWait, ends).catch(() => undefined)]);
  enough.abort();
}

/** The model of a turn and its effort: people's choice for the channel, otherwise the agent's, otherwise the configured one. */

type Settings = Pick<NamespaceState["settings"], "model" | "effort">;

/** The model for a channel and the agent that has the turn. */
export function modelFor(models: Models, settings: Settings, profile: Profile): Model {
  const name = settings.model ?? profile.model;
  return name === undefined ? models.main : models.named(name);
}

/** The model of the running turn or sub-run. It may change during the turn, because people choose another one. */
export function chosenModel(scope: TurnScope): Model {
  return modelFor(scope.ports.models, scope.namespace.settings, scope.turn.profile);
}

/** The reasoning effort for a channel and the agent that has the turn; undefined leaves it to the provider. */
export function effortFor(
  { effort }: Pick<TurnPorts, "effort">,
  settings: Settings,
  profile: Profile,
): Effort | undefined {
  return settings.effort ?? profile.effort ?? effort;
}

/**
 * The model for auxiliary work of a turn: summaries, extraction, writing.
 * @throws ModelError `not_configured` for a name that is not selectable
 */
export function workModel(scope: TurnScope, wanted: WorkModel | undefined): Model {
  const { models } = scope.ports;
  const chosen = chosenModel(scope);
  if (wanted === undefined) return chosen;
  if (wanted === "small") return models.small(chosen);
  const choice = models.choose(wanted);
  if (!choice.ok) throw new ModelError("not_configured", choice.message);
  return models.named(choice.name);
}
