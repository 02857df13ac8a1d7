import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { KeyValue } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ChatMessage } from "../chat-intake.ts";

const threadStateSchema = z.object({
  /** Who called the bot into the thread first. */
  asker: z.string(),
  /** Whether people other than the asker are in the thread; `unknown` until it was read, and treated as company. */
  company: z.enum(["unknown", "alone", "company"]),
  /** Turns in a row that bots asked for, without a person in between. */
  bot_turns: z.number(),
});
/** What the bot remembers of a thread it was called into. */
export type ThreadState = z.infer<typeof threadStateSchema>;

/** What of a message changes its thread. */
export type Spoken = Pick<ChatMessage, "author" | "by_bot" | "mentions_others" | "in_thread">;

/**
 * The state after one more message; the very same object when it changes nothing. `taken` says that the bot answers it. A
 * thread into which the bot was never called has no state.
 */
function afterMessage(
  state: ThreadState | undefined,
  spoken: Spoken,
  taken: boolean,
): ThreadState | undefined {
  if (state === undefined) return taken ? begun(spoken) : undefined;
  const joined = spoken.mentions_others || (!spoken.by_bot && spoken.author !== state.asker);
  const company = joined ? "company" : state.company;
  const botTurns = spoken.by_bot ? state.bot_turns + Number(taken) : 0;
  if (company === state.company && botTurns === state.bot_turns) return state;
  return { ...state, company, bot_turns: botTurns };
}

function begun({ author, by_bot, mentions_others, in_thread }: Spoken): ThreadState {
  const alone = in_thread ? "unknown" : "alone";
  return { asker: author, company: mentions_others ? "company" : alone, bot_turns: Number(by_bot) };
}

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
