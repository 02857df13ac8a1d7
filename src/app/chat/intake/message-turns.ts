import type { Origin } from "../../../core/inbound.ts";
import type { TurnReading, TurnRecord } from "../../../core/turn-log.ts";

/** Latest turns of a thread that are looked through for those of one message. */
export const recentTurns = 50;

/** The message on the platform that a turn answers; undefined for turns that came from elsewhere. */
export async function originOf(log: TurnReading, turnId: string): Promise<Origin | undefined> {
  const [first] = await log.read(turnId);
  return first?.type === "inbound" ? first.inbound.origin : undefined;
}

/** The other turns that answer the same message: of its edits, and those that were asked for again. */
export async function otherTurnsOf(log: TurnReading, turn: TurnRecord): Promise<TurnRecord[]> {
  const { namespace, thread, turn_id, author } = turn;
  const message = (await originOf(log, turn_id))?.message;
  if (message === undefined) return [];
  const near = await log.list({ namespace, thread, limit: recentTurns });
  const mine = near.filter(
    (each) => each.turn_id !== turn_id && each.author.id === author.id && each.merged_into === undefined,
  );
  const origins = await Promise.all(mine.map((each) => originOf(log, each.turn_id)));
  return mine.filter((_, at) => origins[at]?.message === message);
}
