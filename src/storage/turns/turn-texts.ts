import type { TurnEvent } from "../../core/log/turn-event.ts";
import { deletedPerson, type Inbound } from "../../core/values/inbound.ts";

/** The line of a turn: that of its thread for a message, one of its own for a command and for work in the background. */
export function lineOf(inbound: Inbound, turnId: string): string {
  if (inbound.cause?.background !== undefined) return `background ${turnId}`;
  return inbound.kind === "command" ? `command ${turnId}` : `thread ${inbound.namespace} ${inbound.thread}`;
}

/** Whether somebody said it: a turn that has a cause is no message of its author to a waiting turn, and no command is. */
export function isSaid({ kind, cause }: Inbound): boolean {
  return kind === "message" && cause === undefined;
}

/** Maximum title of a thread, characters. */
const maxTitle = 120;

/** The beginning of a message as one line, used as the title of its thread. */
export function titleOf(text: string): string {
  const line = text.slice(0, 1_000).replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= maxTitle ? line : `${characters.slice(0, maxTitle - 1).join("")}…`;
}

/** Title of a thread whose naming message was deleted. */
export const forgottenTitle = "Deleted message";

/**
 * The remains of a finished turn: that somebody said something, how it ended, and who deleted it. Its end moves behind all other events, so
 * that followers of the turn see the deletion. Undefined if there is nothing left to forget.
 */
export function withoutTexts(events: readonly TurnEvent[], by: string, at: number): TurnEvent[] | undefined {
  const [entry] = events;
  const end = events.findLast((event) => event.type === "turn_finished");
  if (entry?.type !== "inbound" || end === undefined || end.forgotten_by !== undefined) return undefined;
  const { origin, command: _command, guide: _guide, ...said } = entry.inbound;
  const inbound: Inbound = { ...said, text: "" };
  if (origin !== undefined) inbound.origin = { ...origin, files: [] };
  if (inbound.files !== undefined) inbound.files = [];
  if (inbound.cause !== undefined) {
    const { happened: _happened, says: _says, background: _background, ...cause } = inbound.cause;
    inbound.cause = { ...cause, because: "" };
  }
  const seq = (events.at(-1)?.seq ?? 0) + 1;
  const { output: _output, private: _private, ...rest } = end;
  return [
    { ...entry, inbound },
    { ...rest, text: "", forgotten_by: by, seq, at },
  ];
}

/** The event without a person, given by id, as its author or as who deleted the turn. The same event if unchanged. */
export function disowned(event: TurnEvent, person: string): TurnEvent {
  if (event.type === "inbound" && event.inbound.author.id === person)
    return { ...event, inbound: { ...event.inbound, author: deletedPerson } };
  const isTheirs = event.type === "turn_finished" && event.forgotten_by === person;
  return isTheirs ? { ...event, forgotten_by: deletedPerson.id } : event;
}

/** Entry 0 without the event that began the turn and who caused it; undefined if it has none. */
export function withoutCause(entry: TurnEvent | undefined): TurnEvent | undefined {
  if (entry?.type !== "inbound" || entry.inbound.cause === undefined) return undefined;
  const { happened: _happened, caused_by: _by, ...cause } = entry.inbound.cause;
  return { ...entry, inbound: { ...entry.inbound, cause } };
}
