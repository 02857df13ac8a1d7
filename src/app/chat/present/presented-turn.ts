import type { ChatPlatform, MessageTag, ReplyTarget } from "../../../core/chat-platform.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Author, Inbound } from "../../../core/inbound.ts";
import type { Log } from "../../../core/log.ts";
import type { Place } from "../../../core/place.ts";
import type { Redact } from "../../../core/redact.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/turn-event.ts";

/** A turn that is shown on a chat platform: what the parts of its presentation share. */
export interface PresentedTurn {
  turn_id: string;
  kind: Inbound["kind"];
  author: Author;
  /** What was said. */
  text: string;
  place: Place;
  to: ReplyTarget;
  platform: ChatPlatform;
  clock: Clock;
  redact: Redact;
  logger: Log;
  /** Whether a worker had it before, who may have posted messages that are not in the log. */
  resumed: boolean;
  /** Aborted when the turn is left to another worker or to the next start. A stop by a person does not abort it. */
  givenUp: AbortSignal;
  /** An event to be stored between the turn's own. */
  note(event: TurnEventBody): void;
}

/** A message of the turn: where it is, if it is there. */
export interface MessageSlot {
  tag: MessageTag;
  reference: string | undefined;
  /** It may be on the platform without our knowing: it is looked for before it is posted. */
  lookFirst: boolean;
}

/** A slot as the log knows it. */
export function slotOf(
  { turn_id, resumed }: PresentedTurn,
  events: readonly TurnEvent[],
  purpose: MessageTag["purpose"],
  part: number,
): MessageSlot {
  const reference = lastReference(events, purpose, part);
  return { tag: { turn_id, purpose, part }, reference, lookFirst: resumed && reference === undefined };
}

/** The message that was posted last for this purpose, if one was. */
export function lastReference(
  events: readonly TurnEvent[],
  purpose: MessageTag["purpose"],
  part: number,
): string | undefined {
  const posted = events.findLast(
    (event) => event.type === "message_posted" && event.purpose === purpose && event.part === part,
  );
  return posted?.type === "message_posted" ? posted.reference : undefined;
}
