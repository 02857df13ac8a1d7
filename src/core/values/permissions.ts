import type { Approver } from "./approver.ts";
import type { Author, Trust } from "./inbound.ts";
import { isDirectMessage } from "./place.ts";

const ranks: readonly Trust[] = ["guest", "member", "manager", "operator"];

/** Whether somebody has at least this trust. */
export function hasTrust(author: Pick<Author, "trust">, least: Trust): boolean {
  return ranks.indexOf(author.trust) >= ranks.indexOf(least);
}

/** Somebody who repeats what another person asked: as themselves, with no more rights than either of the two has. */
export function onBehalfOf(author: Author, asker: Author): Author {
  return author.id === asker.id || hasTrust(asker, author.trust) ? author : { ...author, trust: asker.trust };
}

/** Whether somebody may change skills and settings of a channel: its managers, and a member in their own direct message. */
export function mayManage(author: Author, namespace: string): boolean {
  return hasTrust(author, "manager") || (isDirectMessage(namespace) && hasTrust(author, "member"));
}

/** Whether somebody may change what the whole bot has: its packages, servers and what code may reach. */
export function mayOperate(author: Author): boolean {
  return hasTrust(author, "operator");
}

/** Whether somebody may stop a turn: who asked, and managers. */
export function mayStop(author: Author, turn: { author: { id: string }; namespace: string }): boolean {
  return turn.author.id === author.id || hasTrust(author, "manager");
}

/** Whether somebody may approve what asks for this approver. A direct message makes nobody a manager here. */
export function mayApprove(
  author: Author,
  approver: Approver | Trust,
  turn: { author: { id: string } },
): boolean {
  if (approver !== "asker") return hasTrust(author, approver);
  return hasTrust(author, "manager") || (author.id === turn.author.id && hasTrust(author, "member"));
}
