import type { TurnEvent } from "../../../core/turn-event.ts";
import type { AnswerStream } from "../chat-platform.ts";
import { createEditPacer } from "./edit-pacer.ts";
import { closeFence } from "./markdown-fences.ts";
import { type MessageSlot, type PresentedTurn, slotOf } from "./presented-turn.ts";
import { passes, placeMessage, platformErrorOf } from "./publish-message.ts";
import { partsOfLongAnswer } from "./shape-answer.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** A message of the answer, maybe growing. */
export interface AnswerSlot extends MessageSlot {
  /** The native stream it grows in, while that lives. */
  stream: AnswerStream | undefined;
  /** Whether this process has shown something in it. */
  live: boolean;
  /** The reference that is in the log, or on its way there. */
  noted: string | undefined;
  /** What this process has shown; empty when it is not known. */
  shown: string;
}

/** The answer while it is written. Never disturbs the turn: what the platform refuses is delivered at the end. */
export interface LiveAnswer {
  add(text: string): void;
  /** What was shown is void: it is taken away. */
  discard(): void;
  /** Shows nothing more. Resolves when its messages may be written to. */
  settle(): Promise<void>;
  /** Ends the native stream with what it shows: the next start writes on in its message. */
  leave(): Promise<void>;
  /** The message of a part, whether it is there or not. */
  slot(part: number): AnswerSlot;
  /** How many messages there may be. */
  count(): number;
}

/** Text is shown once it has been coming for so long (ms), the shorter time if it has more characters than that. */
const worthTime = 1_200;
const shortTime = 400;
const worthLength = 160;

/** Room for closing a code block for display. */
const closing = 16;

/** Secrets are found in whole words only: the last word is held back, up to this many characters. */
const heldBack = 256;

const longestPause = 30_000;

/** @param changed tells whether something is shown now */
export function createLiveAnswer(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  changed: (isShown: boolean) => void,
): LiveAnswer {
  const { platform, clock, logger, redact, turn_id } = turn;
  const { edit_interval_ms, message_characters } = platform.limits;
  const slots: AnswerSlot[] = [];
  const slot = (part: number): AnswerSlot => {
    const known = slots[part];
    if (known !== undefined) return known;
    const made = slotOf(turn, events, "answer", part);
    slots[part] = { ...made, stream: undefined, live: false, noted: made.reference, shown: "" };
    return slot(part);
  };
  const recorded = events.reduce(
    (most, event) =>
      event.type === "message_posted" && event.purpose === "answer" ? Math.max(most, event.part + 1) : most,
    0,
  );
  for (let part = 0; part < recorded; part += 1) slot(part);

  let text = "";
  let begun: number | undefined;
  let cancelWait: (() => void) | undefined;
  let isOff = false;
  let mayStream = platform.openStream !== undefined;
  let failures = 0;
  let cleaned = Promise.resolve();

  const show = async (): Promise<number> => {
    await cleaned;
    const visible = redact(text.slice(0, text.length - unfinished(text)));
    const parts = splitMarkdown(visible, message_characters - closing).slice(0, partsOfLongAnswer);
    try {
      for (const [index, part] of parts.entries()) await grow(slot(index), part);
      failures = 0;
      return 0;
    } catch (thrown) {
      const error = platformErrorOf(thrown);
      logger.debug({ err: thrown, turn_id }, "The answer could not be shown while it is written");
      if (!passes(error)) isOff = true;
      failures += 1;
      return Math.min(error.retryAfterMs ?? 1_000 * 2 ** failures, longestPause);
    }
  };
  const grow = async (target: AnswerSlot, part: string) => {
    if (target.tag.part === 0 && mayStream && (await stream(target, part))) return;
    const markdown = closeFence(part);
    if (target.shown === markdown) return;
    const reference = await placeMessage(turn, target, { markdown });
    target.shown = markdown;
    isThere(target, reference);
  };
  const isThere = (target: AnswerSlot, reference: string) => {
    target.live = true;
    if (target.noted === reference) return;
    target.noted = reference;
    turn.note({ type: "message_posted", purpose: "answer", part: target.tag.part, reference });
    changed(true);
  };
  const streamInto = async (target: AnswerSlot, part: string) => {
    if (target.stream === undefined) {
      target.stream = await platform.openStream?.(turn.place, target.tag, turn.to);
      target.reference = target.stream?.reference;
      if (target.reference !== undefined) isThere(target, target.reference);
    }
    if (!part.startsWith(target.shown) || part === target.shown) return;
    await target.stream?.append(part.slice(target.shown.length));
    target.shown = part;
  };
  /** False when the platform's stream cannot be used: the message is edited instead. */
  const stream = async (target: AnswerSlot, part: string): Promise<boolean> => {
    if (target.reference === undefined && target.lookFirst) {
      target.reference = await platform.find(turn.place, target.tag);
      target.lookFirst = false;
    }
    if (target.stream === undefined && target.reference !== undefined) return false;
    try {
      await streamInto(target, part);
      return true;
    } catch (thrown) {
      const { code } = platformErrorOf(thrown);
      if (code === "rate_limited") throw thrown;
      logger.debug({ err: thrown, turn_id }, "The platform's stream broke; the message is edited instead");
      mayStream = false;
      if (target.stream === undefined) target.lookFirst = code === "unavailable";
      target.stream = undefined;
      target.shown = "";
      return false;
    }
  };
  const takeAway = async () => {
    for (const target of slots) {
      if (target.reference === undefined || !target.live) continue;
      try {
        if (target.stream !== undefined) await target.stream.cancel();
        else await platform.remove(turn.place, target.reference);
        target.reference = undefined;
      } catch (error) {
        logger.debug({ err: error, turn_id }, "A void answer could not be taken away; it is written over");
      }
      target.stream = undefined;
      target.live = false;
      target.shown = "";
    }
    changed(false);
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
    slot,
    count: () => slots.length,
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
      cleaned = cleaned.then(() => old.stop()).then(takeAway);
    },
    async leave() {
      const target = slots[0];
      if (target?.stream === undefined) return;
      const { stream: open, shown, tag } = target;
      target.stream = undefined;
      await open.finish({ tag, markdown: closeFence(shown) });
    },
    async settle() {
      isOff = true;
      cancelWait?.();
      await cleaned;
      await pacer.stop();
      if (slots[0]?.stream === undefined) await pacer.editable();
    },
  };
}

/** Characters at the end that may still become part of a longer word. */
function unfinished(text: string): number {
  const tail = text.slice(-heldBack);
  return tail.length - tail.search(/[^\s。，、！？]*$/u);
}
