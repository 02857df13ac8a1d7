import type { ChatActions, OutgoingPoll } from "../ports/chat-actions.ts";
import { SkillFailure } from "../skill/define-skill.ts";

/** Maximum characters of a question. Source: Discord reference, "Poll Media Object". */
const maxQuestion = 300;

/** Names of the emoji that stand for the answers, as Slack and Discord call them. */
const digits = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten"];

/** A message as it is posted on a platform, which may have polls or not. */
export interface PostedText {
  /** What the person is shown who approves it. */
  shown: string;
  /** Whether they may change it then. */
  edits?: true;
  /** The text of the message. */
  markdown: string;
  poll?: { poll: OutgoingPoll };
  /** The reactions that the bot puts below the message, for people to press. */
  reactions: readonly string[];
}

/**
 * The text, or the poll about it. Where a platform has no polls, the answers are numbered and chosen by reactions.
 * @throws SkillFailure for a question that is too long
 */
export function postedText(
  actions: Pick<ChatActions, "polls" | "react">,
  text: string,
  asked: Omit<OutgoingPoll, "question"> | undefined,
): PostedText {
  if (asked === undefined) return { shown: text, edits: true, markdown: text, reactions: [] };
  if (text.length > maxQuestion)
    throw new SkillFailure(
      "too_long",
      `The question of a poll has at most ${maxQuestion} characters.`,
      "Send the rest as a message of its own before it.",
    );
  const { answers, several } = asked;
  const shown = [text, "", ...answers.map((answer, at) => `${at + 1}. ${answer}`)].join("\n");
  if (actions.polls)
    return { shown, markdown: "", poll: { poll: { question: text, ...asked } }, reactions: [] };
  const canReact = actions.react !== undefined;
  const how = canReact ? "React with the number" : "Answer with the number";
  const markdown = `${shown}\n\n*${how}${several ? "; several are fine" : ""}.*`;
  return { shown, markdown, reactions: canReact ? digits.slice(0, answers.length) : [] };
}
