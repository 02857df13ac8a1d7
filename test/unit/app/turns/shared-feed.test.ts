import { describe, expect, it } from "vitest";
import type { FeedReader } from "../../../../src/app/turns/feed.ts";
import { SharedFeed } from "../../../../src/app/turns/shared-feed.ts";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { StoredEvents } from "../../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../../src/core/values/inbound.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const namespace = "console:local:general";
const thread = "t1";
const event = (seq: number): TurnEvent => ({
  type: "round_started",
  round: seq,
  turn_id: "a",
  seq,
  at: seq,
});
const delta = (seq: number): TurnEvent => ({ type: "text_delta", text: "hello", turn_id: "a", seq, at: seq });

/** Processes on one database, which the test takes away. */
function createWorld() {
  const clock = createFakeClock();
  const stored: TurnEvent[] = [];
  const watchers = new Set<(told: StoredEvents | undefined) => void>();
  const channels = new Map<string, Set<(text: string) => void>>();
  const logged: string[] = [];
  const note = (_fields: unknown, message?: string) => void logged.push(String(message));
  const database = { isAway: false };
  const reached = () => {
    if (database.isAway) throw new Error("The database cannot be reached");
  };
  const wire = {
    async notify(channel: string, message: string) {
      reached();
      for (const heard of channels.get(channel) ?? []) heard(message);
    },
    async listen(channel: string, heard: (text: string) => void) {
      reached();
      const all = channels.get(channel) ?? new Set();
      channels.set(channel, all.add(heard));
      return async () => void all.delete(heard);
    },
  };
  const calls = {
    async onEvents(_namespace: string, heard: (told: StoredEvents | undefined) => void) {
      reached();
      watchers.add(heard);
      return async () => void watchers.delete(heard);
    },
  };
  return {
    clock,
    database,
    logged,
    process(owner: string) {
      const log = { read: async (_turn: string, after = -1) => stored.filter(({ seq }) => seq > after) };
      const logger = { warn: note, error: note };
      return new SharedFeed({ log, clock, logger, owner }, { calls, wire });
    },
    /** Stores events of a turn that a process runs, and tells it. */
    store(by: string, ...events: TurnEvent[]) {
      stored.push(...events);
      const [from = 0, to = 0] = [events[0]?.seq, events.at(-1)?.seq];
      for (const heard of watchers) heard({ turn_id: "a", thread, from, to, by });
    },
    /** Lets everything happen that needs no time to pass. */
    calm: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** The next events that a watcher gets. */
async function nextOf(items: FeedReader, count: number): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  while (events.length < count) {
    const { value } = await items.next();
    if (value?.kind === "event") events.push(value.event);
  }
  return events;
}

const always = new AbortController().signal;

describe("a feed of several processes", () => {
  it("a watcher who cannot be served while the database is away keeps no later one out", async () => {
    const world = createWorld();
    const feed = world.process("gateway");
    world.database.isAway = true;
    await expect(feed.watch(namespace, always)).rejects.toThrow("cannot be reached");
    world.database.isAway = false;
    const items = await feed.watch(namespace, always);
    world.store("worker", event(1));
    expect(await nextOf(items, 1)).toEqual([event(1)]);
  });

  it("live text reaches watchers elsewhere although the database was away when its process began", async () => {
    const world = createWorld();
    const [worker, gateway] = [world.process("worker"), world.process("gateway")];
    world.database.isAway = true;
    worker.start();
    await world.calm();
    expect(world.logged).toEqual(["The database cannot be listened to; trying again in a moment"]);
    world.database.isAway = false;
    world.clock.advance(5_000);
    await world.calm();
    const items = await gateway.watch(namespace, always);
    worker.publish(namespace, thread, delta(1));
    world.clock.advance(100);
    expect(await nextOf(items, 1)).toEqual([delta(1)]);
  });

  it("a watcher gets an event of which its own process never learned that it was stored, once and in order", async () => {
    const world = createWorld();
    const feed = world.process("bot");
    const items = await feed.watch(namespace, always);
    world.store("bot", event(1));
    feed.publish(namespace, thread, event(1));
    world.store("bot", event(2));
    world.clock.advance(1_000);
    await world.calm();
    world.store("bot", event(3));
    feed.publish(namespace, thread, event(3));
    expect(await nextOf(items, 3)).toEqual([event(1), event(2), event(3)]);
  });

  it("a watcher gets the events of a turn in order when his own process takes it over before it hears of them", async () => {
    const world = createWorld();
    const feed = world.process("bot");
    const items = await feed.watch(namespace, always);
    const author = { id: "ada", name: "Ada", trust: "member" } as const;
    const inbound: Inbound = { key: "a", namespace, thread, kind: "message", text: "hi", author };
    const events = [event(1), event(2)];
    const claimed = { turn_id: "a", lease: "bot:1", inbound, events, ordinal: 1, last_seq: 2, crashes: 0 };
    feed.follow(claimed, { read: async () => [] });
    feed.publish(namespace, thread, event(3));
    world.store("worker", ...events);
    world.store("worker", event(4));
    expect(await nextOf(items, 4)).toEqual([1, 2, 3, 4].map(event));
  });
});
