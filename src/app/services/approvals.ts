import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { addStanding, type StandingDecision } from "../../core/decisions/standing-decisions.ts";
import { anyOf, namedDeciders } from "../../core/effects/mentioning.ts";
import type { TurnEventOf } from "../../core/log/turn-event.ts";
import type { Signal, TurnRecord } from "../../core/log/turn-log.ts";
import type { ApprovalVerdict } from "../../core/log/turn-view.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import { textToEdit } from "../../core/values/call-arguments.ts";
import type { Binding } from "../../core/values/call-binding.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { type Author, mayApprove, mayDecide, planOf } from "../../core/values/inbound.ts";
import { turnLabel } from "../../core/values/shown.ts";
import type { AppDeps } from "../app-deps.ts";
import type { Audit } from "./audit.ts";

type ApprovalDeps = Pick<AppDeps, "log" | "store" | "clock"> & {
  audit: Pick<Audit, "record">;
  /** Where the people who may decide are looked up. */
  platforms: Pick<ChatPlatforms, "of">;
  /** Called when a decision is stored. */
  wake(): void;
};

type Requested = TurnEventOf<"approval_requested">;

/** Approvals that tools asked for. */
export class Approvals {
  readonly #deps: ApprovalDeps;

  constructor(deps: ApprovalDeps) {
    this.#deps = deps;
  }

