import type { Clock } from "../core/clock.ts";
import type { Author } from "../core/inbound.ts";
import type { TurnEventOf } from "../core/turn-event.ts";
import type { Signal, TurnLog } from "../core/turn-log.ts";
import type { Audit } from "./audit.ts";
import { escapeMarkdown } from "./chat/present/escape-markdown.ts";
import type { Outcome } from "./outcome.ts";
import { mayApprove } from "./permissions.ts";

export interface ApprovalDeps {
  log: TurnLog;
  clock: Pick<Clock, "now">;
  audit: Audit;
  /** There is a decision to take up. */
  wake(): void;
}

/** Decides what a tool asked for; `App.approve`. */
export type Approve = (
  approvalId: string,
  approved: boolean,
  by: Author,
) => Promise<Outcome<{ decided: boolean }>>;

type Requested = TurnEventOf<"approval_requested">;

/** A decision is stored only when its author may make it and nobody was faster. `decided` is false when it came too late. */
export function createApprove(deps: ApprovalDeps): Approve {
  const { log, clock, audit, wake } = deps;
  return async (approvalId, approved, by) => {
    const found = await findAsked(deps, approvalId);
    if (found === undefined) {
      return { ok: false, status: 404, message: `There is nothing to approve called ${approvalId}.` };
    }
    const { turn, asked, isOver } = found;
    if (!mayApprove(by, asked.approver, turn)) return notAllowed(asked, turn.author);
    if (isOver || (await firstDecision(log, turn.turn_id, approvalId)) !== undefined) return tooLate;
    const decision: Signal = {
      type: "approval",
      approval_id: approvalId,
      approved,
      by: by.id,
      name: by.name,
    };
    if (!(await log.signal(turn.turn_id, decision, clock.now()))) return tooLate;
    wake();
    // Of two at the same moment the log says who was first.
    const first = await firstDecision(log, turn.turn_id, approvalId);
    if (first?.by !== by.id || first.approved !== approved) return tooLate;
    const [action, word] = approved ? ["approval_approved", "approved"] : ["approval_refused", "refused"];
    const detail = `${word} **${asked.tool}**, asked for by ${escapeMarkdown(turn.author.name)},`;
    audit.record({ action, by, namespace: turn.namespace, subject: asked.tool, detail });
    return { ok: true, value: { decided: true } };
  };
}

/** An approval id is its turn's and a number. */
async function findAsked({ log, clock }: ApprovalDeps, approvalId: string) {
  const turnId = approvalId.slice(0, Math.max(0, approvalId.lastIndexOf(":")));
  const turn = await log.get(turnId);
  if (turn === undefined) return undefined;
  const events = await log.read(turnId);
  const asked = events.find(
    (event): event is Requested => event.type === "approval_requested" && event.approval_id === approvalId,
  );
  if (asked === undefined) return undefined;
  const isDecided = events.some(
    (event) => event.type === "approval_decided" && event.approval_id === approvalId,
  );
  return { turn, asked, isOver: isDecided || turn.status === "finished" || clock.now() >= asked.expires_at };
}

const tooLate: Outcome<{ decided: boolean }> = { ok: true, value: { decided: false } };

function notAllowed({ approver, tool }: Requested, asker: Author): Outcome<never> {
  const who = deciders(approver, asker.name);
  return { ok: false, status: 403, message: `${who} has to decide about ${tool}. Ask one of them.` };
}

/** Who may decide, at the beginning of a sentence. */
function deciders(approver: Requested["approver"], asker: string): string {
  if (approver === "operator") return "An operator of the bot";
  return approver === "asker" ? `${asker}, who asked, or a manager` : "A manager of this channel";
}

async function firstDecision(log: TurnLog, turnId: string, approvalId: string) {
  for (const signal of await log.signals(turnId)) {
    if (signal.type === "approval" && signal.approval_id === approvalId) return signal;
  }
  return undefined;
}
