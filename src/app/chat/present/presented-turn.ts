import type { TurnEventBody } from "../../../core/log/turn-event.ts";
import type { TurnLog } from "../../../core/log/turn-log.ts";
import type { ChatPlatform, ChatPlatforms, ReplyTarget } from "../../../core/ports/chat-platform.ts";
import type { Clock, FileStore, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { Author, Inbound } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import type { Redactor } from "../../../core/values/redact.ts";
import type { ChatPolicy } from "../chat-policy.ts";

/** A turn that is shown on a chat platform, as shared by the parts of its presentation. */
export interface PresentedTurn {
  turn_id: string;
  kind: Inbound["kind"];
  author: Author;
  /** The text of the message. */
  text: string;
  place: Place;
  to: ReplyTarget;
  platform: ChatPlatform;
  /** The person the answer mentions because they do not wait for it, platform user id. */
  mention?: string | undefined;
  /** The agent that works in the background; its progress has a message of its own, and its answer is a new one, which notifies. */
  background?: string | undefined;
  clock: Clock;
  redact: Redactor;
  logger: Log;
  /** Whether another worker had it before, which may have posted messages that are not in the log. */
  resumed: boolean;
  /** Aborted when the turn is left to another worker or to the next start. A stop by a person does not abort it. */
  givenUp: AbortSignal;
  /** The platform ids that its messages may mention; grows with the turn. */
  calls: Set<string>;
  /** The files of turns; without it they are only named. */
  files?: FileStore | undefined;
  /** Adds an event to be stored between the turn's own. */
  note(event: TurnEventBody): void;
}

/** Dependencies for showing turns on chat platforms. */
export interface TurnPresenterDeps {
  log: Pick<TurnLog, "read" | "signals" | "steering">;
  /** How long a question stays open, ms. */
  question_ms: number;
  platforms: ChatPlatforms;
  store: KeyValue;
  clock: Clock;
  redact: Redactor;
  logger: Log;
  chat: ChatPolicy;
  /** The name people call the bot by. */
  name: string;
  /** The files that tools made; without it they are only named. */
  files?: FileStore | undefined;
}

/** Adds the people of an event to those the turn's messages may mention. */
export function noteCalls({ calls }: PresentedTurn, event: TurnEventBody): void {
  if (event.type === "people_named") for (const id of event.ids) calls.add(id);
}
