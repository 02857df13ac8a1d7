import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { TurnEventBody } from "../../../core/log/turn-event.ts";
import {
  answerRoom,
  type OutgoingButton,
  type OutgoingMessage,
  type ProgressCard,
} from "../../../core/ports/chat-platform.ts";
import { canonicalJson, objectIn } from "../../../core/values/json.ts";
import type { AnswerFiles } from "./answer-files.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { headRoom } from "./render-progress.ts";
import { shapeAnswer } from "./shape-answer.ts";

export type AnswerReady = Extract<TurnEventBody, { type: "answer_ready" }>;

/** A message of an answer, before it is tagged. */
export type AnswerMessage = Omit<OutgoingMessage, "tag">;

/** Maximum words and characters of a message, and characters of an answer, that count as small talk. A question never does. */
const maxSmallTalkWords = 4;
const maxSmallTalkLength = 60;
const maxSmallTalkAnswer = 240;
const question = /[?？]/;

const nothingSaid = "*There is no text in this answer. Try again, or ask in other words.*";

/** The parts of an answer in addition to its text. */
export interface AnswerFrame {
  files: AnswerFiles;
  /** The steps of the turn; undefined where the channel does not show them. */
  card: ProgressCard | undefined;
  /** Whether the turn had any steps before its answer. */
  hasSteps: boolean;
  /** A line above an answer for the asker alone. */
  reason?: string | undefined;
}

/** The messages of an answer, in order; the same each time it is planned. The first has progress and files, the last has buttons. */
export function planAnswer(
  turn: PresentedTurn,
  { text, outcome, private: isPrivate }: AnswerReady,
  { files, card, hasSteps, reason = "" }: AnswerFrame,
): AnswerMessage[] {
  const { kind, platform, redact, mention } = turn;
  const said = text.trim() === "" && files.attached.length === 0 ? nothingSaid : text.trim();
  const isBackground = turn.background !== undefined;
  const who = isPrivate ? reason : whoDidWhat(turn, card);
  const whole = [who, said, files.named].filter(Boolean).join("\n\n");
  const room = card === undefined ? 0 : headRoom;
  const limits = { ...platform.limits, answer_characters: answerRoom(platform.limits) - room };
  const shaped = shapeAnswer(redact(whole || "Here it is."), files.attached, limits);
  const messages = shaped.parts.map((markdown): AnswerMessage => ({ markdown }));
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return messages;
  if (shaped.files.length > 0) first.files = shaped.files;
  if (mention !== undefined) first.mention = mention;
  if (isPrivate) return messages;
  if (card !== undefined && !isBackground) first.progress = card;
  const isSmallTalk = outcome === "completed" && !hasSteps && messages.length === 1 && isShort(turn, first);
  if (kind === "message" && !isSmallTalk) last.buttons = buttonsOf(turn.turn_id, outcome, hasSteps);
  return messages;
}

/** Whether this is small talk: a few words, such as a greeting, with a few words in reply. */
function isShort({ text }: PresentedTurn, { markdown, files }: AnswerMessage): boolean {
  const asked = text.trim();
  const isBrief = asked.length <= maxSmallTalkLength && asked.split(/\s+/).length <= maxSmallTalkWords;
  return isBrief && !question.test(asked) && markdown.length <= maxSmallTalkAnswer && files === undefined;
}

/** The line above an answer whose question others did not see: that of a command, or of work in the background. */
function whoDidWhat(turn: PresentedTurn, card: ProgressCard | undefined): string {
  const { kind, author, text, platform, to, background } = turn;
  if (background !== undefined) {
    const work = `${background}, in the background: ${oneLine(text, 120)}`;
    return `*${escapeMarkdown(work)}${card === undefined ? "" : ` (${escapeMarkdown(card.title)})`}*`;
  }
  if (kind !== "command" || !platform.isUnseen?.(to)) return "";
  return `**${escapeMarkdown(author.name)}** used ${commandInWords(text)}`;
}

/** A command, with the values of a form in words: `/skill run weather` with city Bern. */
function commandInWords(text: string): string {
  const [, command = "", values = ""] = /^(\/skill run \S+) (\{[\s\S]*\})$/.exec(text) ?? [];
  const given = objectIn(values);
  if (given === undefined) return `\`${oneLine(text.replaceAll("`", "'"), 200)}\``;
  const words = Object.entries(given).map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : canonicalJson(value)}`,
  );
  return `\`${command}\` with ${escapeMarkdown(oneLine(words.join(", "), 200))}`;
}

/** Feedback buttons are below the answer, all other actions in its menu. */
function buttonsOf(turn_id: string, outcome: AnswerReady["outcome"], hasSteps: boolean): OutgoingButton[] {
  type Role = "again" | "continue" | "details" | "teach" | "forget";
  const behind = (role: Role, label: string): OutgoingButton => ({
    action: { role, turn_id },
    label,
    menu: true,
  });
  const opinions: OutgoingButton[] = [
    { action: { role: "feedback", turn_id, good: true }, label: "👍" },
    { action: { role: "feedback", turn_id, good: false }, label: "👎" },
  ];
  return [
    ...(outcome === "failed" || outcome === "stopped" ? [] : opinions),
    behind("again", "Try again"),
    ...(outcome === "limit_reached" ? [behind("continue", "Continue")] : []),
    behind("details", "Details"),
    ...(outcome === "completed" && hasSteps ? [behind("teach", "Make this a skill")] : []),
    behind("forget", "Delete"),
  ];
}

/** The end of a turn whose answer was ready. */
export function finishedBy({ outcome, text, output, private: isPrivate }: AnswerReady): TurnEventBody {
  return { type: "turn_finished", outcome, text, output, private: isPrivate };
}
