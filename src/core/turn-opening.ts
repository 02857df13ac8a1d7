import { createDuplicateGuard } from "./duplicate-guard.ts";
import { fitUserText } from "./message-budget.ts";
import { withAsked } from "./offer.ts";
import { buildSystemPrompt } from "./prompt.ts";
import { runToolCall } from "./tool-call.ts";
import { cutForModel, outputText } from "./tool-output.ts";
import type { Profile, Turn, TurnPorts } from "./turn.ts";
import type { TurnEventBody } from "./turn-event.ts";
import { type MetaTool, noTools, type TurnScope } from "./turn-scope.ts";
import { applyEvent, createTurnState, type RenderResult } from "./turn-state.ts";
import { contextRules, userMessage } from "./user-message.ts";

/** Sets a turn up from its log: state, namespace and offer as they are now. `record` gets every event it emits. */
export async function openScope(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  record: (event: TurnEventBody) => Promise<void>,
): Promise<TurnScope> {
  const { state: namespace, offer } = await ports.offers.read(turn.place.namespace, turn.catalogue);
  const state = createTurnState();
  const guard = createDuplicateGuard();
  const render: RenderResult = (finished) =>
    cutForModel(
      outputText(finished.output),
      outputTokens(turn, finished.tool),
      finished.call_id,
      ports.countTokens,
    );
  const scope: TurnScope = {
    turn,
    ports,
    metaTools,
    state,
    guard,
    namespace,
    namespaceOffer: offer,
    offer: withAsked(offer, turn.asked ?? []),
    toolset: noTools,
    emit(event) {
      applyEvent(state, event, ports.clock.now(), render);
      return record(event);
    },
    runCall: (request) => runToolCall(scope, request),
  };
  state.messages.push(userMessage(fitUserText(turn, ports.countTokens), turn));
  for (const event of turn.events) applyEvent(state, event, event.at, render);
  return scope;
}

/** Never cut: the guide of a skill, which the model works by, and what is bounded by itself. */
const shownWhole = new Set(["activate_skill", "list_skills", "read_tool_output"]);

function outputTokens(turn: Turn, tool: string): number {
  return shownWhole.has(tool) ? Number.POSITIVE_INFINITY : turn.limits.tool_output_tokens;
}

/** The agent that has the turn now. */
export function currentProfile({ turn, state }: TurnScope): Profile {
  return turn.profiles.find((profile) => profile.id === state.profile) ?? turn.profile;
}

/** The system prompt of a turn; the same until a handoff, so that the provider's cache holds over its rounds. */
export async function systemPrompt(scope: TurnScope): Promise<string> {
  const { turn, ports } = scope;
  const pinned = await ports.store.get(`skill:${turn.place.namespace}:memory:pinned`);
  const prompt = buildSystemPrompt({
    name: ports.name,
    profile: currentProfile(scope).prompt,
    others: turn.profiles.filter((profile) => profile.id !== currentProfile(scope).id),
    place: turn.place,
    offer: withoutActivatedNow(scope),
    topic: turn.topic,
    skillsTokens: turn.limits.skills_tokens,
    countTokens: ports.countTokens,
    pinnedFacts: Array.isArray(pinned) ? pinned.filter((fact) => typeof fact === "string") : [],
    summary: turn.summary,
  });
  return [prompt, ...contextRules(turn)].join("\n\n");
}

/** On resume: guides of skills the agent activated in this turn are in its messages already. */
function withoutActivatedNow({ offer, state, turn }: TurnScope): TurnScope["offer"] {
  const isTold = (id: string) => state.activated.has(id) && turn.asked?.includes(id) !== true;
  if (![...state.activated].some(isTold)) return offer;
  return { ...offer, usable: offer.usable.filter((offered) => !isTold(offered.skill.id)) };
}
