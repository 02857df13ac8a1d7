import type { TurnEventBody } from "../../../core/turn-event.ts";

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
