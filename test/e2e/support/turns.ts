import { expect } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";

/** Maximum wait for anything that should happen, ms: a hanging bot fails a test with its name, not the whole run. */
const patienceMs = 30_000;

/** The first event of a turn of this kind that fits, as it is streamed. */
export async function until<T extends TurnEvent["type"]>(
  client: ApiClient,
  turnId: string,
  type: T,
  fits: (event: TurnEventOf<T>) => boolean = () => true,
): Promise<TurnEventOf<T>> {
  for await (const event of client.turnEvents(turnId, { signal: AbortSignal.timeout(patienceMs) })) {
    if (event.type === type && fits(event as TurnEventOf<T>)) return event as TurnEventOf<T>;
  }
  throw new Error(`${type} did not come in turn ${turnId}`);
}

/** The end of a turn; waits for it. */
export function ended(client: ApiClient, turnId: string): Promise<TurnEventOf<"turn_finished">> {
  return until(client, turnId, "turn_finished");
}

/** The stored events of a turn. */
export async function stored(client: ApiClient, turnId: string): Promise<TurnEvent[]> {
  return (await client.call("run.show", { id: turnId })).events;
}

export function eventsOf<T extends TurnEvent["type"]>(
  events: readonly TurnEvent[],
  type: T,
): TurnEventOf<T>[] {
  return events.filter((event) => event.type === type) as TurnEventOf<T>[];
}

/**
 * What holds for every finished turn, however often it was interrupted: it ends once and last, every tool that started
 * finished once, and numbers rise.
 */
export function expectWholeTurn(events: readonly TurnEvent[]): void {
  expect(eventsOf(events, "turn_finished")).toHaveLength(1);
  expect(events.at(-1)?.type).toBe("turn_finished");
  const started = eventsOf(events, "tool_started").map((event) => event.call_id);
  const finished = eventsOf(events, "tool_finished").map((event) => event.call_id);
  expect(new Set(started).size).toBe(started.length);
  expect(finished.toSorted()).toEqual(started.toSorted());
  const numbers = events.map((event) => event.seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
}
