import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { OutgoingButton, OutgoingMessage } from "../../../core/chat-platform.ts";
import type { TurnEventBody } from "../../../core/turn-event.ts";
import type { AnswerFiles } from "./answer-files.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { shapeAnswer } from "./shape-answer.ts";

export type AnswerReady = Extract<TurnEventBody, { type: "answer_ready" }>;

/** A message of an answer, before it is tagged. */
export type AnswerMessage = Omit<OutgoingMessage, "tag">;

const nothingSaid = "*There is no text in this answer. Try again, or ask in other words.*";

/**
 * The messages of an answer, in order; the same every time it is planned. Files go with the first one, or, when that stands in the
 * channel already (`isLive`), with one more at the end.
 */
export function planAnswer(
  turn: PresentedTurn,
  { text, outcome, private: isPrivate }: AnswerReady,
  files: AnswerFiles,
  isLive: boolean,
): AnswerMessage[] {
  const { turn_id, kind, platform, redact, mention } = turn;
  const said = text.trim() === "" && files.attached.length === 0 ? nothingSaid : text.trim();
  const who = isPrivate ? "" : whoDidWhat(turn);
  const whole = [who, said, files.named].filter(Boolean).join("\n\n");
  const shaped = shapeAnswer(redact(whole || "Here it is."), files.attached, platform.limits);
  const messages = shaped.parts.map(
    (markdown, part): AnswerMessage => ({
      markdown,
      ...(part === 0 && mention !== undefined ? { mention } : {}),
    }),
  );
  const last = messages.at(-1);
  if (last !== undefined && kind === "message" && isPrivate !== true)
    last.buttons = buttonsOf(turn_id, outcome);
  if (shaped.files.length === 0) return messages;
  if (isLive) {
    const names = shaped.files.map((file) => escapeMarkdown(file.name)).join(", ");
    return [...messages, { markdown: names, files: shaped.files }];
  }
  return messages.map((message, part) => (part === 0 ? { ...message, files: shaped.files } : message));
}

/** Above what everybody sees of a command that nobody saw: who gave it, and its words. */
function whoDidWhat({ kind, author, text, platform, to }: PresentedTurn): string {
  if (kind !== "command" || !platform.isUnseen?.(to)) return "";
  const command = oneLine(text.replaceAll("`", "'"), 200);
  return `**${escapeMarkdown(author.name)}** used \`${command}\``;
}

function buttonsOf(turn_id: string, outcome: AnswerReady["outcome"]): OutgoingButton[] {
  const rest: OutgoingButton[] = [
    { action: { role: "again", turn_id }, label: "Try again" },
    { action: { role: "forget", turn_id }, label: "Delete" },
  ];
  if (outcome === "failed" || outcome === "stopped") return rest;
  const opinions: OutgoingButton[] = [
    { action: { role: "feedback", turn_id, good: true }, label: "👍" },
    { action: { role: "feedback", turn_id, good: false }, label: "👎" },
  ];
  if (outcome === "completed") return [...opinions, ...rest];
  return [
    { action: { role: "continue", turn_id }, label: "Continue", style: "primary" },
    ...opinions,
    ...rest,
  ];
}

/** The end of a turn whose answer was ready. */
export function finishedBy({ outcome, text, output, private: isPrivate }: AnswerReady): TurnEventBody {
  return {
    type: "turn_finished",
    ...{ outcome, text },
    ...(output === undefined ? {} : { output }),
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
  };
}
