import { backoff } from "../../../base/backoff.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import { type AnswerParts, createAnswerParts } from "./answer-parts.ts";
import { createEditPacer } from "./edit-pacer.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { passes, platformErrorOf } from "./publish-message.ts";
import { partsOfLongAnswer } from "./shape-answer.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** The answer while it is written. Never disturbs the turn: what the platform refuses is delivered at the end. */
export interface LiveAnswer extends Pick<AnswerParts, "part" | "count"> {
  add(text: string): void;
  /** What was shown is void: it is taken away. */
  discard(): void;
  /** Shows nothing more. Resolves when its messages may be written to. */
  settle(): Promise<void>;
}

/** Text is shown once it has been coming for so long (ms), the shorter time if it has more characters than that. */
const worthTime = 1_200;
const shortTime = 400;
const worthLength = 160;

/** Room for closing a code block for display. */
const closing = 16;

/** Secrets are found in whole words only: the last word is held back, up to this many characters. */
const heldBack = 256;

/** Between tries to show it, ms. */
const pauses = { minMs: 2_000, maxMs: 30_000 };

/** @param changed tells whether something is shown now */
export function createLiveAnswer(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  changed: (isShown: boolean) => void,
): LiveAnswer {
  const { platform, clock, logger, redact, turn_id } = turn;
  const { edit_interval_ms, message_characters } = platform.limits;
  const messages = createAnswerParts(turn, events, changed);
  let text = "";
  let begun: number | undefined;
  let cancelWait: (() => void) | undefined;
  let isOff = false;
  let failures = 0;
  let cleaned = Promise.resolve();

  const show = async (): Promise<number> => {
    await cleaned;
    try {
      const visible = redact(text.slice(0, text.length - unfinished(text)));
      const parts = splitMarkdown(visible, message_characters - closing).slice(0, partsOfLongAnswer);
      for (const [index, part] of parts.entries()) await messages.grow(index, part);
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
  const newPacer = () => createEditPacer(turn, edit_interval_ms, show);
  let pacer = newPacer();
  const forget = () => {
    cancelWait?.();
    cancelWait = undefined;
    text = "";
    begun = undefined;
  };
  const reconsider = () => {
    cancelWait = undefined;
    if (text.length > worthLength) pacer.request();
    else cancelWait = clock.after(worthTime - shortTime, () => pacer.request());
  };

  return {
    part: messages.part,
    count: messages.count,
    add(more) {
      text += more;
      if (isOff) return;
      begun ??= clock.now();
      const age = clock.now() - begun;
      if (age >= worthTime || (age >= shortTime && text.length > worthLength)) pacer.request();
      else cancelWait ??= clock.after(shortTime, reconsider);
    },
    discard() {
      if (text === "") return;
      const old = pacer;
      pacer = newPacer();
      forget();
      cleaned = cleaned.then(() => old.stop()).then(messages.takeAway);
    },
    async settle() {
      isOff = true;
      cancelWait?.();
      await cleaned;
      await pacer.stop();
      if (!messages.part(0).isStreaming) await pacer.editable();
    },
  };
}

/** Characters at the end that may still become part of a longer word. */
function unfinished(text: string): number {
  const tail = text.slice(-heldBack);
  return tail.length - tail.search(/[^\s。，、！？]*$/u);
}
