import type { ApprovalVerdict } from "../log/turn-view.ts";

/** What a press of one of the bot's buttons does. How a button is shown follows from its role. */
export type ButtonAction =
  | { role: "stop"; turn_id: string; below: "progress" | "answer" }
  | { role: "details" | "again" | "continue" | "forget"; turn_id: string }
  | { role: "feedback"; turn_id: string; good: boolean }
  /** A choice of the turn's open question, counted from 0. */
  | { role: "answer"; turn_id: string; choice: number }
  | { role: "decide"; approval_id: string; verdict: ApprovalVerdict }
  /** Whether a late message is still wanted; `token` names the question. */
  | { role: "late"; token: string; wanted: boolean };

/**
 * The action as text that a platform stores with the button and hands back with a press: at most 100 characters. Messages keep their
 * buttons for years, so the written form of an action never changes.
 */
export function writeButtonId(action: ButtonAction): string {
  switch (action.role) {
    case "stop":
      return action.below === "progress" ? `stop:${action.turn_id}` : `stop-answer:${action.turn_id}`;
    case "feedback":
      return action.good ? `good:${action.turn_id}` : `bad:${action.turn_id}`;
    case "answer":
      return `answer:${action.turn_id}:${action.choice}`;
    case "decide":
      return `${action.verdict === true ? "approve" : action.verdict || "refuse"}:${action.approval_id}`;
    case "late":
      return action.wanted ? `wanted:${action.token}` : `unwanted:${action.token}`;
    default:
      return `${action.role}:${action.turn_id}`;
  }
}

/** A word and an id, which is a UUID; choices and approvals of a turn are numbered. */
const plain = /^([a-z-]+):([A-Za-z0-9-]{1,64})$/;
const numbered = /^([a-z]+):([A-Za-z0-9-]{1,64}):(\d{1,6})$/;

/** The action of an id that `writeButtonId` wrote, in this version or an earlier one; undefined for anything else. */
export function readButtonId(text: string): ButtonAction | undefined {
  const [, word, id] = plain.exec(text) ?? [];
  if (word !== undefined && id !== undefined) return readPlain(word, id);
  const [, what, turn_id, number] = numbered.exec(text) ?? [];
  return what === undefined || turn_id === undefined || number === undefined
    ? undefined
    : readNumbered(what, turn_id, number);
}

function readPlain(word: string, id: string): ButtonAction | undefined {
  switch (word) {
    case "stop":
      return { role: "stop", turn_id: id, below: "progress" };
    case "stop-answer":
      return { role: "stop", turn_id: id, below: "answer" };
    case "details":
    case "again":
    case "continue":
    case "forget":
      return { role: word, turn_id: id };
    case "good":
    case "bad":
      return { role: "feedback", turn_id: id, good: word === "good" };
    case "wanted":
    case "unwanted":
      return { role: "late", token: id, wanted: word === "wanted" };
    default:
      return undefined;
  }
}

function readNumbered(word: string, turn_id: string, number: string): ButtonAction | undefined {
  const approval_id = `${turn_id}:${number}`;
  switch (word) {
    case "answer":
      return number.length > 3 ? undefined : { role: "answer", turn_id, choice: Number(number) };
    case "approve":
    case "refuse":
      return { role: "decide", approval_id, verdict: word === "approve" };
    case "always":
    case "turn":
    case "never":
      return { role: "decide", approval_id, verdict: word };
    default:
      return undefined;
  }
}

/** The turn that a button belongs to; undefined for the question about a late message, which has none yet. */
export function turnOfButton(action: ButtonAction): string | undefined {
  if (action.role === "late") return undefined;
  return action.role === "decide" ? action.approval_id.split(":")[0] : action.turn_id;
}

/** The key of a turn that answers what another one asked once more. @param press tells one press from another */
export function repeatKey(turnId: string, press: string): string {
  return `again:${turnId}:${press}`.slice(0, 300);
}

/** The turn whose question a turn answers once more, by its key. */
export function repeatedTurn(key: string): string | undefined {
  return /^again:([^:]+):/.exec(key)?.[1];
}
