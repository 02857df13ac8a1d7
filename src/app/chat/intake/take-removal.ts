import type { Place } from "../../../core/place.ts";
import type { IntakeContext } from "./intake-context.ts";
import type { LateMessages } from "./late-messages.ts";
import { otherTurnsOf } from "./message-turns.ts";
import { takeBack } from "./take-back.ts";

/**
 * A message is gone, and its answers with it, those to its edits too: deleting what one asked has the right of who asked. Resolves
 * once its turns are stopped.
 */
export async function takeRemoval(
  context: IntakeContext,
  late: LateMessages,
  { key, place }: { key: string; place: Place },
): Promise<void> {
  const { log, logger } = context;
  const turnId = await log.find(key);
  if (turnId === undefined) return late.drop(key, place);
  const turn = await log.get(turnId);
  if (turn === undefined || turn.namespace !== place.namespace) return;
  await late.drop(key, { namespace: turn.namespace, thread: turn.thread });
  for (const each of [turn, ...(await otherTurnsOf(log, turn))]) {
    await takeBack(context, each, each.author, async (reason) => {
      logger.warn({ turn_id: each.turn_id, reason }, "The answer to a deleted message could not be deleted");
    });
  }
}
