import type { TurnEventBody } from "../../../core/log/turn-event.ts";
import type { TurnView } from "../../../core/log/turn-view.ts";
import type { ProgressCard } from "../../../core/ports/chat-platform.ts";
import type { ProgressLevel } from "../../../core/skill/namespace-state.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { renderCollapsed, renderProgress } from "./render-progress.ts";

/** What a turn does, as its channel wants to see it. */
export interface TurnProgress {
  /** The turn has come this far. */
  changed(view: TurnView): void;
  /** What is shown of it now; undefined when nothing is. @param above whether the answer stands below it */
  card(above: boolean): Promise<ProgressCard | undefined>;
  /** Whether people are told what the turn waits for, however early it is. */
  readonly hasNotice: boolean;
  /** Calls for nothing more. */
  stop(): void;
  /** What is shown of it above its whole answer; undefined when nothing is. */
  collapsed(view: TurnView): Promise<ProgressCard | undefined>;
}

export interface ProgressOptions {
  level: Promise<ProgressLevel>;
  /** Nothing is called for before, ms since the epoch. */
  notBefore: number;
  /** A turn that took less time, ms, has no progress above its answer. */
  shortest: number;
  /** Calls for the card to be shown. */
  show(): void;
}

export function createTurnProgress(
  { clock, platform }: PresentedTurn,
  { level, notBefore, shortest, show }: ProgressOptions,
): TurnProgress {
  let newest: TurnView | undefined;
  let waking: (() => void) | undefined;
  let isOver = false;

  return {
    changed(view) {
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
    async card(above) {
      const chosen = await level;
      // What once stood there alone stays there until there is an answer.
      if (newest === undefined || (above && !isWorthShowing(newest))) return undefined;
      if (chosen === "quiet" && newest.notice === undefined) return undefined;
      const limit = platform.limits.message_characters;
      return renderProgress(newest, { level: chosen, limit, now: clock.now(), above });
    },
    get hasNotice() {
      return newest?.notice !== undefined;
    },
    stop() {
      isOver = true;
      waking?.();
      waking = undefined;
    },
    async collapsed(view) {
      const chosen = await level;
      const { started_at = view.accepted_at, finished_at = clock.now() } = view;
      if (chosen === "quiet" || finished_at - started_at < shortest) return undefined;
      return renderCollapsed(view);
    },
  };
}

/** An answer that is only written needs no progress beside it. */
function isWorthShowing({ steps, notice, thought, remarks }: TurnView): boolean {
  return steps.length > 0 || notice !== undefined || thought !== undefined || remarks.length > 0;
}

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
