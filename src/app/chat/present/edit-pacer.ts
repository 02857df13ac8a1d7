import type { PresentedTurn } from "./presented-turn.ts";

/** Shows the newest state again and again, never faster than a platform takes edits. Requests do not queue up. */
export interface EditPacer {
  /** There is something new to show. */
  request(): void;
  /** Begins nothing more. Resolves when what was begun is done. */
  stop(): Promise<void>;
  /** Resolves when the message may be edited again, or the turn is given up. */
  editable(): Promise<void>;
}

/**
 * @param interval least time between the end of one `show` and the next, ms
 * @param show shows what is newest; answers a pause (ms) after which it is tried again when it could not, otherwise 0. When it
 *   rejects nothing more is shown
 */
export function createEditPacer(
  { clock, givenUp, logger, turn_id }: Pick<PresentedTurn, "clock" | "givenUp" | "logger" | "turn_id">,
  interval: number,
  show: () => Promise<number>,
): EditPacer {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let editable = 0;
  let next = 0;

  const run = async () => {
    wanted = false;
    const pause = await show();
    if (pause > 0) wanted = true;
    editable = clock.now() + interval;
    next = clock.now() + Math.max(interval, pause);
  };
  const begin = () => {
    if (!wanted || stopped || running !== undefined || cancel !== undefined) return;
    const wait = next - clock.now();
    if (wait > 0) {
      cancel = clock.after(wait, () => {
        cancel = undefined;
        begin();
      });
      return;
    }
    running = run()
      .catch((error: unknown) => {
        logger.error({ err: error, turn_id }, "A message was not brought up to date");
        stopped = true;
      })
      .finally(() => {
        running = undefined;
        begin();
      });
  };
  return {
    request() {
      wanted = true;
      begin();
    },
    async stop() {
      stopped = true;
      cancel?.();
      cancel = undefined;
      await running;
    },
    async editable() {
      const wait = editable - clock.now();
      if (wait > 0 && !givenUp.aborted) await clock.sleep(wait, givenUp).catch(() => undefined);
    },
  };
}
