import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { readAskingId } from "../../core/log/call-id.ts";
import type { TurnEvent, TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, FinishedPosition, TurnRecord } from "../../core/log/turn-log.ts";
import type { Allowed, Inbound } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { AppDeps } from "../app-deps.ts";
import type { TurnObserver } from "../turns/turn-writer.ts";
import type { Audit } from "./audit.ts";
import type { AuditLine, StoredAudit } from "./stored-audit.ts";

/**
 * What a turn did: a call with an effect, or a new message of the bot. A fold of the turn's events, never stored itself. An effect and the
 * message that it sent are one line; edits of a message belong to the line of their call.
 */
export interface TurnLine {
  action: "effect" | "post";
  /** Of an effect, its call. */
  call_id?: string | undefined;
  /** ms since the epoch. */
  at: number;
  turn_id: string;
  namespace: string;
  thread: string;
  /** Who asked, and the schedule or trigger that started the turn for them. */
  by: string;
  by_name: string;
  cause?: string | undefined;
  /** What was done, in words; of a message its purpose. */
  what: string;
  /** Why it was allowed, and who decided. */
  allowed?: Allowed | undefined;
  status?: "ok" | "error" | "unknown" | undefined;
  account?: string | undefined;
  /** Rules in trial that would have had somebody asked, each with whom. */
  shadow?: readonly string[] | undefined;
  hosts?: readonly string[] | undefined;
  /** The place of the message, if it is not the turn's, its reference, and its address if known. */
  to?: Place | undefined;
  reference?: string | undefined;
  link?: string | undefined;
  /** The turn's answer is for the asker alone. */
  private?: true | undefined;
}

type Requested = Extract<TurnEventBody, { type: "approval_requested" }>;
type Asked = Pick<TurnLine, "turn_id" | "namespace" | "thread" | "by" | "by_name" | "cause">;

/** The lines of one turn, in order, growing with its events. */
class TurnLines {
  readonly #asked: Asked;
  readonly #lines = new Map<string, TurnLine>();
  readonly #approvals = new Map<string, Pick<Requested, "call_id" | "tool" | "label" | "says">>();
  readonly #decided = new Map<string, Allowed>();
  #isPrivate: { private?: true } = {};

  constructor(turnId: string, { namespace, thread, author, cause }: Inbound) {
    const asker = { by: author.id, by_name: author.name, cause: cause?.id };
    this.#asked = { turn_id: turnId, namespace, thread, ...asker };
  }

