import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type TurnEventOf, verdictText } from "../../../core/log/turn-event.ts";
import type { PresentedTurn } from "./presented-turn.ts";

/** How something that was asked ended. */
export type PromptEnding =
  | Pick<TurnEventOf<"question_answered">, "type" | "text" | "by">
  | Pick<
      TurnEventOf<"approval_decided">,
      "type" | "by" | "name" | "approved" | "always" | "never" | "for_turn"
    >
  /** Nobody answered in time, or the turn ended before. `permission`: it was asked in the middle of a call. */
  | { type: "late" | "needless"; asked: "question" | "call" | "permission" };

/** The last line of a question or an approval that takes no more answers. */
export async function endingText(turn: PresentedTurn, ending: PromptEnding): Promise<string> {
  switch (ending.type) {
    case "question_answered":
      return `**${await nameOf(turn, ending)}:** ${oneLine(ending.text, 300)}`;
    case "approval_decided":
      return `**${await nameOf(turn, ending)}** ${verdictText(ending)}.`;
    case "late":
      return ending.asked === "question"
        ? "*The time to answer is over.*"
        : "*Nobody decided in time: it was not run.*";
    case "needless":
      return needless[ending.asked];
    default:
      return ending satisfies never;
  }
}

/** What was asked in the middle of a call may have been allowed in another way, and the call gone on. */
const needless = {
  question: "*No answer is needed any more.*",
  call: "*The turn ended before anybody decided: it was not run.*",
  permission: "*No decision is needed any more.*",
};

async function nameOf(
  { author, platform, place, logger, turn_id }: PresentedTurn,
  { by, name }: { by: string; name?: string | undefined },
): Promise<string> {
  if (name !== undefined || by === author.id) return escapeMarkdown(name ?? author.name);
  try {
    return escapeMarkdown((await platform.person(place, by)).name);
  } catch (error) {
    logger.debug({ err: error, turn_id }, "The name of a person is not known");
    return escapeMarkdown(by);
  }
}
