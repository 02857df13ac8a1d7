import type { ChatActions } from "../ports/chat-actions.ts";
import type { OutgoingPoll } from "../ports/chat-platform.ts";
import { SkillFailure } from "../skill/define-skill.ts";

/** Maximum characters of a question. Source: Discord reference, "Poll Media Object". */
const maxQuestion = 300;

/** Names of the emoji that stand for the answers, as Slack and Discord call them. */
const digits = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten"];

/** A poll as it is posted on a platform. */
export interface PostedPoll {
  /** The text of its message. */
  markdown: string;
  /** Set where the platform has polls. */
  poll?: OutgoingPoll;
  /** The reactions that the bot puts below the message, for people to press. */
  reactions: readonly string[];
}

/** Where a platform has no polls, the answers are numbered and chosen by reactions. @throws SkillFailure for a question that is too long */
export function pollFor(actions: Pick<ChatActions, "polls" | "react">, poll: OutgoingPoll): PostedPoll {
  if (poll.question.length > maxQuestion)
    throw new SkillFailure(
      "too_long",
      `The question of a poll has at most ${maxQuestion} characters.`,
      "Send the rest as a message of its own before it.",
    );
  if (actions.polls) return { markdown: "", poll, reactions: [] };
  const canReact = actions.react !== undefined;
  const how = canReact ? "React with the number" : "Answer with the number";
  const markdown = `${pollInWords(poll)}\n\n*${how}${poll.several ? "; several are fine" : ""}.*`;
  return { markdown, reactions: canReact ? digits.slice(0, poll.answers.length) : [] };
}

/** The question and its numbered answers. */
export function pollInWords({ question, answers }: OutgoingPoll): string {
  return [question, "", ...answers.map((answer, at) => `${at + 1}. ${answer}`)].join("\n");
}
