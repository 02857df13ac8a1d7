import type { PresentedTurn } from "./presented-turn.ts";

/** The platform's own sign that the bot works, kept alive while it is shown. */
export interface WorkingMark {
  show(): void;
  /** Resolves when it is gone. Whoever takes a given up turn over shows it on. */
  hide(): Promise<void>;
}

/** Discord's typing sign ends after 10 s, Slack's status after 2 min: it is shown again this often, ms. */
const refresh = 8_000;

/** @param delay it is not shown before, ms */
export function createWorkingMark(
  { platform, place, to, clock, logger, turn_id, givenUp }: PresentedTurn,
  delay: number,
): WorkingMark {
  let cancel: (() => void) | undefined;
  let shown = false;
  let busy = false;
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
    if (!busy) tell("is thinking…");
    shown = true;
    cancel = clock.after(refresh, keep);
  };
  return {
    show() {
      if (cancel !== undefined) return;
      if (delay <= 0 || shown) keep();
      else cancel = clock.after(delay, keep);
    },
    async hide() {
      cancel?.();
      if (cancel !== undefined && shown && !givenUp.aborted) tell(undefined);
      cancel = undefined;
      await done;
    },
  };
}
