import { rightRefusal } from "../../core/decisions/prevented-call.ts";
import type { Emit, TurnEvent } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, TurnLog } from "../../core/log/turn-log.ts";
import type { Model } from "../../core/ports/model.ts";
import { modelFor } from "../../core/scope/chosen-model.ts";
import { startingFor, whenReady } from "../../core/scope/starting-skills.ts";
import type { Turn, TurnLink, TurnPorts } from "../../core/scope/turn.ts";
import { agentsHere } from "../../core/skill/agent-skill.ts";
import { type NamespaceOffer, notForAgent } from "../../core/skill/make-offer.ts";
import type { NamespaceState } from "../../core/skill/namespace-state.ts";
import type { ToolResult } from "../../core/skill/tool.ts";
import { type Preview, previewOpening, previewRequest, runSkill } from "../../core/turn/run-skill.ts";
import { helper } from "../../core/turn/sub-run.ts";
import { runTurn } from "../../core/turn/turn-loop.ts";
import type { Author, Guide, Inbound } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import { saidText } from "../../core/values/message.ts";
import { agentNamedIn, profileNamed, type WhereText } from "../../core/values/profile.ts";
import type { AppDeps } from "../app-deps.ts";
import type { TurnContextReader } from "../reading/turn-context.ts";
import { askedGuide, type KnownSkills, skillsNamed } from "./asked-skills.ts";
import { emitAll, type NoStart, noStart, unstarted } from "./no-start.ts";
import type { PastThreads } from "./past-threads.ts";
import type { Spending } from "./spending.ts";

/** A turn that is set up, and its channel. */
interface PreparedTurn extends NamespaceOffer {
  turn: Turn;
}

/** What the runner has of the app. */
type RunnerApp = Pick<AppDeps, "log" | "catalogue" | "metaTools" | "profiles" | "limits" | "max_duration_ms">;

/** Turns claimed messages into turns and runs them. */
export class TurnRunner {
  readonly #app: RunnerApp;
  readonly #ports: TurnPorts;
  readonly #contexts: TurnContextReader;
  readonly #past: Pick<PastThreads, "read">;
  readonly #spending: Pick<Spending, "exceeded">;
  readonly #whereOf: (inbound: Inbound) => Promise<WhereText>;

  /** @param whereOf describes the place of a message in words */
  constructor(
    app: RunnerApp,
    ports: TurnPorts,
    contexts: TurnContextReader,
    past: Pick<PastThreads, "read">,
    spending: Pick<Spending, "exceeded">,
    whereOf: (inbound: Inbound) => Promise<WhereText>,
  ) {
    this.#app = app;
    this.#ports = ports;
    this.#contexts = contexts;
    this.#past = past;
    this.#spending = spending;
    this.#whereOf = whereOf;
  }

  /**
   * The next model request if the operator wrote `message`, in an existing thread or as the first message of a new one. Nothing is
   * stored and no model is called.
   */
  async preview(namespace: string, message: string, thread?: string): Promise<Preview> {
    const author: Author = { id: "operator", name: "operator", trust: "operator" };
    const place = { namespace, thread: thread ?? "preview" };
    const { turn } = await this.#prepare(
      {
        turn_id: "preview",
        inbound: { ...place, key: "preview", author, kind: "message", text: message },
        events: [],
        ordinal: Number.MAX_SAFE_INTEGER,
        lease: "preview",
        last_seq: 0,
        crashes: 0,
      },
      new AbortController().signal,
    );
    const preview = thread === undefined ? previewOpening : previewRequest;
    return preview(turn, this.#ports, this.#app.metaTools);
  }

