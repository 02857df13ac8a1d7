import type { TurnEvent } from "../core/turn-event.ts";
import type { Connection } from "./bot-connection.ts";

/**
 * What the agent hears when it asks a question and nobody can answer: a script runs `ask`, and the bot ends with this process.
 * A bot that runs elsewhere keeps the question open for the console instead.
 */
export const nobodyThere =
  "Nobody is here to answer; this runs from a script. Decide yourself, and say in the answer what you assumed.";

/** What needs a decision does not run where nobody can decide. With a bot that runs elsewhere this does nothing. */
export async function answerForNobody(event: TurnEvent, { client, remote }: Connection): Promise<void> {
  if (remote !== undefined) return;
  if (event.type === "question_asked")
    await client.call("turn.answer", {
      id: event.turn_id,
      question_id: event.question_id,
      text: nobodyThere,
    });
  if (event.type === "approval_requested")
    await client.call("approval.decide", { id: event.approval_id, approve: false });
}
