/** What a call does, and who decides about it. */

/**
 * What running a tool does to the world. A `read_only` or `idempotent` call may be run again after a crash; a
 * `side_effect` call that had started is not, and the model is told that its outcome is unknown.
 */
export type ToolEffect = "read_only" | "idempotent" | "side_effect";

/**
 * Who may decide about a call, the least first: the person the turn is for, a manager of the channel, an operator of the bot. Who
 * stands higher may decide too.
 */
export type Approver = (typeof approvers)[number];

export const approvers = ["asker", "manager", "operator"] as const;

/** Whether one approver may decide what asks for another. */
export function isAtLeast(approver: Approver, least: Approver): boolean {
  return approvers.indexOf(approver) >= approvers.indexOf(least);
}

/** That a call asks before it runs. */
export interface ApprovalNeed {
  approver: Approver;
  /** Why it asks: a whole sentence for people. */
  reason: string;
}