  /** Runs one skill for the person of a command, as `runSkill` does. */
  async runSkill(
    claimed: ClaimedTurn,
    called: { skillId: string; params: Json },
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ToolResult | "waiting"> {
    const { turn } = await this.#prepare(claimed, signal);
    return runSkill(turn, this.#ports, this.#app.metaTools, emit, called);
  }

  #linkOf({ turn_id, inbound: { namespace, author } }: ClaimedTurn): TurnLink {
    const { log } = this.#app;
    return {
      steering: () => this.#steering(turn_id),
      readWhole: async (id, signal) => {
        const [entry] = await log.read(id);
        if (entry?.type !== "inbound") return { text: "", usage: [] };
        return this.#contexts.whole({ turn_id: id, inbound: entry.inbound }, signal);
      },
      signals: () => log.signals(turn_id),
      overBudget: (settings) => this.#spending.exceeded(namespace, author, settings),
    };
  }

  /** The time limit of the turn, ms since the epoch. Time during which the bot was down does not count. */
  deadlineOf({ events }: ClaimedTurn): number {
    return this.#ports.clock.now() + this.#app.max_duration_ms - timeSpent(events);
  }

  /** Runs the turn of a message. While skills that it needs are still starting, it says so, waits and sets the turn up again. */
  async run(claimed: ClaimedTurn, emit: Emit, signal: AbortSignal): Promise<void> {
    const ports = this.#ports;
    const first = await this.#prepare(claimed, signal);
    const starting = startingFor(first.turn, first.offer);
    if (starting.length > 0) {
      const text = `Waiting for ${starting.map(({ name }) => name).join(", ")} to start.`;
      await emit({ type: "skills_starting", skill_ids: starting.map(({ id }) => id), text });
      await whenReady(starting, ports.clock, signal);
    }
    const { turn, state } = starting.length > 0 ? await this.#prepare(claimed, signal) : first;
    const model = modelFor(ports.models, state.settings, turn.profile);
    const speaking = { generative: model.generative, agent: turn.profile, agents: turn.profiles };
    const reason =
      noStart(claimed, state, speaking) ?? (await noGuide(turn, ports, claimed.inbound.guide, model));
    if (reason !== undefined) return emitAll(unstarted(reason, turn.profile.id, model.id), emit);
    const context = await this.#contexts.read(claimed, emit, signal);
    const complete: Turn = { ...turn, text: saidText(turn.text, context), context };
    await runTurn(complete, ports, this.#app.metaTools, emit);
  }

  async #prepare(claimed: ClaimedTurn, signal: AbortSignal): Promise<PreparedTurn> {
    const ports = this.#ports;
    const { limits, profiles } = this.#app;
    const { inbound } = claimed;
    const [catalogue, past, where, code] = await Promise.all([
      this.#app.catalogue.current(),
      this.#past.read(inbound, claimed.ordinal),
      this.#whereOf(inbound),
      ports.code?.means(),
    ]);
    const { state, offer } = await ports.offers.read(inbound.namespace, catalogue);
    const agents: AppDeps["profiles"] = [...profiles, ...agentsHere(offer, profiles)];
    const asked = await askedIn({ catalogue: this.#app.catalogue, offers: ports.offers }, inbound);
    const place = { namespace: inbound.namespace, thread: inbound.thread };
    const who = { author: inbound.author, place, cause: inbound.cause, catalogue };
    const named = agentFor(agents, claimed, state);
    const { skill } = named.profile;
    const isRefused = skill !== undefined && (await rightRefusal({ turn: who, ports }, { skill_id: skill }));
    const { profile, direct } = isRefused ? agentFor(profiles, claimed, state) : named;
    const asker = { ...who, profile };
    const refusals = await Promise.all(asked.skills.map((id) => notForTurn(asker, ports, id)));
    const turn: Turn = {
      ...asker,
      direct,
      turn_id: claimed.turn_id,
      text: asked.text,
      asked: asked.skills.filter((_, at) => refusals[at] === undefined),
      message: inbound.origin?.message,
      mentions: inbound.origin?.mentions,
      looking_at: inbound.origin?.looking_at,
      said_at: inbound.origin?.said_at ?? claimed.events[0]?.at ?? ports.clock.now(),
      where: code?.ok === false ? withoutCode(where, code.reason) : where,
      code: code?.ok === true ? code : undefined,
      profiles: agents,
      events: claimed.events,
      // What it needs to know is in its task.
      past: inbound.cause?.background === undefined ? past : { ...past, steps: [], intact: true },
      deadline: this.deadlineOf(claimed),
      detailed_errors: inbound.origin === undefined && inbound.author.trust === "operator",
      // The bot asks only where people can see a question that comes after their message.
      limits: inbound.origin === undefined ? { ...limits, away_ask_ms: 0 } : limits,
      signal,
      link: this.#linkOf(claimed),
    };
    return { turn, state, offer };
  }

  async #steering(turnId: string): Promise<Awaited<ReturnType<TurnLink["steering"]>>> {
    const { log } = this.#app;
    const said = await withoutStopped(log, await log.steering(turnId));
    // A skill requested by command needs a turn of its own.
    const end = said.findIndex(({ inbound }) => inbound.guide !== undefined);
    return said.slice(0, end < 0 ? undefined : end).map(({ turn_id, inbound }) => ({
      turn_id,
      author: inbound.author,
      said_at: inbound.origin?.said_at ?? this.#ports.clock.now(),
      text: inbound.text,
      has_files: [...(inbound.origin?.files ?? []), ...(inbound.files ?? [])].length > 0,
    }));
  }
}

/**
 * How long a turn has worked, ms, counted from its first event. The time between the last event before an
 * interruption and the next event counts as downtime and is left out, and so is the time that the turn waited.
 */
export function timeSpent(events: readonly TurnEvent[]): number {
  const began = events.findIndex((event) => event.type === "turn_started");
  if (began < 0) return 0;
  return events.slice(began).reduce((spent, event, index) => {
    const next = events[began + index + 1];
    const isWork = event.type !== "turn_waiting" && next !== undefined && next.type !== "turn_resumed";
    return isWork ? spent + Math.max(0, next.at - event.at) : spent;
  }, 0);
}

/** Tells the agent why it cannot run code, so that it can say so when somebody wants something computed. */
function withoutCode(where: WhereText, reason: string): WhereText {
  return { ...where, cannot: `${where.cannot}, run code (${reason})` };
}

/** The request of a message: its text, and the skills it names. */
async function askedIn(
  known: KnownSkills,
  inbound: Inbound,
): Promise<{ text: string; skills: readonly string[] }> {
  const { kind, text, namespace } = inbound;
  if (kind === "command" || inbound.cause !== undefined) return { text, skills: [] };
  const wanted = inbound.guide;
  // The guide may have become unusable since.
  const guide = wanted === undefined ? undefined : await askedGuide(known, wanted, namespace);
  if (guide !== undefined) return { text: guide.request, skills: [guide.skill] };
  return { text, skills: await skillsNamed(known, text, namespace) };
}

/** Why a skill named by a person is not used: the person or the agent may not use it. */
async function notForTurn(
  turn: Pick<Turn, "author" | "place" | "cause" | "profile" | "catalogue">,
  ports: TurnPorts,
  id: string,
): Promise<string | undefined> {
  const refusal = await rightRefusal({ turn, ports }, { skill_id: id });
  const skill = turn.catalogue.skills.get(id);
  return refusal ?? (skill === undefined ? undefined : notForAgent(skill, turn.profile));
}

/** Why `/skill run` of a guide does not start: the guide can no longer be used here, or there is no model to follow it. */
async function noGuide(
  turn: Turn,
  ports: TurnPorts,
  guide: Guide | undefined,
  model: Model,
): Promise<NoStart | undefined> {
  if (guide === undefined || turn.events.some((event) => event.type === "turn_started")) return undefined;
  const more = `\`/skill info ${guide.skill}\``;
  if (turn.asked?.length === 0) {
    const refusal = await notForTurn(turn, ports, guide.skill);
    const gone = `The skill ${guide.skill} can no longer be used here, so nothing was done. ${more} says why.`;
    return { code: "not_usable", text: refusal === undefined ? gone : `${refusal} Nothing was done.` };
  }
  if (model.generative) return undefined;
  const text = `**${guide.skill}** is a guide that a language model follows, and no model is configured, so nothing was done. Start the bot with a key, for example \`ANTHROPIC_API_KEY=… npm start\`, and run it again. ${more} shows the guide.`;
  return { code: "not_configured", text };
}

/** Drops messages that were stopped or deleted while they waited: the running turn must not see them either. */
async function withoutStopped<T extends { turn_id: string }>(
  log: Pick<TurnLog, "signals">,
  queued: readonly T[],
): Promise<T[]> {
  const signals = await Promise.all(queued.map(({ turn_id }) => log.signals(turn_id)));
  return queued.filter((_, at) => !signals[at]?.some((signal) => signal.type === "stop"));
}

/** The agent that began the turn, or the one its message names, which answers directly, or the default of its channel. */
function agentFor(
  profiles: AppDeps["profiles"],
  { events, inbound }: ClaimedTurn,
  { settings }: NamespaceState,
): Pick<Turn, "profile" | "direct"> {
  const { background } = inbound.cause ?? {};
  if (background !== undefined) {
    const profile = helper(profileNamed(profiles, background.to), { black_tool_actions: background.denied });
    // A message in the thread goes to the agent of the thread, so nobody could answer a question.
    return { profile: { ...profile, tools: profile.tools?.filter((tool) => tool !== "hitl") }, direct: true };
  }
  const own = profileNamed(profiles, settings.profile);
  // A command starts without an agent.
  if (inbound.kind === "command") return { profile: own };
  const started = events.find((event) => event.type === "turn_started");
  if (started !== undefined)
    return { profile: profileNamed(profiles, started.profile), direct: started.direct };
  const named = agentNamedIn(inbound.text, profiles);
  return named === undefined || named.id === own.id ? { profile: own } : { profile: named, direct: true };
}
