/**
 * The ids of calls and of what belongs to them. They are formed and read here alone, because stored events and the buttons of posted
 * messages contain them (log-5).
 *
 * | id | of |
 * |---|---|
 * | `CALL` | a call of the turn's model, as the model named it; an approval of the call before it starts |
 * | `CALL/1`, `CALL/ID` | a call made by a call, or by the model of the sub-run that works on it |
 * | `CALL?1`, `CALL?KEY` | a question of a call |
 * | `CALL/approval:1`, `CALL/approval:KEY` | an approval in the middle of a call |
 * | `TURN:1` | an approval, as people and buttons name it |
 * | `message:TURN`, `answer:TURN` | a long text of a turn, which `read_file` reads like the output of a call |
 */

const approvalMark = "/approval:";

/** The id of a call that a call makes, or that the model of its sub-run makes; `id` itself without an outer call. */
export function innerCallId(outer: string | undefined, id: string | number): string {
  return outer === undefined ? `${id}` : `${outer}/${id}`;
}

/** The id of a call inside an outer one; undefined if it is not inside. Reads what `innerCallId` forms. */
export function idInside(outer: string | undefined, id: string): string | undefined {
  const start = innerCallId(outer, "");
  return id.startsWith(start) ? id.slice(start.length) : undefined;
}

export function questionIdOf(callId: string, key: string | number): string {
  return `${callId}?${key}`;
}

/** The id under which a call asks for an approval; with a key, in the middle of the call. */
export function askingId(callId: string, key: string | number): string {
  return `${callId}${approvalMark}${key}`;
}

/** The call that asks for an approval under this id, and the key if it asks in the middle of the call. */
export function readAskingId(id: string): { callId: string; key?: string } {
  const at = id.indexOf(approvalMark);
  return at < 0 ? { callId: id } : { callId: id.slice(0, at), key: id.slice(at + approvalMark.length) };
}

/** Whether an id is that of the call, or of a call, question or approval within it. */
export function isOfCall(id: string, callId: string): boolean {
  return id.startsWith(callId) && (id.length === callId.length || "?/".includes(id.charAt(callId.length)));
}

export function approvalIdOf(turnId: string, number: number): string {
  return `${turnId}:${number}`;
}

/** The turn that asks for an approval. */
export function turnOfApproval(approvalId: string): string {
  return approvalId.slice(0, Math.max(0, approvalId.lastIndexOf(":")));
}

type TextOfTurn = "message" | "answer";

export function textIdOf(kind: TextOfTurn, turnId: string): string {
  return `${kind}:${turnId}`;
}

/** Reads what `textIdOf` forms; undefined for the id of a call. */
export function readTextId(id: string): { kind: TextOfTurn; turnId: string } | undefined {
  const [, kind, turnId] = /^(message|answer):(.+)$/s.exec(id) ?? [];
  return kind === undefined || turnId === undefined ? undefined : { kind: kind as TextOfTurn, turnId };
}
