import type { TurnWithEvents } from "../../client/shapes.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import type { ChatSession } from "./chat-session.ts";
import { finalLines } from "./final-lines.ts";
import { plainText } from "./plain-text.ts";

const shownTurns = 5;

/** Shows the last turns of a thread. Answers the one that is not finished, which is to be followed. */
export function showThread(
  turns: readonly TurnWithEvents[],
  { paint, say, screen, interactive }: Pick<ChatSession, "paint" | "say" | "screen" | "interactive">,
): TurnWithEvents | undefined {
  const running = turns.find(({ turn }) => turn.status !== "finished");
  if (!interactive) return running;
  const finished = turns.filter(({ turn }) => turn.status === "finished" && turn.merged_into === undefined);
  const hidden = finished.length - shownTurns;
  if (hidden > 0) say(paint.dim(`… ${hidden} earlier`));
  for (const { turn, events } of finished.slice(-shownTurns)) {
    say(`${paint.accent("›")} ${plainText(turn.question)}`);
    for (const line of finalLines(
      events.reduce(foldTurn, emptyTurnView(turn.turn_id)),
      screen.columns,
      paint,
    ))
      say(line);
  }
  if (running !== undefined) say(`${paint.accent("›")} ${plainText(running.turn.question)}`);
  return running;
}
