import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { anyOf, namedDeciders } from "../../core/decisions/people-on-cards.ts";
import { addStanding } from "../../core/decisions/standing-decisions.ts";
import { turnOfApproval } from "../../core/log/call-id.ts";
import type { TurnEventOf } from "../../core/log/turn-event.ts";
import type { Signal, TurnReading, TurnRecord, TurnSignals } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import { readArguments, textToEdit } from "../../core/values/call-arguments.ts";
import { printsOf } from "../../core/values/call-binding.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { type Author, mayApprove, mayDecide, planOf } from "../../core/values/inbound.ts";
import { turnLabel } from "../../core/values/shown.ts";
import { isApproval, type Verdict, verdicts } from "../../core/values/verdict.ts";
import type { Audit } from "./audit.ts";

export interface ApprovalDeps {
  log: TurnReading & TurnSignals;
  store: KeyValue;
  clock: Pick<Clock, "now">;
  audit: Audit;
  /** Where the people who may decide are looked up. */
  platforms: Pick<ChatPlatforms, "of">;
  /** Called when a decision is stored, with the standing decision that follows from it. */
  wake(): void;
}

type Requested = TurnEventOf<"approval_requested">;

/** Approvals that tools asked for. */
export function createApprovals(deps: ApprovalDeps) {
  return {
    /** The request, for its asker and those who may decide. `text`: what this person may edit now. A failure is as that of `mayDecide`. */
    async show(
      approvalId: string,
      by: Author,
    ): Promise<Outcome<{ asked: Requested; text: string | undefined }>> {
      const found = await findAsked(deps, approvalId);
      if (found === undefined) return nothingAsked(approvalId);
      const { turn, asked, isOver } = found;
      const may = mayDecide(by, asked, turn);
      if (!may && by.id !== turn.author.id) return notAllowed(deps, asked, turn);
      return { ok: true, value: { asked, text: may && !isOver ? textToEdit(asked) : undefined } };
    },
    /** Whether a person may decide. A failure says who has to, or that the id is unknown. */
    async mayDecide(approvalId: string, by: Author): Promise<Outcome<unknown>> {
      const found = await findAsked(deps, approvalId);
      if (found === undefined) return nothingAsked(approvalId);
      const { turn, asked } = found;
      const may = mayDecide(by, asked, turn);
      return may ? { ok: true, value: undefined } : notAllowed(deps, asked, turn);
    },
    /**
     * Decides; `decided` is false when it was already decided or has expired. Where no standing decision is possible, the verdict counts
     * once.
     * @param edited the text that runs in place of the quoted one; such a decision approves this one call
     */
    async decide(
      approvalId: string,
      verdict: Verdict,
      by: Author,
      edited?: string,
    ): Promise<Outcome<{ decided: boolean }>> {
      const found = await findAsked(deps, approvalId);
      if (found === undefined) return nothingAsked(approvalId);
      const { turn, asked, isOver } = found;
      if (edited !== undefined && textToEdit(asked) === undefined) return nothingToEdit;
      const meant = possible(edited === undefined ? verdict : "once", asked);
      const decision = decisionOf(approvalId, meant, by, edited);
      if (isOver || !(await storeDecision(deps, turn.turn_id, decision))) return tooLate;
      await storeStanding(deps, found, meant, by);
      // Only now: other calls of the turn that wait look for a standing decision.
      deps.wake();
      deps.audit.record({ by, ...auditOf(meant, found, edited) });
      return { ok: true, value: { decided: true } };
    },
  };
}

type Found = NonNullable<Awaited<ReturnType<typeof findAsked>>>;

/** The audit does not tell what a private turn asked for. */
function auditOf(verdict: Verdict, found: Found, edited: string | undefined) {
  const { turn, message, isPrivate } = found;
  const asked = isPrivate ? { ...found.asked, says: undefined } : found.asked;
  const [action, did] = verdicts[verdict].audit;
  const how = edited === undefined ? did : `${did}, with changes,`;
  const detail = `${how} **${nameOf(asked)}**, asked for by ${escapeMarkdown(turn.author.name)}`;
  const subject = asked.label ?? asked.says?.deed ?? asked.tool;
  return { action, namespace: turn.namespace, subject, detail, about: turn.author, message };
}

const nothingToEdit: Outcome<never> = {
  ok: false,
  status: 400,
  message: "This call has no text that can be edited.",
};

