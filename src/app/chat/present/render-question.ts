import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { TurnEventOf } from "../../../core/log/turn-event.ts";
import type { OutgoingButton, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import { closeFence } from "./markdown-fences.ts";

export type Question = Omit<TurnEventOf<"question_asked">, "seq" | "at" | "turn_id">;

/** Room that is left in a message for what stands around a text that can be long. */
const frame = 400;

/** The longest label of a button (`OutgoingButton.label`), and how many buttons a message takes on every platform. */
const maxLabelLength = 75;
const maxButtons = 20;

/** @param where the thread in which the answer can be written, in words */
export function renderQuestion(
  { text, choices }: Question,
  turnId: string,
  limit: number,
  where = "this thread",
): Omit<OutgoingMessage, "tag"> {
  const buttons = choices.slice(0, maxButtons).map(
    (choice, index): OutgoingButton => ({
      action: { role: "answer", turn_id: turnId, choice: index },
      label: oneLine(choice, maxLabelLength) || `${index + 1}`,
    }),
  );
  const isCut = choices.length > maxButtons || choices.some((choice) => choice.length > maxLabelLength);
  const listed = isCut
    ? choices.map((choice, index) => `${index + 1}. ${escapeMarkdown(oneLine(choice, 200))}`)
    : [];
  const how = `${choices.length === 0 ? "Write" : "Choose, or write"} your answer in ${where}.`;
  const parts = [closeFence(cutText(text, limit - frame)), listed.join("\n"), `*${how}*`];
  return {
    markdown: cutText(parts.filter(Boolean).join("\n\n"), limit),
    ...(buttons.length === 0 ? {} : { buttons }),
  };
}

/** A question that takes no more answers; `end` says why. */
export function renderClosedQuestion(
  { text }: Question,
  end: string,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  return { markdown: `${closeFence(cutText(text, limit - frame))}\n\n${end}` };
}
