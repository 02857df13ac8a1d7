/** What the app answers, in the shapes of the API. */
import type { z } from "@hono/zod-openapi";
import type { TurnWithEvents } from "../app/app.ts";
import type { Author } from "../core/inbound.ts";
import type { NamespaceState } from "../core/namespace-state.ts";
import type { TurnRecord } from "../core/turn-log.ts";
import type * as namespaces from "./namespace-schemas.ts";
import type * as schemas from "./schemas.ts";

export function presentTurn(record: TurnRecord): z.output<typeof schemas.turnRecord> {
  const { text, answer, author, input_tokens, output_tokens, cost_usd, ...rest } = record;
  return {
    ...rest,
    author: { id: author.id, name: author.name },
    question: text,
    text: answer,
    usage: { input_tokens, output_tokens, cost_usd },
  };
}

export function presentWithEvents({
  turn,
  events,
}: TurnWithEvents): z.output<typeof schemas.threadView>["turns"][number] {
  return { turn: presentTurn(turn), events: events.map((event) => ({ ...event })) };
}

export function presentNamespace(
  namespace: string,
  state: NamespaceState,
): z.output<typeof namespaces.namespaceView> {
  return {
    namespace,
    active: Object.keys(state.active),
    pinned: Object.keys(state.pinned),
    blocked: Object.keys(state.blocked),
    settings: state.settings,
  };
}

/**
 * Who calls. Whoever may use the API is trusted as operator: without a token everybody at this machine, with one
 * everybody who holds it. `user` is only the name they go by.
 */
export function operatorNamed(user: string, operator: string): Author {
  return { id: user, name: user === "operator" ? operator : user, trust: "operator" };
}
