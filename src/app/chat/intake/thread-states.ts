import { LRUCache } from "lru-cache";
import type { KeyValue } from "../../../core/key-value.ts";
import type { Place } from "../../../core/place.ts";
import { afterMessage, type Spoken, type ThreadState, threadStateSchema } from "./thread-state.ts";

/** The threads the bot takes part in. Reading one again costs no access to the store. */
export interface ThreadStates {
  /** Undefined where the bot was never called. @throws when the store cannot be read */
  of(place: Place): Promise<ThreadState | undefined>;
  /** Takes a message into account and answers the state after it. Writes only what changes. */
  note(place: Place, spoken: Spoken, taken: boolean): Promise<ThreadState | undefined>;
  /** Says whether somebody other than the asker is there, where that was unknown. */
  settle(place: Place, company: "alone" | "company"): Promise<void>;
}

/** Threads kept in memory, those without a state among them. */
const remembered = 5_000;

const keyOf = ({ namespace, thread }: Place) => `chat-thread:${namespace}:${thread}`;

export function createThreadStates(store: KeyValue): ThreadStates {
  /** Promises, so that who asks during a change gets what it leads to. */
  const known = new LRUCache<string, Promise<ThreadState | undefined>>({ max: remembered });

  const remember = (key: string, work: Promise<ThreadState | undefined>) => {
    known.set(key, work);
    work.catch(() => {
      if (known.get(key) === work) known.delete(key);
    });
    return work;
  };
  const of = (place: Place) => {
    const key = keyOf(place);
    return known.get(key) ?? remember(key, store.get(key).then(parse));
  };
  const update = (place: Place, change: (state: ThreadState | undefined) => ThreadState) => {
    const key = keyOf(place);
    return remember(key, store.update<ThreadState>(key, (value) => change(parse(value))).then(parse));
  };

  return {
    of,
    async note(place, spoken, taken) {
      const before = await of(place);
      const after = afterMessage(before, spoken, taken);
      if (after === undefined || after === before) return after;
      return update(place, (state) => afterMessage(state, spoken, taken) ?? after);
    },
    async settle(place, company) {
      const state = await of(place);
      if (state?.company !== "unknown") return;
      await update(place, (now = state) => (now.company === "unknown" ? { ...now, company } : now));
    },
  };
}

function parse(value: unknown): ThreadState | undefined {
  return value === undefined ? undefined : threadStateSchema.parse(value);
}
