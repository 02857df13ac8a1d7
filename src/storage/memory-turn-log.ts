import type { Inbound } from "../core/inbound.ts";
import type { Place } from "../core/place.ts";
import type { TurnEvent, TurnEventOf } from "../core/turn-event.ts";
import {
  type ClaimedTurn,
  LeaseLostError,
  type Signal,
  type ThreadRecord,
  type TurnFilter,
  type TurnLog,
  type TurnRecord,
} from "../core/turn-log.ts";
import { noUsage, plusUsage, type UsageTotal } from "../core/usage-total.ts";
import { lineOf } from "./line.ts";
import { forgetInMemory } from "./memory-forgetting.ts";
import { MemoryLines } from "./memory-lines.ts";
import {
  emptyThread,
  insertEvent,
  isTaken,
  joinThread,
  type MemoryThread,
  type MemoryTurn,
  newTurn,
  TurnSet,
  takenEvent,
} from "./memory-turn.ts";

/** A turn log that forgets everything with the process. Events are kept as given: do not change them afterwards. */
export function createMemoryTurnLog(): TurnLog {
  return new MemoryTurnLog();
}

class MemoryTurnLog implements TurnLog {
  readonly #turns = new Map<string, MemoryTurn>();
  readonly #turnOfKey = new Map<string, string>();
  readonly #lines = new MemoryLines();
  readonly #all = new TurnSet();
  readonly #ofNamespace = new Map<string, TurnSet>();
  readonly #ofAuthor = new Map<string, TurnSet>();
  readonly #threads = new Map<string, Map<string, MemoryThread>>();

