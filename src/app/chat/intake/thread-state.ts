import { z } from "zod";
import type { ChatMessage } from "../chat-intake.ts";

export const threadStateSchema = z.object({
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
export function afterMessage(
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