  /** The request, for its asker and those who may decide. `text`: what this person may edit now. A failure is as that of `mayDecide`. */
  async show(
    approvalId: string,
    by: Author,
  ): Promise<Outcome<{ asked: Requested; text: string | undefined }>> {
    const found = await findAsked(this.#deps, approvalId);
    if (found === undefined) return nothingAsked(approvalId);
    const { turn, asked, isOver } = found;
    const may = mayDecide(by, asked, turn);
    if (!may && by.id !== turn.author.id) return notAllowed(this.#deps, asked, turn);
    return { ok: true, value: { asked, text: may && !isOver ? textToEdit(asked) : undefined } };
  }

  /** Whether a person may decide. A failure says who has to, or that the id is unknown. */
  async mayDecide(approvalId: string, by: Author): Promise<Outcome<unknown>> {
    const found = await findAsked(this.#deps, approvalId);
    if (found === undefined) return nothingAsked(approvalId);
    const { turn, asked } = found;
    return mayDecide(by, asked, turn) ? { ok: true, value: undefined } : notAllowed(this.#deps, asked, turn);
  }

  /**
   * Decides; `decided` is false when it was already decided or has expired. `always`: approved, and calls like it no longer ask in the
   * channel; `never`: refused, and calls like it are refused without asking. Where no standing decision is possible, the verdict counts
   * once. `turn`: approved, and the sites it names may be reached for the rest of the turn.
   * @param edited the text that runs in place of the quoted one. Such a decision approves this one call
   */
  async decide(
    approvalId: string,
    verdict: ApprovalVerdict,
    by: Author,
    edited?: string,
  ): Promise<Outcome<{ decided: boolean }>> {
    const deps = this.#deps;
    const found = await findAsked(deps, approvalId);
    if (found === undefined) return nothingAsked(approvalId);
    const { turn, asked, isOver } = found;
    if (edited !== undefined && textToEdit(asked) === undefined)
      return { ok: false, status: 400, message: "This call has no text that can be edited." };
    const word = wordOf(edited === undefined ? verdict : true, asked);
    const decision = decisionOf(approvalId, word, by, edited);
    if (isOver || !(await storeDecision(deps, turn.turn_id, decision)))
      return { ok: true, value: { decided: false } };
    if (isStanding(word) && asked.binds !== undefined)
      await storeStanding(deps, found, word, asked.binds, by);
    deps.audit.record({ by, ...auditOf(word, found, edited) });
    return { ok: true, value: { decided: true } };
  }
}

type Found = NonNullable<Awaited<ReturnType<typeof findAsked>>>;

/** The audit does not tell what a private turn asked for. */
function auditOf(word: keyof typeof words, found: Found, edited: string | undefined) {
  const { turn, message, isPrivate } = found;
  const asked = isPrivate ? { ...found.asked, says: undefined } : found.asked;
  const [action, did] = words[word];
  const how = edited === undefined ? did : `${did}, with changes,`;
  const detail = `${how} **${nameOf(asked)}**, asked for by ${escapeMarkdown(turn.author.name)}`;
  const subject = asked.label ?? asked.says?.deed ?? asked.tool;
  return { action, namespace: turn.namespace, subject, detail, about: turn.author, message };
}

function nothingAsked(approvalId: string): Outcome<never> {
  return { ok: false, status: 404, message: `There is nothing to approve called ${approvalId}.` };
}

/** What a verdict counts as, for this request. */
function wordOf(verdict: ApprovalVerdict, asked: Requested): keyof typeof words {
  if ((verdict === "always" || verdict === "never") && asked.binds !== undefined) return verdict;
  if (verdict === "turn" && turnLabel(asked) !== undefined) return "turn";
  return verdict === false || verdict === "never" ? "refused" : "once";
}

function isStanding(word: keyof typeof words): word is StandingDecision["verdict"] {
  return word === "always" || word === "never";
}

type ApprovalSignal = Extract<Signal, { type: "approval" }>;

function decisionOf(
  approval_id: string,
  word: keyof typeof words,
  by: Author,
  edited: string | undefined,
): ApprovalSignal {
  const approved = word !== "refused" && word !== "never";
  const standing = isStanding(word) ? { [word]: true as const } : {};
  const turn = word === "turn" ? ({ for_turn: true } as const) : {};
  const text = edited === undefined ? {} : { edited };
  return { type: "approval", approval_id, approved, by: by.id, name: by.name, ...text, ...standing, ...turn };
}

/** Whether the decision counts: the first one does. */
async function storeDecision(deps: ApprovalDeps, turnId: string, decision: ApprovalSignal): Promise<boolean> {
  if ((await firstDecision(deps, turnId, decision.approval_id)) !== undefined) return false;
  if (!(await deps.log.signal(turnId, decision, deps.clock.now()))) return false;
  deps.wake();
  // When two decide at the same moment, the log says who was first.
  const first = await firstDecision(deps, turnId, decision.approval_id);
  return first?.by === decision.by && first.approved === decision.approved;
}

const words = {
  once: ["approval_approved", "approved"],
  always: ["approval_always", "approved, here and always,"],
  turn: ["approval_approved", "approved, for the whole turn,"],
  refused: ["approval_refused", "refused"],
  never: ["approval_never", "refused, here and for good,"],
} as const;

/**
 * A decision of a manager or operator applies to everyone in the channel, up to their own rank; a decision of an asker to the asker.
 */
async function storeStanding(
  { store, clock }: ApprovalDeps,
  { turn: { namespace }, cause }: Found,
  verdict: StandingDecision["verdict"],
  binding: Binding,
  by: Author,
) {
  const isManager = mayApprove(by, "manager", { author: by });
  const approver = mayApprove(by, "operator", { author: by }) ? "operator" : isManager ? "manager" : "asker";
  await addStanding(store, namespace, {
    verdict,
    binding,
    approver,
    by: by.id,
    name: by.name,
    at: clock.now(),
    only_for: isManager ? undefined : by.id,
    within: planOf(cause) === undefined || verdict === "never" ? undefined : cause?.id,
  });
}

/** An approval id is the id of its turn and a number. */
async function findAsked({ log, clock }: ApprovalDeps, approvalId: string) {
  const turnId = approvalId.slice(0, Math.max(0, approvalId.lastIndexOf(":")));
  const turn = await log.get(turnId);
  if (turn === undefined) return undefined;
  const events = await log.read(turnId);
  const about = events.filter((event) => "approval_id" in event && event.approval_id === approvalId);
  const asked = about.find((event) => event.type === "approval_requested");
  if (asked === undefined) return undefined;
  const isDecided = about.some(({ type }) => type === "approval_decided");
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

/** Maximum people that a refusal names. */
const maxNamed = 3;

async function notAllowed(
  { platforms }: ApprovalDeps,
  asked: Requested,
  { namespace, thread, author }: TurnRecord,
): Promise<Outcome<never>> {
  const { approver, person } = asked;
  if (person !== undefined) {
    const message = `Only ${escapeMarkdown(person.name)} can decide ${aboutWhat(asked)}.`;
    return { ok: false, status: 403, message };
  }
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

async function firstDecision({ log }: ApprovalDeps, turnId: string, approvalId: string) {
  const decisions = (await log.signals(turnId)).filter((signal) => signal.type === "approval");
  return decisions.find(({ approval_id }) => approval_id === approvalId);
}