  async accept(inbound: Inbound, turnId: string, at: number) {
    const known = this.#turnOfKey.get(inbound.key);
    if (known !== undefined) return { turn_id: known, accepted: false };
    const line = lineOf(inbound, turnId);
    const head = this.#lines.head(line);
    if (head?.inbound.author.id === inbound.author.id) this.#wake(head, "message");
    const turn = newTurn(inbound, turnId, at, { ordinal: this.#turns.size + 1, line });
    this.#turns.set(turnId, turn);
    this.#turnOfKey.set(inbound.key, turnId);
    this.#lines.add(turn);
    this.#all.add(turn);
    getOrAdd(this.#ofNamespace, inbound.namespace, () => new TurnSet()).add(turn);
    getOrAdd(this.#ofAuthor, inbound.author.id, () => new TurnSet()).add(turn);
    const threads = getOrAdd(this.#threads, inbound.namespace, () => new Map<string, MemoryThread>());
    joinThread(
      getOrAdd(threads, inbound.thread, () => emptyThread(inbound.thread)),
      turn,
    );
    return { turn_id: turnId, accepted: true };
  }

  async find(key: string): Promise<string | undefined> {
    return this.#turnOfKey.get(key);
  }

  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    kinds: readonly Inbound["kind"][] = ["command", "message"],
  ): Promise<ClaimedTurn | undefined> {
    const turn = this.#lines.due(now, kinds);
    if (turn === undefined) return undefined;
    turn.record.status = "running";
    turn.lease_owner = owner;
    turn.woken = { signal: false, message: false };
    this.#lines.setDue(turn, now + leaseMs);
    const { inbound, ordinal, events } = turn;
    return { turn_id: turn.record.turn_id, inbound, ordinal, events: [...events] };
  }

  async reclaim(): Promise<void> {
    for (const turn of this.#lines.heads()) {
      if (turn.record.status !== "running") continue;
      turn.lease_owner = undefined;
      this.#lines.setDue(turn, 0);
    }
  }

  async renew(owner: string, turnIds: readonly string[], now: number, leaseMs: number): Promise<string[]> {
    return turnIds.filter((turnId) => {
      const turn = this.#turns.get(turnId);
      if (turn === undefined || turn.lease_owner !== owner) return true;
      this.#lines.setDue(turn, now + leaseMs);
      return false;
    });
  }

  async append(turnId: string, owner: string, events: readonly TurnEvent[]): Promise<void> {
    this.#store(this.#leased(turnId, owner), events);
  }

  async absorb(
    turnId: string,
    owner: string,
    taken: readonly string[],
    events: readonly TurnEvent[],
  ): Promise<void> {
    const turn = this.#leased(turnId, owner);
    const others = taken.map((id) => this.#turns.get(id));
    const queued = others.filter((other) => other?.record.status === "queued" && other.line === turn.line);
    if (queued.length !== new Set(taken).size || isTaken(turn, events)) throw new LeaseLostError(turnId);
    for (const other of queued) {
      if (other !== undefined) this.#store(other, [takenEvent(other, turnId, events.at(-1)?.at)]);
    }
    turn.woken.message &&= this.#queuedByAuthor(turn).length > 0;
    this.#store(turn, events);
  }

  async forget(turnId: string, by: string, at: number): Promise<boolean> {
    const turn = this.#turns.get(turnId);
    const thread = turn && this.#threads.get(turn.record.namespace)?.get(turn.record.thread);
    if (thread === undefined || turn?.record.status !== "finished") return false;
    forgetInMemory(turn, thread, by, at);
    return true;
  }

  async read(turnId: string, afterSeq = -1): Promise<TurnEvent[]> {
    const events = this.#turns.get(turnId)?.events ?? [];
    return afterSeq < 0 ? [...events] : events.filter((event) => event.seq > afterSeq);
  }

  async get(turnId: string): Promise<TurnRecord | undefined> {
    const record = this.#turns.get(turnId)?.record;
    return record === undefined ? undefined : { ...record };
  }

  async list({ namespace, thread, status, before, limit = 50 }: TurnFilter): Promise<TurnRecord[]> {
    const turns = this.#candidates(namespace, thread);
    const end = before === undefined ? Number.POSITIVE_INFINITY : this.#turns.get(before)?.ordinal;
    const found: TurnRecord[] = [];
    if (turns === undefined || end === undefined) return found;
    for (const { record } of turns.backwards((turn) => turn.ordinal >= end)) {
      if (found.length >= limit) break;
      if (thread !== undefined && record.thread !== thread) continue;
      if (status === undefined || record.status === status) found.push({ ...record });
    }
    return found;
  }

  async signal(turnId: string, signal: Signal): Promise<boolean> {
    const turn = this.#turns.get(turnId);
    if (turn === undefined || turn.record.status === "finished") return false;
    turn.signals.push(signal);
    this.#wake(turn, "signal");
    return true;
  }

  async signals(turnId: string): Promise<Signal[]> {
    return [...(this.#turns.get(turnId)?.signals ?? [])];
  }

  async steering(turnId: string) {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return [];
    return this.#queuedByAuthor(turn).map(({ record, inbound }) => ({ turn_id: record.turn_id, inbound }));
  }

  async finished(place: Place, before: number, limit: number) {
    const found: { turn_id: string; ordinal: number }[] = [];
    const turns = this.#threads.get(place.namespace)?.get(place.thread)?.turns;
    for (const turn of turns?.backwards((other) => other.ordinal >= before) ?? []) {
      if (found.length >= limit) break;
      if (turn.record.kind !== "message" || turn.record.status !== "finished") continue;
      found.push({ turn_id: turn.record.turn_id, ordinal: turn.ordinal });
    }
    return found;
  }

  async deletions({ namespace, thread }: Place): Promise<number> {
    return this.#threads.get(namespace)?.get(thread)?.deletions ?? 0;
  }

  async threads(namespace: string, limit = 200): Promise<ThreadRecord[]> {
    const threads = [...(this.#threads.get(namespace)?.values() ?? [])];
    return threads
      .map(({ record, unfinished }) => ({ ...record, busy: unfinished > 0 }))
      .sort((a, b) => b.last_at - a.last_at || (a.thread < b.thread ? -1 : 1))
      .slice(0, limit);
  }

  async namespaces(platform?: string): Promise<string[]> {
    const all = [...this.#threads.keys()].sort();
    return platform === undefined ? all : all.filter((namespace) => namespace.startsWith(`${platform}:`));
  }

  async usage(filter: { namespace?: string; user?: string; since: number }): Promise<UsageTotal> {
    let total = noUsage;
    const { namespace, user, since } = filter;
    const ofUser = user === undefined ? this.#all : this.#ofAuthor.get(user);
    const turns = namespace === undefined ? ofUser : this.#ofNamespace.get(namespace);
    for (const { record } of turns?.byTime.from((turn) => turn.record.accepted_at >= since) ?? []) {
      if (user !== undefined && record.author.id !== user) continue;
      total = plusUsage(total, record);
    }
    return total;
  }

  async pending(): Promise<number> {
    return this.#lines.size;
  }

  async backlog(now: number) {
    const states = { queued: 0, running: 0, waiting: 0 };
    for (const { record } of this.#turns.values()) {
      if (record.status !== "finished") states[record.status] += 1;
    }
    void now;
    return states;
  }

  async probe(): Promise<void> {}

  async nextDue(): Promise<number | undefined> {
    return this.#lines.nextDue();
  }

  async close(): Promise<void> {}

  #leased(turnId: string, owner: string): MemoryTurn {
    const turn = this.#turns.get(turnId);
    if (turn === undefined || turn.lease_owner !== owner) throw new LeaseLostError(turnId);
    return turn;
  }

  #candidates(namespace: string | undefined, thread: string | undefined) {
    if (namespace === undefined) return this.#all.byOrdinal;
    if (thread === undefined) return this.#ofNamespace.get(namespace)?.byOrdinal;
    return this.#threads.get(namespace)?.get(thread)?.turns;
  }

  #queuedByAuthor(turn: MemoryTurn): MemoryTurn[] {
    return this.#lines
      .behind(turn)
      .filter(
        (other) => other.record.status === "queued" && other.inbound.author.id === turn.inbound.author.id,
      );
  }

  #wake(turn: MemoryTurn, by: "signal" | "message"): void {
    turn.woken[by] = true;
    if (turn.record.status === "waiting") this.#lines.setDue(turn, 0);
  }

  #store(turn: MemoryTurn, events: readonly TurnEvent[]): void {
    if (isTaken(turn, events)) throw new LeaseLostError(turn.record.turn_id);
    for (const event of events) {
      insertEvent(turn, event);
      this.#applyEffect(turn, event);
    }
  }

  #applyEffect(turn: MemoryTurn, event: TurnEvent): void {
    const { record } = turn;
    switch (event.type) {
      case "turn_started":
        record.started_at ??= event.at;
        return;
      case "transcript_opened":
        // As in the SQLite log: what was carried over from a deleted turn goes.
        if (event.because === "deleted")
          turn.events = turn.events.filter(({ type, seq }) => type !== event.type || seq >= event.seq);
        return;
      case "usage":
        Object.assign(record, plusUsage(record, event));
        return;
      case "turn_waiting":
        record.status = "waiting";
        turn.lease_owner = undefined;
        this.#lines.setDue(turn, turn.woken.signal || turn.woken.message ? 0 : event.until);
        return;
      case "turn_finished":
        this.#close(turn, event);
        return;
      default:
        return;
    }
  }

  #close(turn: MemoryTurn, event: TurnEventOf<"turn_finished">): void {
    const { outcome, text, merged_into, at } = event;
    this.#lines.remove(turn);
    Object.assign(turn.record, { status: "finished", outcome, answer: text, merged_into, finished_at: at });
    turn.lease_owner = undefined;
    const thread = this.#threads.get(turn.record.namespace)?.get(turn.record.thread);
    if (thread === undefined) return;
    thread.unfinished -= 1;
    thread.record.last_at = Math.max(thread.record.last_at, at);
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
