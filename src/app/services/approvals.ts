import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { anyOf, namedDeciders } from "../../core/decisions/people-on-cards.ts";
import { addStanding } from "../../core/decisions/standing-decisions.ts";
import { turnOfApproval } from "../../core/log/call-id.ts";
import type { TurnEventOf } from "../../core/log/turn-event.ts";
import type { Signal, TurnRecord } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import { readArguments, textToEdit } from "../../core/values/call-arguments.ts";
import { printsOf } from "../../core/values/call-binding.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { type Author, type Inbound, mayApprove, mayDecide, planOf } from "../../core/values/inbound.ts";
import { turnLabel } from "../../core/values/shown.ts";
import { isApproval, type Verdict, verdicts } from "../../core/values/verdict.ts";
import type { AppDeps } from "../app-deps.ts";
import type { Audit } from "./audit.ts";

type Requested = TurnEventOf<"approval_requested">;

/** A request for approval, with its turn. `isOver`: nothing can be decided any more. */
interface Found {
  turn: TurnRecord;
  asked: Requested;
  cause: Inbound["cause"];
  message: string | undefined;
  isPrivate: boolean;
  isOver: boolean;
}

/** What approvals work with. */
interface ApprovalDesk extends Pick<AppDeps, "log" | "store" | "clock"> {
  audit: Audit;
  /** Where the people who may decide are looked up. */
  platforms: Pick<ChatPlatforms, "of">;
  /** Called when a decision is stored, with the standing decision that follows from it. */
  wake(): void;
}

/** Approvals that tools asked for. */
export class Approvals {
  readonly #desk: ApprovalDesk;

  constructor(desk: ApprovalDesk) {
    this.#desk = desk;
  }

  /** The request, for its asker and those who may decide. `text`: what this person may edit now. A failure is as that of `mayDecide`. */
  async show(
    approvalId: string,
    by: Author,
  ): Promise<Outcome<{ asked: Requested; text: string | undefined }>> {
    const found = await this.#find(approvalId);
    if (!found.ok) return found;
    const { turn, asked, isOver } = found.value;
    const may = mayDecide(by, asked, turn);
    if (!may && by.id !== turn.author.id) return this.#notAllowed(asked, turn);
    return { ok: true, value: { asked, text: may && !isOver ? textToEdit(asked) : undefined } };
  }

  /** Whether a person may decide. A failure says who has to, or that the id is unknown. */
  async mayDecide(approvalId: string, by: Author): Promise<Outcome<unknown>> {
    const found = await this.#find(approvalId);
    if (!found.ok) return found;
    const { turn, asked } = found.value;
    return mayDecide(by, asked, turn) ? found : this.#notAllowed(asked, turn);
  }

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
    const { wake, audit } = this.#desk;
    const found = await this.#find(approvalId);
    if (!found.ok) return found;
    const { turn, asked, isOver } = found.value;
    if (edited !== undefined && textToEdit(asked) === undefined) return nothingToEdit;
    const meant = possible(edited === undefined ? verdict : "once", asked);
    const decision = decisionOf(approvalId, meant, by, edited);
    if (isOver || !(await this.#store(turn.turn_id, decision)))
      return { ok: true, value: { decided: false } };
    await this.#storeStanding(found.value, meant, by);
    // Only now: other calls of the turn that wait look for a standing decision.
    wake();
    audit.record({ by, ...auditOf(meant, found.value, edited) });
    return { ok: true, value: { decided: true } };
  }

  async #find(approvalId: string): Promise<Outcome<Found>> {
    const { log, clock } = this.#desk;
    const turnId = turnOfApproval(approvalId);
    const turn = await log.get(turnId);
    const events = turn === undefined ? [] : await log.read(turnId);
    const asked = events.find(
      (event): event is Requested => event.type === "approval_requested" && event.approval_id === approvalId,
    );
    if (turn === undefined || asked === undefined)
      return failed(404, `There is nothing to approve called ${approvalId}.`);
    const isDecided = events.some(
      (event) => event.type === "approval_decided" && event.approval_id === approvalId,
    );
    const [entry] = events;
    const { cause, origin } = entry?.type === "inbound" ? entry.inbound : {};
    const isOver = isDecided || turn.status === "finished" || clock.now() >= asked.expires_at;
    const isPrivate = isPrivateTurn(events);
    return { ok: true, value: { turn, asked, cause, message: origin?.message, isPrivate, isOver } };
  }

  /** Whether the decision counts: the first one does. */
  async #store(turnId: string, decision: ApprovalSignal): Promise<boolean> {
    const { log, clock } = this.#desk;
    if ((await this.#firstDecision(turnId, decision.approval_id)) !== undefined) return false;
    if (!(await log.signal(turnId, decision, clock.now()))) return false;
    // When two decide at the same moment, the log says who was first.
    const first = await this.#firstDecision(turnId, decision.approval_id);
    return first?.by === decision.by && first.approved === decision.approved;
  }

  async #firstDecision(turnId: string, approvalId: string): Promise<ApprovalSignal | undefined> {
    const signals = await this.#desk.log.signals(turnId);
    return signals.find(
      (signal): signal is ApprovalSignal & (typeof signals)[number] =>
        signal.type === "approval" && signal.approval_id === approvalId,
    );
  }

  /** A decision of a manager or operator applies to everyone in the channel, up to their own rank; a decision of an asker to the asker. */
  async #storeStanding({ turn, cause, asked: { binds, input } }: Found, verdict: Verdict, by: Author) {
    const { store, clock } = this.#desk;
    if (binds === undefined || (verdict !== "always" && verdict !== "never")) return;
    const isManager = mayApprove(by, "manager", { author: by });
    const approver = mayApprove(by, "operator", { author: by })
      ? "operator"
      : isManager
        ? "manager"
        : "asker";
    await addStanding(store, turn.namespace, {
      verdict,
      binding: { ...binds, seen: await printsOf(readArguments(input, binds.open).free) },
      approver,
      by: by.id,
      name: by.name,
      at: clock.now(),
      only_for: isManager ? undefined : by.id,
      within: planOf(cause) === undefined || verdict === "never" ? undefined : cause?.id,
    });
  }

  async #notAllowed(asked: Requested, { namespace, thread, author }: TurnRecord): Promise<Outcome<never>> {
    const { approver, person } = asked;
    if (person !== undefined)
      return failed(403, `Only ${escapeMarkdown(person.name)} can decide ${aboutWhat(asked)}.`);
    const platform = this.#desk.platforms.of(namespace);
    const known =
      approver === "manager" || approver === "operator"
        ? await namedDeciders(platform, { namespace, thread }, approver, author.id)
        : [];
    const names = known.flatMap(({ name }) =>
      name === undefined ? [] : [escapeMarkdown(oneLine(name, 80))],
    );
    const some = names.slice(0, maxNamed);
    const ask = some.length === 0 ? "Ask one of them." : `Ask ${anyOf(some, known.length - some.length)}.`;
    return failed(403, `${whoMay(approver, author.name)} has to decide ${aboutWhat(asked)}. ${ask}`);
  }
}

/** Maximum people that a refusal names. */
const maxNamed = 3;

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
