import type { ProgressLevel } from "../../../core/namespace-state.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import type { TurnView } from "../../../core/turn-view.ts";
import { createEditPacer } from "./edit-pacer.ts";
import { createPostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { type Content, passes, platformErrorOf } from "./publish-message.ts";
import { renderCollapsed, renderProgress } from "./render-progress.ts";

/** The one message that tells what a turn does. Whatever the platform says to it, the turn goes on. */
export interface ProgressMessage {
  /** The turn has come this far. */
  changed(view: TurnView): void;
  /** Shows what is newest, if anything was shown, and then nothing more: the turn waits. */
  pause(): Promise<void>;
  /** Shows nothing more. */
  stop(): Promise<void>;
  /** Collapses it, if it was shown. */
  end(view: TurnView): Promise<void>;
}

export interface ProgressOptions {
  level: Promise<ProgressLevel>;
  /** Nothing is shown before, ms since the epoch. */
  notBefore: number;
}

/** How long until progress is shown again, ms: after a disturbance, and after what will hardly pass by itself. */
const pauseAfterFailure = 5_000;
const pauseAfterRefusal = 60_000;

export function createProgressMessage(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  { level, notBefore }: ProgressOptions,
): ProgressMessage {
  const { clock, logger, platform, turn_id } = turn;
  const { edit_interval_ms, message_characters } = platform.limits;
  const message = createPostedMessage(turn, events, { purpose: "progress", part: 0 });
  let newest: TurnView | undefined;
  let waking: (() => void) | undefined;
  let isOver = false;

  const place = async (content: Content): Promise<number> => {
    try {
      const before = message.reference;
      await message.show(content);
      const { reference } = message;
      if (reference !== undefined && reference !== before)
        turn.note({ type: "message_posted", purpose: "progress", part: 0, reference });
      return 0;
    } catch (error) {
      logger.debug({ err: error, turn_id }, "Progress was not shown");
      const failure = platformErrorOf(error);
      return passes(failure) ? (failure.retryAfterMs ?? pauseAfterFailure) : pauseAfterRefusal;
    }
  };
  const show = async (): Promise<number> => {
    const chosen = await level;
    if (newest === undefined || (chosen === "quiet" && newest.notice === undefined)) return 0;
    return place(renderProgress(newest, chosen, message_characters, clock.now()));
  };
  const pacer = createEditPacer(turn, edit_interval_ms, show);
  const stop = async () => {
    isOver = true;
    waking?.();
    waking = undefined;
    await pacer.stop();
    if (message.reference !== undefined) await pacer.editable();
  };

  /** Whether it is there, although maybe nobody noted it. */
  const isThere = async (mayBe: boolean): Promise<boolean> => {
    try {
      return ((mayBe ? await message.adopt() : undefined) ?? message.reference) !== undefined;
    } catch (error) {
      logger.debug({ err: error, turn_id }, "Progress was not looked for");
      return false;
    }
  };

  return {
    stop,
    changed(view) {
      if (isOver || (newest === undefined && !isWorthShowing(view))) return;
      newest = view;
      const wait = notBefore - clock.now();
      if (wait <= 0) pacer.request();
      else
        waking ??= clock.after(wait, () => {
          waking = undefined;
          pacer.request();
        });
    },
    async pause() {
      await stop();
      if (message.reference !== undefined || newest?.notice !== undefined) await show();
    },
    async end(view) {
      await stop();
      if (!(await isThere(view.steps.length > 0))) return;
      if (view.steps.length === 0) return message.drop();
      const pause = await place(renderCollapsed(view));
      if (pause === 0 || pause > pauseAfterFailure || turn.givenUp.aborted) return;
      await clock.sleep(pause, turn.givenUp).catch(() => undefined);
      if (!turn.givenUp.aborted) await place(renderCollapsed(view));
    },
  };
}

/** An answer that is only written needs no progress beside it. */
function isWorthShowing({ steps, notice, thought }: TurnView): boolean {
  return steps.length > 0 || notice !== undefined || thought !== undefined;
}
