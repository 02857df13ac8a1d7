import type { MessageTag, OutgoingMessage } from "../../../core/chat-platform.ts";
import type { ProgressLevel } from "../../../core/namespace-state.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import type { TurnView } from "../../../core/turn-view.ts";
import { createEditPacer } from "./edit-pacer.ts";
import { type PresentedTurn, slotOf } from "./presented-turn.ts";
import { passes, placeMessage, platformErrorOf } from "./publish-message.ts";
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
  const slot = slotOf(turn, events, "progress", 0);
  let newest: TurnView | undefined;
  let shown = "";
  let waking: (() => void) | undefined;
  let isOver = false;

  const place = async (message: Omit<OutgoingMessage, "tag">): Promise<number> => {
    const text = JSON.stringify(message);
    if (text === shown) return 0;
    try {
      const before = slot.reference;
      const reference = await placeMessage(turn, slot, message);
      if (reference !== before)
        turn.note({ type: "message_posted", purpose: "progress", part: 0, reference });
      shown = text;
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
    if (slot.reference !== undefined) await pacer.editable();
  };

  /** `mayBe`: it may stand there although nobody noted it. */
  const shownBefore = async (mayBe: boolean): Promise<string | undefined> => {
    if (slot.reference === undefined && slot.lookFirst && mayBe)
      slot.reference = await lookFor(turn, slot.tag);
    return slot.reference;
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
      if (slot.reference !== undefined || newest?.notice !== undefined) await show();
    },
    async end(view) {
      await stop();
      const reference = await shownBefore(view.steps.length > 0);
      if (reference === undefined) return;
      if (view.steps.length === 0) return remove(turn, reference);
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

async function remove({ platform, place, logger, turn_id }: PresentedTurn, reference: string): Promise<void> {
  try {
    await platform.remove(place, reference);
  } catch (error) {
    logger.debug({ err: error, turn_id }, "Progress was not removed");
  }
}

async function lookFor(
  { platform, place, logger, turn_id }: PresentedTurn,
  tag: MessageTag,
): Promise<string | undefined> {
  try {
    return await platform.find(place, tag);
  } catch (error) {
    logger.debug({ err: error, turn_id }, "Progress was not looked for");
    return undefined;
  }
}
