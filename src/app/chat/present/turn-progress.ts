import type { TurnEventBody } from "../../../core/log/turn-event.ts";
import type { TurnView } from "../../../core/log/turn-view.ts";
import type { ProgressCard } from "../../../core/ports/chat-platform.ts";
import type { ProgressLevel } from "../../../core/skill/namespace-state.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { renderCollapsed, renderProgress } from "./render-progress.ts";

export interface ProgressOptions {
  level: Promise<ProgressLevel>;
  /** No card is requested before this time, ms since the epoch. */
  notBefore: number;
  /** A turn that took less time, ms, shows no progress above its answer. */
  shortest: number;
  /** Requests that the card be shown. */
  show(): void;
}

/** The progress of a turn, at the level its channel has chosen. */
export function createTurnProgress(
  { clock, platform }: PresentedTurn,
  { level, notBefore, shortest, show }: ProgressOptions,
) {
  let newest: TurnView | undefined;
  let waking: (() => void) | undefined;
  let isOver = false;

  return {
    /** Updates the state of the turn. */
    changed(view: TurnView): void {
      if (isOver || (newest === undefined && !isWorthShowing(view))) return;
      newest = view;
      const wait = notBefore - clock.now();
      if (wait <= 0) show();
      else
        waking ??= clock.after(wait, () => {
          waking = undefined;
          show();
        });
    },
    /** The current card; undefined when there is nothing to show. @param above whether the answer follows below it */
    async card(above: boolean): Promise<ProgressCard | undefined> {
      const chosen = await level;
      // Progress shown without a text stays until there is an answer.
      if (newest === undefined || (above && !isWorthShowing(newest))) return undefined;
      if (chosen === "quiet" && newest.notice === undefined) return undefined;
      const limit = platform.limits.message_characters;
      return renderProgress(newest, { level: chosen, limit, now: clock.now(), above });
    },
    /** Whether there is a notice of what the turn waits for, which is shown even before `notBefore`. */
    get hasNotice(): boolean {
      return newest?.notice !== undefined;
    },
    /** Requests no more updates. */
    stop(): void {
      isOver = true;
      waking?.();
      waking = undefined;
    },
    /** The card above the final answer; undefined when there is none. */
    async collapsed(view: TurnView): Promise<ProgressCard | undefined> {
      const chosen = await level;
      const { started_at = view.accepted_at, finished_at = clock.now() } = view;
      if (chosen === "quiet" || finished_at - started_at < shortest) return undefined;
      return renderCollapsed(view);
    },
  };
}

/** An answer without steps needs no progress card. */
function isWorthShowing({ steps, notice, thought, remarks }: TurnView): boolean {
  return steps.length > 0 || notice !== undefined || thought !== undefined || remarks.length > 0;
}

/**
 * Events of the presentation that wait to be stored between the turn's own.
 * - Order: as added, before the turn's next event.
 * - How often: once.
 * - Slow log: `add` never waits.
 * - A crash loses what was not taken. What it records is found again on the platform, by the tag of the message (post-1).
 * - End: with the presentation of the turn, which takes the rest.
 * - Bound: intentionally none. A turn adds a few notes for each message that it posts.
 */
export type NoteQueue = ReturnType<typeof createNoteQueue>;

export function createNoteQueue() {
  let waiting: TurnEventBody[] = [];
  let arrival = Promise.withResolvers<undefined>();
  return {
    add(event: TurnEventBody): void {
      waiting.push(event);
      arrival.resolve(undefined);
    },
    /** Removes and returns all waiting events, in order. */
    take(): TurnEventBody[] {
      if (waiting.length === 0) return [];
      const taken = waiting;
      waiting = [];
      arrival = Promise.withResolvers();
      return taken;
    },
    /** Resolves when at least one waits. */
    arrived: () => arrival.promise,
  };
}

/** Merges a turn's own events with notes: a note does not wait for the turn's next event. */
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
    // A turn in the middle of a call ends when its signal aborts it; this does not wait for it.
    const end = own.return();
    if (next === undefined) await end;
    else
      end.catch((error: unknown) =>
        logger.debug({ err: error, turn_id }, "A turn that was left ended with an error"),
      );
  }
}
