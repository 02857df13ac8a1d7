/** What the app answers, in the shapes of the API. */
import type { z } from "@hono/zod-openapi";
import type { TurnWithEvents } from "../app/app.ts";
import { presentTurn } from "../app/operations/turn-view.ts";
import type { NamespaceState } from "../core/namespace-state.ts";
import type { Preview } from "../core/preview.ts";
import type * as namespaces from "./namespace-schemas.ts";
import type * as schemas from "./schemas.ts";

export function presentWithEvents({
  turn,
  events,
}: TurnWithEvents): z.output<typeof schemas.threadView>["turns"][number] {
  return { turn: presentTurn(turn), events };
}

export function presentNamespace(
  namespace: string,
  state: NamespaceState,
): z.output<typeof namespaces.namespaceView> {
  return {
    namespace,
    active: [],
    pinned: Object.keys(state.pinned),
    blocked: Object.keys(state.blocked),
    settings: state.settings,
  };
}

/** Of messages, what can be read. */
export function presentPrompt({
  system,
  tools,
  messages,
  tokens,
}: Preview): z.output<typeof schemas.promptView> {
  const shown = messages?.map(({ role, text }) => ({ role, text }));
  return { system, tools: [...tools], tokens, ...(shown === undefined ? {} : { messages: shown }) };
}
