import type { TurnEventBody } from "../../../core/log/turn-event.ts";
import type { PresentedTurn } from "./presented-turn.ts";

/** Events that wait to be stored between a turn's own. */
export interface NoteQueue {
  add(event: TurnEventBody): void;
  /** All that wait, in order; they wait no more. */
  take(): TurnEventBody[];
  /** Resolves when at least one waits. */
  arrived(): Promise<undefined>;
}

export function createNoteQueue(): NoteQueue {
  let waiting: TurnEventBody[] = [];
  let arrival = Promise.withResolvers<undefined>();
  return {
    add(event) {
      waiting.push(event);
      arrival.resolve(undefined);
    },
    take() {
      if (waiting.length === 0) return [];
      const taken = waiting;
      waiting = [];
      arrival = Promise.withResolvers();
      return taken;
    },
    arrived: () => arrival.promise,
  };
}

/** A turn's own events with notes between them: a note does not wait for the turn's next event. */
export async function* mergeNotes(
  own: AsyncGenerator<TurnEventBody, void>,
  notes: NoteQueue,
  { logger, turn_id }: Pick<PresentedTurn, "logger" | "turn_id">,
): AsyncGenerator<TurnEventBody, void> {
  let next: Promise<IteratorResult<TurnEventBody, void>> | undefined;
  try {
    for (;;) {
      next ??= own.next();
      const come = await Promise.race([next, notes.arrived()]);
      yield* notes.take();
      if (come === undefined) continue;
      next = undefined;
      if (come.done) return;
      yield come.value;
    }
  } finally {
    // A turn that is in the middle of something ends when its signal says so: nobody waits for it here.
    const end = own.return();
    if (next === undefined) await end;
    else
      end.catch((error: unknown) =>
        logger.debug({ err: error, turn_id }, "A turn that was left ended with an error"),
      );
  }
}
