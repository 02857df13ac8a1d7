import { z } from "zod";
import type { KeyValue } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ChatMessage } from "../chat-intake.ts";

const threadStateSchema = z.object({
  /** The person who first called the bot into the thread. */
  asker: z.string(),
  /** Whether people other than the asker are in the thread; `unknown` until the thread is read, and then treated as company. */
  company: z.enum(["unknown", "alone", "company"]),
  /** Consecutive turns started by bots, without a person in between. */
  bot_turns: z.number(),
});
/** The recorded state of a thread that the bot was called into. */
export type ThreadState = z.infer<typeof threadStateSchema>;

/** The properties of a message that affect its thread. */
export type Spoken = Pick<ChatMessage, "author" | "by_bot" | "mentions_others" | "in_thread">;

/**
 * The state after one more message; the same object when nothing changes. `taken` says that the bot answers the message. A thread
 * that the bot was never called into has no state.
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

/** The threads the bot takes part in. */
export type ThreadStates = ReturnType<typeof createThreadStates>;

const keyOf = ({ namespace, thread }: Place) => `chat-thread:${namespace}:${thread}`;

export function createThreadStates(store: KeyValue) {
  const of = async (place: Place) => parse(await store.get(keyOf(place)));
  const update = async (place: Place, change: (state: ThreadState | undefined) => ThreadState) =>
    parse(await store.update<ThreadState>(keyOf(place), (value) => change(parse(value))));

  return {
    /** The state of a thread; undefined where the bot was never called. @throws when the store cannot be read */
    of,
    /** Applies a message and returns the state after it. Writes only changes. */
    async note(place: Place, spoken: Spoken, taken: boolean): Promise<ThreadState | undefined> {
      const before = await of(place);
      const after = afterMessage(before, spoken, taken);
      if (after === undefined || after === before) return after;
      return update(place, (state) => afterMessage(state, spoken, taken) ?? after);
    },
    /** Sets whether somebody other than the asker is there, where that was unknown. */
    async settle(place: Place, company: "alone" | "company"): Promise<void> {
      const state = await of(place);
      if (state?.company !== "unknown") return;
      await update(place, (now = state) => (now.company === "unknown" ? { ...now, company } : now));
    },
  };
}

function parse(value: unknown): ThreadState | undefined {
  return value === undefined ? undefined : threadStateSchema.parse(value);
}
