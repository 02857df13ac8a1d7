import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";

/** All events of a turn that only announces something: a reminder, or news of a schedule. It needs no model. */
export async function* sayForCause({ inbound, events }: ClaimedTurn): AsyncGenerator<TurnEventBody, void> {
  const isResumed = events.some((event) => event.type === "turn_started");
  yield isResumed ? { type: "turn_resumed" } : { type: "turn_started", profile: "command", model: "" };
  yield { type: "turn_finished", outcome: "completed", text: inbound.cause?.says ?? "" };
}