function nothingAsked(approvalId: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is nothing to approve called ${approvalId}.` };
}

/** The verdict, where the request allows it; otherwise it counts once. */
function possible(verdict: Verdict, asked: Requested): Verdict {
  const isPossible = verdict === "turn" ? turnLabel(asked) !== undefined : asked.binds !== undefined;
  return isPossible ? verdict : isApproval(verdict) ? "once" : "refuse";
}

type ApprovalSignal = Extract<Signal, { type: "approval" }>;

function decisionOf(
  approval_id: string,
  verdict: Verdict,
  { id, name }: Author,
  edited: string | undefined,
): ApprovalSignal {
  return {
    type: "approval",
    ...{ approval_id, approved: isApproval(verdict), by: id, name, edited },
    always: verdict === "always" || undefined,
    never: verdict === "never" || undefined,
    for_turn: verdict === "turn" || undefined,
  };
}

/** Whether the decision counts: the first one does. */
async function storeDecision(
  { log, clock }: ApprovalDeps,
  turnId: string,
  decision: ApprovalSignal,
): Promise<boolean> {
  if ((await firstDecision(log, turnId, decision.approval_id)) !== undefined) return false;
  if (!(await log.signal(turnId, decision, clock.now()))) return false;
  // When two decide at the same moment, the log says who was first.
  const first = await firstDecision(log, turnId, decision.approval_id);
  return first?.by === decision.by && first.approved === decision.approved;
}

/**
 * A decision of a manager or operator applies to everyone in the channel, up to their own rank; a decision of an asker to the asker.
 */
async function storeStanding(
  { store, clock }: ApprovalDeps,
  { turn: { namespace }, cause, asked: { binds, input } }: Found,
  verdict: Verdict,
  by: Author,
): Promise<void> {
  if (binds === undefined || (verdict !== "always" && verdict !== "never")) return;
  const isManager = mayApprove(by, "manager", { author: by });
  const approver = mayApprove(by, "operator", { author: by }) ? "operator" : isManager ? "manager" : "asker";
  await addStanding(store, namespace, {
    verdict,
    binding: { ...binds, seen: await printsOf(readArguments(input, binds.open).free) },
    approver,
    by: by.id,
    name: by.name,
    at: clock.now(),
    only_for: isManager ? undefined : by.id,
    ...(planOf(cause) === undefined || verdict === "never" ? {} : { within: cause?.id }),
  });
}

async function findAsked({ log, clock }: ApprovalDeps, approvalId: string) {
  const turnId = turnOfApproval(approvalId);
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
  const { cause, origin } = entry?.type === "inbound" ? entry.inbound : {};
  return {
    turn,
    asked,
    cause,
    message: origin?.message,
    isPrivate: isPrivateTurn(events),
    isOver: isDecided || turn.status === "finished" || clock.now() >= asked.expires_at,
  };
}

const tooLate: Outcome<{ decided: boolean }> = { ok: true, value: { decided: false } };

/** Maximum people that a refusal names. */
const maxNamed = 3;

async function notAllowed(
  { platforms }: ApprovalDeps,
  asked: Requested,
  { namespace, thread, author }: TurnRecord,
): Promise<Outcome<never>> {
  const { approver, person } = asked;
  if (person !== undefined)
    return {
      ok: false,
      status: 403,
      message: `Only ${escapeMarkdown(person.name)} can decide ${aboutWhat(asked)}.`,
    };
  const known =
    approver === "manager" || approver === "operator"
      ? await namedDeciders(platforms.of(namespace), { namespace, thread }, approver, author.id)
      : [];
  const names = known.flatMap(({ name }) => (name === undefined ? [] : [escapeMarkdown(oneLine(name, 80))]));
  const some = names.slice(0, maxNamed);
  const ask = some.length === 0 ? "Ask one of them." : `Ask ${anyOf(some, known.length - some.length)}.`;
  const who = `${whoMay(approver, author.name)} has to decide ${aboutWhat(asked)}.`;
  return { ok: false, status: 403, message: `${who} ${ask}` };
}

/** The name of the call, without anything from the conversation. */
function nameOf({ label, says, tool }: Requested): string {
  return escapeMarkdown(oneLine(label ?? says?.deed ?? tool, 200));
}

/** `whether to send a message to #general`; `about NAME` for a request that has a name of its own. */
function aboutWhat(asked: Requested): string {
  const { label, says } = asked;
  return `${label === undefined && says !== undefined ? "whether to" : "about"} ${nameOf(asked)}`;
}

/** Who may decide, at the beginning of a sentence. */
function whoMay(approver: Requested["approver"], asker: string): string {
  if (approver === "operator") return "An operator of the bot";
  return approver === "asker"
    ? `${escapeMarkdown(asker)}, who asked, or a manager`
    : "A manager of this channel";
}

async function firstDecision(log: TurnReading & TurnSignals, turnId: string, approvalId: string) {
  for (const signal of await log.signals(turnId)) {
    if (signal.type === "approval" && signal.approval_id === approvalId) return signal;
  }
  return undefined;
}
