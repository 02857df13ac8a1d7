import type { AnswerStream, OutgoingButton } from "../../../core/chat-platform.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import { closeFence } from "./markdown-fences.ts";
import { type MessageSlot, type PresentedTurn, slotOf } from "./presented-turn.ts";
import { placeMessage, platformErrorOf } from "./publish-message.ts";

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

/** The messages of an answer while it grows. */
export interface AnswerSlots {
  /** The message of a part, whether it is there or not. */
  slot(part: number): AnswerSlot;
  /** How many messages there may be. */
  count(): number;
  /** Shows so much of a part: in the platform's stream where it has one, else by posting and editing. @throws PlatformError */
  grow(part: number, markdown: string): Promise<void>;
  /** Takes away what this process has shown. What the platform keeps is written over later. */
  takeAway(): Promise<void>;
  /** Ends the native stream with what it shows. @throws PlatformError */
  leave(): Promise<void>;
}

/** @param changed tells whether something is shown now */
export function createAnswerSlots(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  changed: (isShown: boolean) => void,
): AnswerSlots {
  const { platform, logger, turn_id } = turn;
  let mayStream = platform.openStream !== undefined;
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

  const growSlot = async (target: AnswerSlot, part: string) => {
    if (target.tag.part === 0 && mayStream && (await stream(target, part))) return;
    const markdown = closeFence(part);
    if (target.shown === markdown) return;
    // Below an answer: platforms know the progress message by its button. The whole answer takes the button away
    // again, since each of its messages is written once more at the end.
    const buttons: OutgoingButton[] = [{ action: { role: "stop", turn_id, below: "answer" }, label: "Stop" }];
    const reference = await placeMessage(turn, target, { markdown, buttons });
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

  return {
    slot,
    count: () => slots.length,
    grow: (part, markdown) => growSlot(slot(part), markdown),
    async takeAway() {
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
    },
    async leave() {
      const target = slots[0];
      if (target?.stream === undefined) return;
      const { stream: open, shown, tag } = target;
      target.stream = undefined;
      await open.finish({ tag, markdown: closeFence(shown) });
    },
  };
}
