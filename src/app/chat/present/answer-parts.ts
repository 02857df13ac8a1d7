import type { OutgoingButton } from "../../../core/chat-platform.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import { closeFence } from "./markdown-fences.ts";
import { createPostedMessage, type PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";

/** The messages of an answer. */
export interface AnswerParts {
  /** The message of a part, whether it is there or not. */
  part(index: number): PostedMessage;
  /** How many messages there may be. */
  count(): number;
  /** Shows so much of a part. @throws PlatformError */
  grow(index: number, markdown: string): Promise<void>;
  /** Takes away what this process has shown. What the platform keeps is written over later. */
  takeAway(): Promise<void>;
}

/** @param changed tells whether something is shown now */
export function createAnswerParts(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  changed: (isShown: boolean) => void,
): AnswerParts {
  // Below an answer: platforms know the progress message by its button. The whole answer takes the button away
  // again, since each of its messages is written once more at the end.
  const buttons: OutgoingButton[] = [
    { action: { role: "stop", turn_id: turn.turn_id, below: "answer" }, label: "Stop" },
  ];
  const parts: PostedMessage[] = [];
  /** References that are in the log, or on their way there. */
  const noted = new Set<string>();
  const part = (index: number): PostedMessage => {
    const known = parts[index];
    if (known !== undefined) return known;
    const made = createPostedMessage(turn, events, { purpose: "answer", part: index });
    if (made.reference !== undefined) noted.add(made.reference);
    parts[index] = made;
    return made;
  };
  for (const event of events) {
    if (event.type !== "message_posted" || event.purpose !== "answer") continue;
    for (let index = parts.length; index <= event.part; index += 1) part(index);
  }
  const note = ({ reference, tag }: PostedMessage) => {
    if (reference === undefined || noted.has(reference)) return;
    noted.add(reference);
    turn.note({ type: "message_posted", purpose: "answer", part: tag.part, reference });
    changed(true);
  };

  return {
    part,
    count: () => parts.length,
    async grow(index, text) {
      const message = part(index);
      try {
        await message.grow(text, { markdown: closeFence(text), buttons });
      } finally {
        note(message);
      }
    },
    async takeAway() {
      for (const message of parts) await message.takeAway();
      changed(false);
    },
  };
}