  get all(): TurnLine[] {
    return [...this.#lines.values()].map((line) => ({ ...line, ...this.#isPrivate }));
  }

  /** The line of a call with an effect. */
  of(callId: string): TurnLine | undefined {
    const line = this.#lines.get(callId);
    return line && { ...line, ...this.#isPrivate };
  }

  /** The name of what an approval is about. What a private turn asked for is not told. */
  nameOf(approvalId: string): string {
    const { tool = "", label, says } = this.#approvals.get(approvalId) ?? {};
    return label ?? (this.#isPrivate.private ? tool : (says?.deed ?? tool));
  }

  add(event: TurnEventBody, at: number): void {
    switch (event.type) {
      case "answer_private":
        this.#isPrivate = { private: true };
        break;
      case "approval_requested":
        this.#approvals.set(event.approval_id, event);
        break;
      case "approval_decided":
        this.#decide(event);
        break;
      case "tool_started": {
        const { call_id, deed = event.shadow && event.title, account, allowed, shadow } = event;
        if (deed === undefined) break;
        const why = this.#decided.get(call_id) ?? allowed;
        const done = { at, what: deed, allowed: why, status: "unknown", account, shadow } as const;
        this.#put(call_id, { action: "effect", call_id, ...done });
        break;
      }
      case "tool_finished":
        this.#change(event.call_id, { status: event.status, hosts: event.hosts });
        break;
      case "message_sent":
        if (event.did === "sent") this.#sent(event, at);
        break;
      case "message_posted":
        this.#posted(event.purpose, event.reference, event.place, at);
        break;
      case "approval_shown":
        this.#posted("approval", event.reference, event.place, at);
        break;
    }
  }

  #decide({ approval_id, approved, by, name, always }: Extract<TurnEventBody, { type: "approval_decided" }>) {
    const asked = this.#approvals.get(approval_id);
    if (asked === undefined || !approved) return;
    const callId = readAskingId(asked.call_id).callId;
    const deed = asked.says?.deed;
    const allowed: Allowed = { rule: always ? "always" : "approved", by, name };
    this.#decided.set(callId, allowed);
    this.#change(callId, deed === undefined ? { allowed } : { allowed, what: deed });
  }

  #sent(event: Extract<TurnEventBody, { type: "message_sent" }>, at: number): void {
    const { call_id, place, reference, link } = event;
    const sent = { reference, link, to: place };
    const line = this.#lines.get(call_id);
    if (line !== undefined && (line.reference ?? reference) === reference) this.#change(call_id, sent);
    else this.#put(`sent ${reference}`, { action: "post", at, what: "sent", ...sent });
  }

  #posted(what: string, reference: string, to: Place | undefined, at: number): void {
    // Text that only one person saw, for a moment, is no message of its own.
    if (reference === "whisper") return;
    const key = `post ${to?.namespace ?? ""} ${reference}`;
    if (!this.#lines.has(key)) this.#put(key, { action: "post", at, what, reference, to });
  }

  #put(key: string, line: Omit<TurnLine, keyof Asked>): void {
    this.#lines.set(key, { ...this.#asked, ...line });
  }

  #change(key: string, more: Partial<TurnLine>): void {
    const line = this.#lines.get(key);
    if (line !== undefined) this.#lines.set(key, { ...line, ...more });
  }
}

/** What a stored turn did. */
export function linesOf({ turn_id }: Pick<TurnRecord, "turn_id">, events: readonly TurnEvent[]): TurnLine[] {
  const [entry] = events;
  if (entry?.type !== "inbound") return [];
  const lines = new TurnLines(turn_id, entry.inbound);
  for (const event of events) lines.add(event, event.at);
  return lines.all;
}

/** The lines of a stored turn, each with the tokens and the cost of the whole turn. */
function pricedLines(turn: TurnRecord, events: readonly TurnEvent[]) {
  const turn_tokens = turn.input_tokens + turn.output_tokens;
  return linesOf(turn, events).map((line) => ({ ...line, turn_tokens, turn_cost_usd: turn.cost_usd }));
}

/** What a turn did that remains when the turn is deleted, in Markdown: `, which did: …`; empty if it had no effect. */
export function effectsOf(turn: TurnRecord, events: readonly TurnEvent[]): string {
  const done = linesOf(turn, events).filter(
    ({ action, private: isPrivate }) => action === "effect" && !isPrivate,
  );
  return done.length === 0 ? "" : `, which did: ${done.map(({ what }) => shown(what)).join("; ")}`;
}

/** Tells the audit of effects outside the thread as they happen, and of approvals that nobody decided. */
export function watchForAudit(
  audit: Pick<Audit, "record" | "tell">,
  { turn_id, inbound, events }: ClaimedTurn,
): TurnObserver {
  const lines = new TurnLines(turn_id, inbound);
  const where = { namespace: inbound.namespace, message: inbound.origin?.message };
  for (const event of events) lines.add(event, event.at);
  return {
    after(event) {
      lines.add(event, event.at);
      const done = event.type === "tool_finished" ? lines.of(event.call_id) : undefined;
      if (done !== undefined && isOutside(done)) audit.tell({ ...where, text: effectWords(done) });
      if (event.type !== "approval_decided" || event.by !== "" || event.replaced) return;
      const subject = lines.nameOf(event.approval_id);
      const detail = `got no decision in time: **${shown(subject)}** was not run,`;
      audit.record({ action: "approval_expired", by: inbound.author, ...where, subject, detail });
    },
  };
}

