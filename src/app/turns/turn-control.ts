import type { TurnReading, TurnRecord, TurnSignals } from "../../core/log/turn-log.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Place } from "../../core/values/place.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** How people act on a turn in progress. */
export interface TurnControl {
  /** Also stops what the turn began in the background. False when it is unknown or finished. @param by a user's id */
  stop(turnId: string, by: string): Promise<boolean>;
  /** False when the question is no longer open. @param by a user's id */
  answer(turnId: string, questionId: string, text: string, by: string): Promise<boolean>;
}

export function createTurnControl(
  log: TurnSignals & TurnReading,
  clock: Pick<Clock, "now">,
  dispatcher: Pick<Dispatcher, "abort" | "wake">,
): TurnControl {
  return {
    async stop(turnId, by) {
      const stop = async (id: string) => {
        const known = await log.signal(id, { type: "stop", by }, clock.now());
        dispatcher.abort(id);
        return known;
      };
      const known = await stop(turnId);
      const turn = await log.get(turnId);
      const working = turn === undefined ? [] : await workingIn(log, turn);
      for (const { turn_id, begun_by } of working) if (begun_by === turnId) await stop(turn_id);
      dispatcher.wake();
      return known;
    },
    async answer(turnId, question_id, text, by) {
      const known = await log.signal(turnId, { type: "answer", question_id, text, by }, clock.now());
      dispatcher.wake();
      return known;
    },
  };
}

/** Latest turns of a thread among which those at work are looked for. */
const maxLooked = 200;

/** The turns of a thread that work in the background, with the turns that began them. */
export async function workingIn(
  log: TurnReading,
  { namespace, thread }: Place,
): Promise<(TurnRecord & { begun_by: string })[]> {
  const turns = await log.list({ namespace, thread, limit: maxLooked });
  const open = turns.filter(({ status, kind }) => status !== "finished" && kind === "message");
  const all = await Promise.all(
    open.map(async (turn) => {
      const [entry] = await log.read(turn.turn_id);
      const { kind, id = "" } = (entry?.type === "inbound" ? entry.inbound.cause : undefined) ?? {};
      return kind === "handoff" ? [{ ...turn, begun_by: id }] : [];
    }),
  );
  return all.flat();
}
