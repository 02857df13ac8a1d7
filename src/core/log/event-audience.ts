import type { TurnEventBody } from "./turn-event.ts";

const internal: ReadonlySet<TurnEventBody["type"]> = new Set([
  "transcript_opened",
  "transcript_changed",
  "user_message",
  "call_resumed",
  "call_waiting",
  "link_followed",
  "picture_shown",
  "details_removed",
]);

/** Whether the event is only for replaying the turn; those who watch it see the same in other events. */
export function isInternal(event: TurnEventBody): boolean {
  return internal.has(event.type);
}

/** What is left of a finished turn when its run details are deleted: what was said, posted and answered. */
export const withoutDetails: readonly TurnEventBody["type"][] = [
  "inbound",
  "turn_started",
  "steered",
  "file",
  "message_posted",
  "message_sent",
  "error",
  "turn_finished",
  "details_removed",
];

const ephemeral: ReadonlySet<TurnEventBody["type"]> = new Set([
  "skills_starting",
  "text_delta",
  "text_reset",
  "model_thought",
  "model_delayed",
  "tool_progress",
]);

/** Whether the event is only for those who watch live: the log does not keep it, so nobody can resume after it. */
export function isEphemeral(event: TurnEventBody): boolean {
  return ephemeral.has(event.type) || (event.type === "error" && event.code === "interrupted");
}