/** Whether others than the readers of the thread can see the effect. */
function isOutside({ account, hosts = [], to, namespace, thread, status }: TurnLine): boolean {
  const isElsewhere = to !== undefined && (to.namespace !== namespace || to.thread !== thread);
  return status !== "error" && (account !== undefined || hosts.length > 0 || isElsewhere);
}

const rules: Record<Allowed["rule"], (who: string) => string> = {
  approved: (who) => `approved by ${who}`,
  always: (who) => `always allowed here by ${who}`,
  ordered: () => "ordered word for word",
  trusted: () => "the server's tool is trusted",
  unasked: () => "no approval needed",
};

/** Markdown: who, what, why it was allowed, and as which account. What a private turn did is not told. */
function effectWords(line: TurnLine): string {
  const { by_name, cause } = line;
  const asker = `**${shown(by_name)}**${cause === undefined ? "" : ` (schedule ${shown(cause)})`}`;
  return line.private
    ? `${asker} had something done that is private to them`
    : `${asker}: ${deedWords(line)},`;
}

/** Markdown: what was done, why it was allowed, and as which account. */
export function deedWords({
  what,
  allowed = { rule: "unasked" },
  account,
  shadow = [],
  link,
}: TurnLine): string {
  const why = [
    rules[allowed.rule](shown(allowed.name ?? allowed.by ?? "")),
    account && `account ${shown(account)}`,
    shadow.length > 0 && `a rule in trial would have asked (${shown(shadow.join(", "))})`,
  ];
  const there = link === undefined ? "" : ` ([message](${link}))`;
  return `**${shown(what)}**${there}, ${why.filter(Boolean).join(", ")}`;
}

function shown(text: string): string {
  return escapeMarkdown(oneLine(text, 300));
}

/** One page of the audit: actions from the stored audit, and the lines of turns that have finished and still have their run details. */
interface AuditPage {
  lines: (AuditLine | ReturnType<typeof pricedLines>[number])[];
  /** The position after the page. */
  next: FinishedPosition;
}

const maxActions = 1_000;

const dayMs = 86_400_000;

/** Age from which on the record is complete, ms: by then every worker has stored what it finished before. */
const settledMs = 5_000;

/** Reads the page after a position, in the order in which turns finished. A page has at most 100 turns and 1,000 actions. */
export async function readAudit(
  { log, clock }: Pick<AppDeps, "log" | "clock">,
  stored: Pick<StoredAudit, "lines">,
  after: FinishedPosition,
): Promise<AuditPage> {
  const before = clock.now() - settledMs;
  if (before - 1 <= after.finished_at) return { lines: [], next: after };
  const page = await log.finishedBefore(before, after);
  let next = page.next ?? endOf(before - 1);
  const actions = await actionsIn(stored, after.finished_at, next.finished_at);
  const more = actions[maxActions];
  if (more !== undefined) next = endOf(more.at - 1);
  const turns = await Promise.all(page.turn_ids.map((id) => log.get(id)));
  const lines: AuditPage["lines"] = actions.filter(({ at }) => at <= next.finished_at);
  for (const turn of turns)
    if (turn?.finished_at !== undefined && turn.finished_at <= next.finished_at)
      lines.push(...pricedLines(turn, await log.read(turn.turn_id)));
  return { lines: lines.sort((one, other) => one.at - other.at), next };
}

/** The actions after one time and up to another, ms since the epoch, in order. */
async function actionsIn(
  stored: Pick<StoredAudit, "lines">,
  after: number,
  until: number,
): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  for await (const line of stored.lines(after)) {
    // Processes store the lines of a day a little out of order.
    if (line.at > until + dayMs) break;
    if (line.at > after && line.at <= until) lines.push(line);
  }
  return lines.sort((one, other) => one.at - other.at);
}

/** The position after everything that finished at a time. */
function endOf(time: number): FinishedPosition {
  return { finished_at: time, ordinal: Number.MAX_SAFE_INTEGER };
}
