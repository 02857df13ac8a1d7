/** What the app answers, in the shapes of the API. */
import type { z } from "@hono/zod-openapi";
import type { TurnWithEvents } from "../app/app.ts";
import type { NamespaceState } from "../core/namespace-state.ts";
import type { Preview } from "../core/preview.ts";
import type { TurnRecord } from "../core/turn-log.ts";
import type * as namespaces from "./namespace-schemas.ts";
import type * as schemas from "./schemas.ts";
import type * as turns from "./turn-schemas.ts";

export function presentTurn(record: TurnRecord): z.output<typeof turns.turnRecord> {
  const { text, answer, author, input_tokens, cached_tokens, cache_write_tokens, ...more } = record;
  const { output_tokens, cost_usd, unpriced_tokens, ...rest } = more;
  return {
    ...rest,
    author: { id: author.id, name: author.name },
    question: text,
    text: answer,
    usage: { input_tokens, cached_tokens, cache_write_tokens, output_tokens, cost_usd, unpriced_tokens },
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
