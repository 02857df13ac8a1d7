import type { TurnLog, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Place } from "../../core/values/place.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** How people act on a turn in progress. */
export class TurnControl {
  readonly #log: TurnLog;
  readonly #clock: Pick<Clock, "now">;
  readonly #dispatcher: Pick<Dispatcher, "abort" | "wake">;

  constructor(log: TurnLog, clock: Pick<Clock, "now">, dispatcher: Pick<Dispatcher, "abort" | "wake">) {
    this.#log = log;
    this.#clock = clock;
    this.#dispatcher = dispatcher;
  }

  /** Also stops what the turn began in the background. False when it is unknown or finished. @param by a user's id */
  async stop(turnId: string, by: string): Promise<boolean> {
    const isKnown = await this.#stopOne(turnId, by);
    const turn = await this.#log.get(turnId);
    const working = turn === undefined ? [] : await workingIn(this.#log, turn);
    for (const { turn_id, begun_by } of working) if (begun_by === turnId) await this.#stopOne(turn_id, by);
    this.#dispatcher.wake();
    return isKnown;
  }

  /** False when the question is no longer open. @param by a user's id */
  async answer(turnId: string, question_id: string, text: string, by: string): Promise<boolean> {
    const answer = { type: "answer", question_id, text, by } as const;
    const isKnown = await this.#log.signal(turnId, answer, this.#clock.now());
    this.#dispatcher.wake();
    return isKnown;
  }

  async #stopOne(turnId: string, by: string): Promise<boolean> {
    const isKnown = await this.#log.signal(turnId, { type: "stop", by }, this.#clock.now());
    this.#dispatcher.abort(turnId);
    return isKnown;
  }
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
