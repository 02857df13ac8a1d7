import type { Opening, Transcript } from "../log/transcript.ts";
import type { TranscriptOpening, TurnEventBody } from "../log/turn-event.ts";
import type { TurnState } from "../log/turn-state.ts";
import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { Clock } from "../ports/storage.ts";
import { serverSkillId, serverToolName } from "../skill/catalogue.ts";
import { isActive, type NamespaceState, type Offer } from "../skill/namespace-state.ts";
import type { Skill } from "../skill/skill.ts";
import { toToolName } from "../skill/skill-identifier.ts";
import type { Tool, ToolContext, ToolResult, WorkModel } from "../skill/tool.ts";
import type { SeenAddresses } from "../values/address.ts";
import type { ApprovalNeed, Approver } from "../values/inbound.ts";
import { canonicalJson, type Json } from "../values/json.ts";
import type { Effort, Message, ToolCall, ToolDefinition } from "../values/message.ts";
import { currentProfile, type Profile, type ToolCategory } from "../values/profile.ts";
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

/**
 * Answers a model's repeated read-only call from its first result, and keeps cooldowns and once-per-turn marks. One per turn;
 * rebuilt from the log on resume.
 */
interface DuplicateGuard {
  /**
   * The result to answer instead of running the tool, if any. `now` in ms since the epoch. `by_skill`: a skill or flow makes the
   * call, which repeats itself on purpose and expects what the tool answers.
   */
  check(tool: Tool, input: Json, now: number, by_skill?: boolean): ToolResult | undefined;
  /** A call that has finished. A success with side effects voids what was remembered before. */
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
        return refuse(
          "once_per_turn",
          `${tool.name} runs once per turn and has run.`,
          "Use its first result.",
        );
      }
      const wait = ran === undefined ? 0 : ran + (tool.cooldown_ms ?? 0) - now;
      if (wait > 0) {
        return refuse(
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

function refuse(code: string, message: string, hint: string): ToolResult {
  return { status: "error", code, message, hint };
}

/** Skills whose tools are not known yet: a server that has not said what it has, a package of tools that is being read. */

/** How long a turn or a command waits for the skills it needs, ms: a server that is installed with its first start takes that long. */
const maxWait = 30_000;

/** The skills of a list that are starting. Parts are none: they are not there before their skill has started. */
export function startingOf(skills: Iterable<Skill>): Skill[] {
  return [...skills].filter((skill) => skill.ready !== undefined);
}

/** Whether a name that is not known yet may be a tool, or a part, of a skill that is starting. */
export function mayBeOf(name: string, { id, kind, name: title }: Skill): boolean {
  if (name === id || name.startsWith(`${id}#`)) return true;
  if (kind === "mcp") return name.startsWith(serverToolName(title, ""));
  const tool = toToolName(id);
  return name === tool || name.startsWith(`${tool}_`);
}

/**
 * The starting skills that a turn needs: those that are active in its channel or thread or asked for by name, those whose tools it
 * has called before, and the servers that such skills take tools from.
 */
export function startingFor(turn: Turn, offer: Offer): Skill[] {
  const starting = startingOf(offer.catalogue.skills.values());
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

/** What the agent activated in the thread, and the turn has used. */
function idsInThread({ past, events }: Turn): string[] {
  const before = past.steps.flatMap((step) =>
    step.kind === "activate" ? step.skill_id : step.kind === "open" ? step.with.active : [],
  );
  const now = events.flatMap((event) =>
    event.type === "skill_activated" || event.type === "tool_started" ? event.skill_id : [],
  );
  return [...before, ...now];
}

/** Resolves when all have started or failed, with the signal, and after half a minute at the latest. */
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

/** Which model a turn asks, and how hard it is to think: what people chose for the channel, else what its agent names, else the configured. */

type Settings = Pick<NamespaceState["settings"], "model" | "effort">;

/** The model of a channel in which this agent has the turn. */
export function modelFor(models: Models, settings: Settings, profile: Profile): Model {
  const name = settings.model ?? profile.model;
  return name === undefined ? models.main : models.named(name);
}

/** The model of the running turn. It may change within it: by a handoff, or when people choose another one. */
export function chosenModel(scope: TurnScope): Model {
  return modelFor(scope.ports.models, scope.namespace.settings, currentProfile(scope));
}

/** How hard the model thinks in a channel in which this agent has the turn; undefined leaves it to the provider. */
export function effortFor(
  { effort }: Pick<TurnPorts, "effort">,
  settings: Settings,
  profile: Profile,
): Effort | undefined {
  return settings.effort ?? profile.effort ?? effort;
}

/**
 * The model for inner work of a turn: summaries, extraction, writing.
 * @throws ModelError `not_configured` for a name that nobody may choose
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
