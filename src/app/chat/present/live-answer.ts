import { backoff } from "../../../base/backoff.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import { answerRoom, type ProgressCard } from "../../../core/ports/chat-platform.ts";
import { type AnswerParts, createAnswerParts } from "./answer-parts.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { passes, platformErrorOf } from "./publish-message.ts";
import { headRoom } from "./render-progress.ts";
import { partsOfLongAnswer } from "./shape-answer.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** A turn's progress and its answer while it is written. Never disturbs the turn: what the platform refuses is delivered at the end. */
export interface LiveAnswer extends Pick<AnswerParts, "part" | "keep"> {
  add(text: string): void;
  /** What was said is void: it is shown no more. */
  discard(): void;
  /** There is progress to show. */
  progressed(): void;
  /** Shows nothing more, and takes away what is shown: the answer is for the asker alone. */
  hide(): void;
  /** Shows nothing more. Resolves when its messages may be written to. */
  settle(): Promise<void>;
  /** Shows what is newest, if anything was shown or `isDue`, and then nothing more: the turn waits. */
  pause(isDue: boolean): Promise<void>;
}

/** Text is shown once it has been coming for so long (ms), the shorter time if it has more characters than that. */
const worthTime = 1_200;
const shortTime = 400;
const worthLength = 160;

/** Room for closing a code block for display. */
const closing = 16;

/** Between tries to show it, ms. */
const pauses = { minMs: 2_000, maxMs: 30_000 };

/**
 * @param card the progress as it is now; undefined while there is none to show. `above` is whether a text stands below it
 * @param changed tells whether something is shown now that people were notified of
 */
export function createLiveAnswer(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  card: (above: boolean) => Promise<ProgressCard | undefined>,
  changed: (isShown: boolean) => void,
): LiveAnswer {
  const { platform, clock, logger, redact, turn_id } = turn;
  const { edit_interval_ms } = platform.limits;
  const messages = createAnswerParts(turn, events, changed);
  let redacted = redact.stream();
  let text = "";
  let begun: number | undefined;
  let cancelWait: (() => void) | undefined;
  // Nobody waits for what calls somebody: it is posted once, whole, so that it does call them.
  let isOff = turn.mention !== undefined;
  let failures = 0;
  let hidden: Promise<void> | undefined;

  const show = async (): Promise<number> => {
    try {
      const visible = text;
      const progress = await card(visible.trim() !== "");
      const limit = answerRoom(platform.limits) - closing - (progress === undefined ? 0 : headRoom);
      const [first = "", ...rest] = splitMarkdown(visible, limit).slice(0, partsOfLongAnswer);
      const isNothing = first === "" && progress === undefined;
      await messages.takeAway(isNothing ? 0 : rest.length + 1);
      if (!isNothing) await messages.grow(0, first, progress);
      for (const [index, part] of rest.entries()) await messages.grow(index + 1, part);
      failures = 0;
      return 0;
    } catch (thrown) {
      const error = platformErrorOf(thrown);
      logger.debug({ err: thrown, turn_id }, "The answer could not be shown while it is written");
      if (!passes(error)) {
        isOff = true;
        return 0;
      }
      failures += 1;
      return Math.min(error.retryAfterMs ?? backoff(failures, pauses), pauses.maxMs);
    }
  };
  const pacer = createEditPacer(turn, edit_interval_ms, show);
  const forget = () => {
    cancelWait?.();
    cancelWait = undefined;
    redacted = redact.stream();
    text = "";
    begun = undefined;
  };
  const reconsider = () => {
    cancelWait = undefined;
    if (text.length > worthLength) pacer.request();
    else cancelWait = clock.after(worthTime - shortTime, () => pacer.request());
  };
  const settle = async () => {
    isOff = true;
    cancelWait?.();
    await (hidden ?? pacer.stop());
    if (messages.isShown() && !messages.part(0).isStreaming) await pacer.editable();
  };
  const leave = async () => {
    try {
      await messages.part(0).leave();
    } catch (error) {
      logger.debug({ err: error, turn_id }, "A stream was not ended before the turn waits");
    }
  };

  return {
    part: messages.part,
    keep: messages.keep,
    add(more) {
      text += redacted.add(more);
      if (isOff) return;
      begun ??= clock.now();
      const age = clock.now() - begun;
      if (age >= worthTime || (age >= shortTime && text.length > worthLength)) pacer.request();
      else cancelWait ??= clock.after(shortTime, reconsider);
    },
    discard() {
      if (text === "") return;
      forget();
      if (!isOff && messages.isShown()) pacer.request();
    },
    progressed() {
      if (!isOff) pacer.request();
    },
    hide() {
      isOff = true;
      forget();
      hidden ??= pacer
        .stop()
        .then(() => messages.keep(0))
        .then(() => changed(false));
    },
    settle,
    async pause(isDue) {
      const wasOff = isOff;
      await settle();
      if (!wasOff && (isDue || messages.isShown())) await show();
      await leave();
    },
  };
}

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
