import { escapeMarkdown } from "../../base/markdown-text.ts";
import { addAllowance, type Binding } from "../../core/allowance.ts";
import type { Clock } from "../../core/clock.ts";
import type { Author, Cause } from "../../core/inbound.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { Outcome } from "../../core/outcome.ts";
import { mayApprove } from "../../core/permissions.ts";
import type { TurnEventOf } from "../../core/turn-event.ts";
import type { Signal, TurnReading, TurnSignals } from "../../core/turn-log.ts";
import type { ApprovalVerdict } from "../../core/turn-view.ts";
import type { Audit } from "./audit.ts";

export interface ApprovalDeps {
  log: TurnReading & TurnSignals;
  store: KeyValue;
  clock: Pick<Clock, "now">;
  audit: Audit;
  /** There is a decision to take up. */
  wake(): void;
}

/** What tools asked for. */
export interface Approvals {
  /** Whether a person may decide it; not ok: who has to, or that nothing was asked under that id. */
  mayDecide(approvalId: string, by: Author): Promise<Outcome<unknown>>;
  /**
   * Decides it; `decided` is false when somebody was faster, or it is over. `always`: approved, and calls like it are not asked about
   * in the channel any more; what cannot be allowed for good is approved once. `turn`: approved, and the sites it names may be
   * reached for the rest of the turn.
   */
  decide(approvalId: string, verdict: ApprovalVerdict, by: Author): Promise<Outcome<{ decided: boolean }>>;
}

type Requested = TurnEventOf<"approval_requested">;

export function createApprovals(deps: ApprovalDeps): Approvals {
  return {
    async mayDecide(approvalId, by) {
      const found = await findAsked(deps, approvalId);
      if (found === undefined) return nothingAsked(approvalId);
      const { turn, asked } = found;
      const may = mayApprove(by, asked.approver, turn);
      return may ? { ok: true, value: undefined } : notAllowed(asked, turn.author);
    },
    async decide(approvalId, verdict, by) {
      const found = await findAsked(deps, approvalId);
      if (found === undefined) return nothingAsked(approvalId);
      const { turn, asked, isOver } = found;
      const { word, binds } = meaningOf(verdict, asked);
      const decision = decisionOf(approvalId, word, by);
      if (isOver || !(await storeDecision(deps, turn.turn_id, decision))) return tooLate;
      if (binds !== undefined) await allow(deps, turn.namespace, binds, by, found.cause);
      const [action, did] = words[word];
      const detail = `${did} **${asked.tool}**, asked for by ${escapeMarkdown(turn.author.name)}`;
      const what = { namespace: turn.namespace, subject: asked.tool, detail, about: turn.author };
      deps.audit.record({ action, by, ...what });
      return { ok: true, value: { decided: true } };
    },
  };
}

function nothingAsked(approvalId: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is nothing to approve called ${approvalId}.` };
}

function meaningOf(
  verdict: ApprovalVerdict,
  { binds, addresses = [] }: Requested,
): { word: keyof typeof words; binds?: Binding } {
  if (verdict === "always" && binds !== undefined) return { word: "always", binds };
  if (verdict === "turn" && addresses.length > 0) return { word: "turn" };
  return { word: verdict === false ? "refused" : "once" };
}

type ApprovalSignal = Extract<Signal, { type: "approval" }>;

function decisionOf(approval_id: string, word: keyof typeof words, by: Author): ApprovalSignal {
  const approved = word !== "refused";
  const always = word === "always" ? ({ always: true } as const) : {};
  const turn = word === "turn" ? ({ for_turn: true } as const) : {};
  return { type: "approval", approval_id, approved, by: by.id, name: by.name, ...always, ...turn };
}

/** Whether the decision counts: the first one does. */
async function storeDecision(
  { log, clock, wake }: ApprovalDeps,
  turnId: string,
  decision: ApprovalSignal,
): Promise<boolean> {
  if ((await firstDecision(log, turnId, decision.approval_id)) !== undefined) return false;
  if (!(await log.signal(turnId, decision, clock.now()))) return false;
  wake();
  // Of two at the same moment the log says who was first.
  const first = await firstDecision(log, turnId, decision.approval_id);
  return first?.by === decision.by && first.approved === decision.approved;
}

const words = {
  once: ["approval_approved", "approved"],
  always: ["approval_always", "approved, here and always,"],
  turn: ["approval_approved", "approved, for the whole turn,"],
  refused: ["approval_refused", "refused"],
} as const;

/**
 * What a manager or operator allows is allowed to everyone in the channel, up to their own rank; what an asker allows, to them. In a turn
 * of a schedule or trigger it is allowed to that alone.
 */
async function allow(
  { store, clock }: ApprovalDeps,
  namespace: string,
  binding: Binding,
  by: Author,
  cause: Cause | undefined,
) {
  const isManager = mayApprove(by, "manager", { author: by });
  const approver = mayApprove(by, "operator", { author: by }) ? "operator" : isManager ? "manager" : "asker";
  await addAllowance(store, namespace, {
    ...{ binding, approver, by: by.id, name: by.name, at: clock.now() },
    ...(isManager ? {} : { only_for: by.id }),
    ...(cause === undefined ? {} : { within: cause.id }),
  });
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
  const [entry] = events;
  const cause = entry?.type === "inbound" ? entry.inbound.cause : undefined;
  return {
    turn,
    asked,
    cause,
    isOver: isDecided || turn.status === "finished" || clock.now() >= asked.expires_at,
  };
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

async function firstDecision(log: TurnReading & TurnSignals, turnId: string, approvalId: string) {
  for (const signal of await log.signals(turnId)) {
    if (signal.type === "approval" && signal.approval_id === approvalId) return signal;
  }
  return undefined;
}
