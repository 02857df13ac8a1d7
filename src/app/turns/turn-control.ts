import type { Clock } from "../../core/clock.ts";
import type { Author } from "../../core/inbound.ts";
import type { Outcome } from "../../core/outcome.ts";
import { mayStop } from "../../core/permissions.ts";
import type { TurnLog } from "../../core/turn-log.ts";

export interface TurnControlDeps {
  log: Pick<TurnLog, "get" | "signal">;
  clock: Pick<Clock, "now">;
  /** Ends a turn that runs in this process. */
  abort(turnId: string): void;
  /** Lets workers look for turns. */
  wake(): void;
}

/** What people do to a turn that is under way. */
export interface TurnControl {
  stop(turnId: string, by: Author): Promise<Outcome<{ stopped: boolean }>>;
  answer(
    turnId: string,
    questionId: string,
    text: string,
    by: Author,
  ): Promise<Outcome<{ answered: boolean }>>;
  /** Stops it without asking who does. False when it is unknown or finished. */
  stopAnyway(turnId: string, by: string): Promise<boolean>;
}

export function createTurnControl({ log, clock, abort, wake }: TurnControlDeps): TurnControl {
  const stopAnyway = async (turnId: string, by: string) => {
    const known = await log.signal(turnId, { type: "stop", by }, clock.now());
    abort(turnId);
    wake();
    return known;
  };
  return {
    stopAnyway,
    async stop(turnId, by) {
      const turn = await log.get(turnId);
      if (turn === undefined) return missingTurn(turnId);
      if (!mayStop(by, turn)) {
        const message = "Only who asked, or a manager of the channel, may stop this.";
        return { ok: false, status: 403, message };
      }
      return { ok: true, value: { stopped: await stopAnyway(turnId, by.id) } };
    },
    async answer(turnId, question_id, text, by) {
      const turn = await log.get(turnId);
      if (turn === undefined) return missingTurn(turnId);
      if (!mayStop(by, turn)) return { ok: false, status: 403, message: "Only who asked may answer this." };
      const signal = { type: "answer", question_id, text, by: by.id } as const;
      const answered = await log.signal(turnId, signal, clock.now());
      wake();
      return { ok: true, value: { answered } };
    },
  };
}

function missingTurn(turnId: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is no turn ${turnId}.` };
}
