import type { CacheWish, Model, ModelEvent, ModelRequest } from "../../../src/core/ports/model.ts";
import type { Message } from "../../../src/core/values/message.ts";

/** Requests of a transcript are kept for some minutes. */
export const brief: CacheWish = { key: "channel", tools: "short", instructions: "short" };

/** A request of one user message, changed as told. */
export function requestOf(text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", text }];
  return { system: "Be brief.", messages, tools: [], signal: new AbortController().signal, ...changes };
}

/** A request of a turn: what it begins with is sent again. */
export function turnRequest(text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return requestOf(text, { cache: brief, ...changes });
}

export type Finished = Extract<ModelEvent, { type: "finished" }>;

/** All events of an answer, and what it threw. */
export async function collect(model: Model, request: ModelRequest) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

/** The finished event, after which nothing is read, as in a turn. @throws what the model threw. */
export async function finish(model: Model, request: ModelRequest): Promise<Finished> {
  for await (const event of model.stream(request)) if (event.type === "finished") return event;
  throw new Error("The answer did not finish.");
}

/** What a reader sees at the end: text since the last reset. */
export function shownText(events: readonly ModelEvent[]): string {
  return events.reduce(
    (shown, event) => (event.type === "text" ? shown + event.text : event.type === "reset" ? "" : shown),
    "",
  );
}
