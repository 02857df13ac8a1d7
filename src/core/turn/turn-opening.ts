import { Slots } from "../../base/slots.ts";
import type { Opening } from "../log/transcript.ts";
import { type Emit, type TurnEventBody, unwrapped } from "../log/turn-event.ts";
import { TurnState } from "../log/turn-state.ts";
import { DuplicateGuard } from "../scope/duplicate-guard.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { MetaTool, OwnTool, TurnScope } from "../scope/turn-scope.ts";
import type { NamespaceOffer } from "../skill/make-offer.ts";
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
  const opened = turn.past.steps.flatMap((step) => (step.kind === "open" ? step.with.opening : []));
  const openings = await readOpenings(ports, [...opened, ...turn.events.map(unwrapped).flatMap(openingIn)]);
  const state = new TurnState(turn.turn_id, ports.countTokens, openings);
  const { conversation } = state;
  for (const step of turn.past.steps) conversation.continueWith(step);
  for (const event of turn.events) state.apply(event, event.at);
  const shared = {
    metaTools,
    runs: new Slots(maxRuns),
    calls: new Slots(turn.limits.max_concurrent),
    going: new Set<Promise<unknown>>(),
  };
  return assembleScope({ turn, ports, state, conversation, shared }, offers, (body) => {
    // Events that add no text to a transcript are redacted where they are stored and shown.
    const event = untold.has(body.type) ? body : ports.redact(body);
    state.apply(event, ports.clock.now());
    return record(event);
  });
}

/** Maximum sub-runs of a turn at the same time, and of a thread in the background. */
export const maxRuns = 3;

/** @param emit records an event and applies it */
export function assembleScope(
  parts: Pick<TurnScope, "turn" | "ports" | "state" | "conversation" | "shared" | "parent">,
  offers: NamespaceOffer,
  emit: TurnScope["emit"],
): TurnScope {
  const { turn, ports, state, conversation, shared, parent } = parts;
  const scope: TurnScope = {
    ...parts,
    seen: state.conversation.seen,
    guard: parent?.guard ?? new DuplicateGuard(),
    ...ownTools(shared.metaTools, turn, ports, () => scope),
    get transcript() {
      return conversation.transcript;
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
      state.openings.set(name, shared);
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

async function readOpenings(
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

/** The opening of the transcript that an event opens. */
function openingIn(event: TurnEventBody): string[] {
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
