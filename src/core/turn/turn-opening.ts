import { Slots } from "../../base/slots.ts";
import {
  extendTranscript,
  type Opening,
  openTranscript,
  type Transcript,
  type TranscriptStep,
} from "../log/transcript.ts";
import type { Emit, TurnEventBody } from "../log/turn-event.ts";
import { applyEvent, createTurnState } from "../log/turn-state.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import { createDuplicateGuard, type MetaTool, type OwnTool, type TurnScope } from "../scope/turn-scope.ts";
import type { NamespaceOffer } from "../skill/make-offer.ts";
import { createStepReader } from "../transcript/transcript-steps.ts";
import { createSeenAddresses, type SeenAddresses, see, seenInMessages } from "../values/address.ts";
import type { Json } from "../values/json.ts";
import { runToolCall } from "./tool-call.ts";
import { threadOffer } from "./toolset.ts";

/**
 * Builds a turn's scope from its log: state, transcript, and the current namespace and offer. `record` gets every event the turn emits,
 * with secrets removed.
 */
export async function openScope(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  record: Emit,
): Promise<TurnScope> {
  const offers = await ports.offers.read(turn.place.namespace, turn.catalogue);
  const state = createTurnState();
  const seen = createSeen();
  const openings = await readOpenings(ports, [
    ...namesIn(turn.past.steps),
    ...turn.events.flatMap(openingIn),
  ]);
  const conversation = followConversation({ turn, ports, state, openings, seen });
  const apply = (event: TurnEventBody, at: number) => {
    applyEvent(state, event, at);
    conversation.follow(event, at);
  };
  for (const step of turn.past.steps) conversation.take(step, seen.thread);
  for (const event of turn.events) apply(event, event.at);
  const shared = {
    metaTools,
    runs: new Slots(maxRuns),
    calls: new Slots(turn.limits.max_concurrent),
    going: new Set<Promise<unknown>>(),
  };
  return assembleScope({ turn, ports, state, seen, shared, offers, conversation }, (body) => {
    // Events that add no text to a transcript are redacted where they are stored and shown.
    const event = untold.has(body.type) ? body : ports.redact(body);
    apply(event, ports.clock.now());
    return record(event);
  });
}

/** Addresses seen before a turn, and in it. */
export function createSeen(): TurnScope["seen"] {
  return { thread: createSeenAddresses(), turn: createSeenAddresses() };
}

/** Maximum sub-runs of a turn at the same time, and of a thread in the background. */
export const maxRuns = 3;

/** The transcript of a turn or sub-run, as its events make it grow. */
interface Conversation {
  readonly openings: Map<string, Opening>;
  transcript(): Transcript | undefined;
  /** Takes over what an event says. Events have to be passed in order. */
  follow(event: TurnEventBody, at: number): void;
  take(step: TranscriptStep, into: SeenAddresses): void;
}

export function followConversation({
  turn,
  ports,
  state,
  openings,
  seen,
}: Pick<TurnScope, "turn" | "ports" | "state" | "seen"> & { openings: Map<string, Opening> }): Conversation {
  const steps = createStepReader(turn.turn_id, state.run);
  let transcript: Transcript | undefined;
  const take: Conversation["take"] = (step, into) => {
    if (step.kind === "seen") see(into, step.seen);
    else if (step.kind === "open") {
      seen.thread = createSeenAddresses();
      see(seen.thread, step.with.seen ?? seenInMessages(step.with.messages));
      const opening = openings.get(step.with.opening);
      transcript = opening === undefined ? undefined : openTranscript(opening, step.with, ports.countTokens);
    } else if (transcript !== undefined) extendTranscript(transcript, step);
  };
  return {
    openings,
    transcript: () => transcript,
    take,
    follow(event, at) {
      if (event.type === "user_message") state.own_from = transcript?.messages.length ?? 0;
      for (const step of steps(event, at)) {
        if (transcript === undefined && step.kind === "message") state.untold.push(step.message);
        take(step, seen.turn);
      }
      if (event.type === "transcript_opened")
        state.own_from = (transcript?.messages.length ?? event.own) - event.own;
    },
  };
}

/** @param emit records an event and follows it */
export function assembleScope(
  parts: Pick<TurnScope, "turn" | "ports" | "state" | "seen" | "shared" | "parent"> & {
    offers: NamespaceOffer;
    conversation: Conversation;
  },
  emit: TurnScope["emit"],
): TurnScope {
  const { offers, conversation, ...rest } = parts;
  const { turn, ports, shared, parent } = rest;
  const { openings } = conversation;
  const scope: TurnScope = {
    ...rest,
    guard: parent?.guard ?? createDuplicateGuard(),
    ...ownTools(shared.metaTools, turn, ports, () => scope),
    get transcript() {
      return conversation.transcript();
    },
    loaded: new WeakMap(),
    namespace: offers.state,
    namespaceOffer: offers.offer,
    offer: offers.offer,
    emit(event) {
      const recorded = emit(event);
      // At once, so that concurrent calls see it.
      if (changesOffer.has(event.type)) scope.offer = threadOffer(scope);
      return recorded;
    },
    async open(opening, how) {
      // One object for all threads with the same opening: model adapters convert each object only once.
      const [name, shared] = await ports.openings.put(opening);
      openings.set(name, shared);
      await scope.emit({ type: "transcript_opened", opening: name, ...how });
    },
    runCall: (request) => runToolCall(scope, request),
  };
  scope.offer = threadOffer(scope);
  return scope;
}

/** Events that change the thread's skills. */
const changesOffer: ReadonlySet<TurnEventBody["type"]> = new Set([
  "skill_activated",
  "skill_offloaded",
  "handoff",
]);

/** Frequent events that add no text to a transcript. */
const untold: ReadonlySet<TurnEventBody["type"]> = new Set([
  "text_delta",
  "text_reset",
  "round_started",
  "usage",
  "stage",
  "tool_progress",
]);

/** The stored openings with these names. */
export async function readOpenings(
  ports: Pick<TurnPorts, "openings">,
  names: readonly string[],
): Promise<Map<string, Opening>> {
  const openings = new Map<string, Opening>();
  for (const name of names) {
    const opening = await ports.openings.get(name);
    if (opening !== undefined) openings.set(name, opening);
  }
  return openings;
}

function namesIn(steps: readonly TranscriptStep[]): string[] {
  return steps.flatMap((step) => (step.kind === "open" ? step.with.opening : []));
}

/** The opening of the transcript that an event opens. */
export function openingIn(event: TurnEventBody): string[] {
  return event.type === "transcript_opened" ? [event.opening] : [];
}

/** The agent's own tools, bound to the running turn. */
function ownTools(
  metaTools: readonly MetaTool[],
  turn: Turn,
  ports: TurnPorts,
  scope: () => TurnScope,
): Pick<TurnScope, "ownTools" | "ownDefinitions"> {
  const offered = metaTools.filter((tool) => tool.offered(turn, ports));
  const tools = offered.map(
    (own): OwnTool => ({
      ...own,
      approval: (input: Json) => own.approval?.(input, scope()),
      runsCodeOf: (input: Json) => own.runsCodeOf?.(input, scope()),
      run: (input, context) => {
        const call = { id: context.call_id, name: own.name, arguments: "" };
        const reached = { add: context.network.reached };
        return own.run(input, context, scope(), { call, depth: 0, reached });
      },
    }),
  );
  return {
    ownTools: new Map(tools.map((tool) => [tool.name, tool])),
    ownDefinitions: offered.map(({ name, description, parameters, describe }) => ({
      name,
      description: describe?.(turn) ?? description,
      parameters,
    })),
  };
}
