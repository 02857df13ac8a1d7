import { expect } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";
import { within } from "../../support/follow.ts";

/** Maximum wait for anything that should happen, ms: a hanging bot fails a test with its name, not the whole run. */
const patienceMs = 30_000;

/** The first event of a turn of this kind that fits, as it is streamed. */
export async function until<T extends TurnEvent["type"]>(
  client: ApiClient,
  turnId: string,
  type: T,
  fits: (event: TurnEventOf<T>) => boolean = () => true,
): Promise<TurnEventOf<T>> {
  let last: TurnEvent | undefined;
  for await (const event of client.turnEvents(turnId, { signal: AbortSignal.timeout(patienceMs) })) {
    if (event.type === type && fits(event as TurnEventOf<T>)) return event as TurnEventOf<T>;
    last = event;
  }
  throw new Error(`${type} did not come in turn ${turnId}, whose last event is ${JSON.stringify(last)}`);
}

/** The end of a turn; waits for it. */
export function ended(client: ApiClient, turnId: string): Promise<TurnEventOf<"turn_finished">> {
  return until(client, turnId, "turn_finished");
}

/** The ends of the turns in a thread, oldest first, once there are so many and all of them have ended. */
export function endsIn(
  client: ApiClient,
  place: { ns: string; thread: string },
  count: number,
): Promise<TurnEventOf<"turn_finished">[]> {
  const what = `${count} turns in ${place.ns} ${place.thread}`;
  return within(
    what,
    async (signal) => {
      const opened = Promise.withResolvers<void>();
      const items = client.watchNamespace(place.ns, signal, () => opened.resolve())[Symbol.asyncIterator]();
      // A turn that begins between the look at the thread and the watch would be missed.
      let next = items.next();
      await opened.promise;
      while (!signal.aborted) {
        const { turns } = await client.call("thread.show", place);
        const ends = await Promise.all(turns.map(({ turn }) => ended(client, turn.turn_id)));
        if (ends.length >= count) return ends;
        await next;
        next = items.next();
      }
      throw new Error(`There were not ${what}`);
    },
    2 * patienceMs,
  );
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
