import { beginningOf } from "../../../base/markdown-text.ts";
import type { ConversationState } from "../../../core/ports/chat-platform.ts";
import type { PresentedTurn } from "./presented-turn.ts";

/** Refresh interval, ms: Discord's typing sign ends after 10 s, Slack's status after 2 min. */
const refreshMs = 8_000;
/** Minimum time between two changes of the activity, ms. */
const minPauseMs = 2_000;

const maxTitle = 80;

/**
 * The platform's own sign that the bot works, kept alive while it is shown.
 * @param delay time before it is first shown, ms
 */
export function createWorkingMark(
  { platform, place, to, text, clock, logger, turn_id, givenUp, background }: PresentedTurn,
  delay: number,
) {
  // Work in the background is never the beginning of a conversation, and an agent wrote its text.
  const title = background === undefined ? beginningOf(text.replaceAll(/\s+/g, " ").trim(), maxTitle) : "";
  let cancel: (() => void) | undefined;
  let shown = false;
  let busy = false;
  let said = "";
  let told = Number.NEGATIVE_INFINITY;
  let done = Promise.resolve();

  const tell = (note: string | undefined) => {
    busy = true;
    done = done
      .then(() => platform.showWorking(place, note, to))
      .catch((error: unknown) => logger.debug({ err: error, turn_id }, "The working sign was not shown"))
      .finally(() => {
        busy = false;
      });
  };
  const keep = () => {
    if (!busy) tell(said);
    told = clock.now();
    shown = true;
    cancel = clock.after(refreshMs, keep);
  };
  return {
    show(): void {
      // In the background nobody waits for it.
      if (cancel !== undefined || background !== undefined) return;
      if (delay <= 0 || shown) keep();
      else cancel = clock.after(delay, keep);
    },
    /** Sets the current activity of the bot; empty when unknown. */
    say(note: string): void {
      if (note === said) return;
      said = note;
      if (cancel === undefined || !shown) return;
      cancel();
      cancel = clock.after(Math.max(0, told + minPauseMs - clock.now()), keep);
    },
    /** Shows the state of the conversation (`ChatPlatform.showState`), in the order of the calls. */
    state(state: ConversationState): void {
      if (givenUp.aborted) return;
      done = done
        .then(() => platform.showState?.(place, state, title))
        .catch((error: unknown) => logger.debug({ err: error, turn_id }, "A state was not shown"));
    },
    /** Resolves when it is removed. For a turn that is given up it stays, and the next worker continues it. */
    async hide(): Promise<void> {
      cancel?.();
      if (cancel !== undefined && shown && !givenUp.aborted) tell(undefined);
      cancel = undefined;
      await done;
    },
  };
}
