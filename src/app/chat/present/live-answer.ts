import { backoff } from "../../../base/backoff.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import { answerRoom, type ProgressCard } from "../../../core/ports/chat-platform.ts";
import { type AnswerParts, createAnswerParts } from "./answer-parts.ts";
import type { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { platformErrorOf } from "./publish-message.ts";
import { headRoom } from "./render-progress.ts";
import { partsOfLongAnswer } from "./shape-answer.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** Text is shown once it has been growing for `shownAfterMs` (ms), or for `longShownAfterMs` if it is longer than `minLongLength` characters. */
const shownAfterMs = 1_200;
const longShownAfterMs = 400;
const minLongLength = 160;

/** Room for closing a code block, characters. */
const fenceRoom = 16;

/** Pauses between attempts to show it, ms. */
const pauses = { minMs: 2_000, maxMs: 30_000 };

/**
 * A turn's progress and its answer while it is written. Failures never affect the turn: the answer is delivered at the end anyway
 * (post-3).
 */
export class LiveAnswer {
  readonly #turn: PresentedTurn;
  readonly #card: (above: boolean) => Promise<ProgressCard | undefined>;
  readonly #changed: (isShown: boolean) => void;
  readonly #messages: AnswerParts;
  readonly #pacer: EditPacer;
  #redacted: ReturnType<PresentedTurn["redact"]["stream"]>;
  #text = "";
  /** When the text began, ms since the epoch. */
  #begunAt: number | undefined;
  #cancelWait: (() => void) | undefined;
  #isOff: boolean;
  #failures = 0;
  #hidden: Promise<void> | undefined;

  /**
   * @param card the current progress; undefined while there is none to show. `above`: a text follows it
   * @param changed called with whether a message is now shown that notified people
   */
  constructor(
    turn: PresentedTurn,
    events: readonly TurnEvent[],
    card: (above: boolean) => Promise<ProgressCard | undefined>,
    changed: (isShown: boolean) => void,
  ) {
    this.#turn = turn;
    this.#card = card;
    this.#changed = changed;
    this.#messages = createAnswerParts(turn, events, changed);
    this.#pacer = createEditPacer(turn, turn.platform.limits.edit_interval_ms, () => this.#show());
    this.#redacted = turn.redact.stream();
    // An answer that mentions somebody is posted once, complete, since only a new message notifies them.
    this.#isOff = turn.mention !== undefined && turn.background === undefined;
  }

  /** The message of a part, whether posted or not. */
  part(index: number): PostedMessage {
    return this.#messages.part(index);
  }

  /** As `AnswerParts.renew`. */
  renew(time: number, readyAt: number): void {
    this.#messages.renew(time, readyAt);
  }

  /** Removes every message except the first `count` parts, even those posted by another process. */
  keep(count: number): Promise<void> {
    return this.#messages.keep(count);
  }

  /** Adds text to the answer. */
  add(more: string): void {
    const { clock, background } = this.#turn;
    if (background !== undefined) return;
    // post-5
    this.#text += this.#redacted.add(more);
    if (this.#isOff) return;
    this.#begunAt ??= clock.now();
    const age = clock.now() - this.#begunAt;
    if (age >= shownAfterMs || (age >= longShownAfterMs && this.#text.length > minLongLength))
      this.#pacer.request();
    else this.#cancelWait ??= clock.after(longShownAfterMs, () => this.#reconsider());
  }

  /** Discards the text so far and stops showing it. */
  discard(): void {
    if (this.#text === "") return;
    this.#forget();
    if (!this.#isOff && this.#messages.isShown()) this.#pacer.request();
  }

  /** Shows new progress. */
  progressed(): void {
    if (!this.#isOff) this.#pacer.request();
  }

  /** Shows nothing more and removes everything shown: the answer is for the asker alone. */
  hide(): void {
    this.#isOff = true;
    this.#forget();
    this.#hidden ??= this.#takeAwayAll();
  }

  /** Shows nothing more. Resolves when its messages may be written to. */
  async settle(): Promise<void> {
    this.#isOff = true;
    this.#cancelWait?.();
    await (this.#hidden ?? this.#pacer.stop());
    if (this.#messages.isShown() && !this.part(0).isStreaming) await this.#pacer.editable();
  }

  /** Before the turn waits: shows the latest state if anything was shown or `isDue`, then nothing more. */
  async pause(isDue: boolean): Promise<void> {
    const { logger, turn_id } = this.#turn;
    const wasOff = this.#isOff;
    await this.settle();
    if (!wasOff && (isDue || this.#messages.isShown())) await this.#show();
    try {
      await this.part(0).leave();
    } catch (error) {
      logger.debug({ err: error, turn_id }, "A stream was not ended before the turn waits");
    }
  }

  /** Returns a pause for `createEditPacer`, ms. */
  async #show(): Promise<number> {
    try {
      await this.#showNewest();
      this.#failures = 0;
      return 0;
    } catch (thrown) {
      const { logger, turn_id } = this.#turn;
      const error = platformErrorOf(thrown);
      logger.debug({ err: thrown, turn_id }, "The answer could not be shown while it is written");
      if (!error.isTemporary) {
        this.#isOff = true;
        return 0;
      }
      this.#failures += 1;
      return Math.min(error.retryAfterMs ?? backoff(this.#failures, pauses), pauses.maxMs);
    }
  }

  async #showNewest(): Promise<void> {
    const visible = this.#text;
    const progress = await this.#card(visible.trim() !== "");
    const room = answerRoom(this.#turn.platform.limits) - fenceRoom - (progress === undefined ? 0 : headRoom);
    const [first = "", ...rest] = splitMarkdown(visible, room).slice(0, partsOfLongAnswer);
    const isEmpty = first === "" && progress === undefined;
    await this.#messages.takeAway(isEmpty ? 0 : rest.length + 1);
    if (!isEmpty) await this.#messages.grow(0, first, progress);
    for (const [index, part] of rest.entries()) await this.#messages.grow(index + 1, part);
  }

  #reconsider(): void {
    this.#cancelWait = undefined;
    if (this.#text.length > minLongLength) this.#pacer.request();
    else
      this.#cancelWait = this.#turn.clock.after(shownAfterMs - longShownAfterMs, () => this.#pacer.request());
  }

  #forget(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#redacted = this.#turn.redact.stream();
    this.#text = "";
    this.#begunAt = undefined;
  }

  async #takeAwayAll(): Promise<void> {
    await this.#pacer.stop();
    await this.keep(0);
    this.#changed(false);
  }
}

/**
 * Shows the latest state repeatedly, no faster than the platform accepts edits.
 * - Order: only the latest state counts.
 * - How often: intentionally lossy. Requests during an update make one more.
 * - Slow platform: fewer updates; the turn never waits.
 * - A crash loses the updates since the last one. The end of the turn writes all of it.
 * - End: `stop`, or an update that rejects.
 * - Bound: one update running, one wanted.
 */
export type EditPacer = ReturnType<typeof createEditPacer>;

/**
 * @param interval minimum time between the end of one `show` and the next, ms
 * @param show shows the latest state. Returns 0, or after a failure the pause before a retry (ms). When it rejects, nothing more is
 *   shown
 */
export function createEditPacer(
  { clock, givenUp, logger, turn_id }: Pick<PresentedTurn, "clock" | "givenUp" | "logger" | "turn_id">,
  interval: number,
  show: () => Promise<number>,
) {
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
        logger.error({ err: error, turn_id }, "A message could not be updated");
        stopped = true;
      })
      .finally(() => {
        running = undefined;
        begin();
      });
  };
  return {
    /** Requests that the latest state be shown. */
    request(): void {
      wanted = true;
      begin();
    },
    /** Starts nothing more. Resolves when the running update is done. */
    async stop(): Promise<void> {
      stopped = true;
      cancel?.();
      cancel = undefined;
      await running;
    },
    /** Resolves when the message may be edited again, or the turn is given up. */
    async editable(): Promise<void> {
      const wait = editable - clock.now();
      if (wait > 0 && !givenUp.aborted) await clock.sleep(wait, givenUp).catch(() => undefined);
    },
  };
}
