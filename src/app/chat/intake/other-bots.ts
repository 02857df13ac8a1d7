import { type BotMode, settingsOf } from "../../../core/skill/namespace-state.ts";
import type { ChatMessage } from "../chat-intake.ts";
import type { ChatPolicy } from "../chat-policy.ts";
import type { IntakeContext } from "./intake-context.ts";
import type { ThreadState } from "./thread-states.ts";

/** Maximum consecutive turns that bots may start in one thread: two bots would otherwise talk forever. */
const maxTurnsInARow = 3;

/** Maximum turns that one bot may start in a channel within `hourMs`, in whatever threads. */
const maxTurnsAnHour = 20;
const hourMs = 3_600_000;

/** Whether the operator lets channels answer a bot. */
export function mayAnswerBot({ bots }: Pick<ChatPolicy["access"], "bots">, id: string): boolean {
  return bots.includes(id) || bots.includes("*");
}

/** Whether a message of another bot is treated like those of people. */
export async function isBotHeard(
  { policy: { access }, store }: IntakeContext,
  { author, place, addressed }: ChatMessage,
): Promise<boolean> {
  if (!mayAnswerBot(access, author)) return false;
  const byDefault: BotMode = access.bots.includes(author) ? "people" : "ignore";
  const { bots = byDefault } = await settingsOf(store, place.namespace);
  return bots === "people" || (bots === "mention" && addressed !== "none");
}

/** Whether bots have already started so many turns, in the thread or in the channel, that they may be answering each other. */
export async function isBotLoop(
  { log, clock }: IntakeContext,
  { author, place: { namespace } }: ChatMessage,
  thread: ThreadState | undefined,
): Promise<boolean> {
  if ((thread?.bot_turns ?? 0) >= maxTurnsInARow) return true;
  const latest = await log.list({ namespace, author, limit: maxTurnsAnHour });
  const [oldest] = latest.slice(maxTurnsAnHour - 1);
  return oldest !== undefined && clock.now() - oldest.accepted_at < hourMs;
}
