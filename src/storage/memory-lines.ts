import type { Inbound } from "../core/inbound.ts";
import type { MemoryTurn } from "./memory-turn.ts";
import { SortedList } from "./sorted-list.ts";

const byOrdinal = (a: MemoryTurn, b: MemoryTurn) => a.ordinal - b.ordinal;
const byDue = (a: MemoryTurn, b: MemoryTurn) => a.due_at - b.due_at || a.ordinal - b.ordinal;

/** The heads of all lines of one kind: those due at once in order of age, the others by when they come due. */
class Heads {
  readonly ready = new SortedList<MemoryTurn>(byOrdinal);
  readonly timed = new SortedList<MemoryTurn>(byDue);

  listOf(turn: MemoryTurn): SortedList<MemoryTurn> {
    return turn.due_at === 0 ? this.ready : this.timed;
  }

  /** The oldest that is due. */
  due(now: number): MemoryTurn | undefined {
    let oldest = this.ready.first();
    for (const turn of this.timed.backwards((other) => other.due_at > now)) {
      if (oldest === undefined || turn.ordinal < oldest.ordinal) oldest = turn;
    }
    return oldest;
  }
}

/** The unfinished turns in their lines. */
export class MemoryLines {
  readonly #lines = new Map<string, SortedList<MemoryTurn>>();
  readonly #heads: Record<Inbound["kind"], Heads> = { message: new Heads(), command: new Heads() };
  #size = 0;

  /** The number of unfinished turns. */
  get size(): number {
    return this.#size;
  }

  head(line: string): MemoryTurn | undefined {
    return this.#lines.get(line)?.first();
  }

  /** The first turn of every line. */
  heads(): MemoryTurn[] {
    return [...this.#lines.values()].flatMap((line) => line.first() ?? []);
  }

  /** The turns of a line that stand behind one of it, in order. */
  behind(turn: MemoryTurn): MemoryTurn[] {
    const line = this.#lines.get(turn.line);
    return line === undefined ? [] : [...line.from((other) => other.ordinal > turn.ordinal)];
  }

  add(turn: MemoryTurn): void {
    const line = this.#lines.get(turn.line) ?? new SortedList<MemoryTurn>(byOrdinal);
    this.#lines.set(turn.line, line);
    line.add(turn);
    this.#size += 1;
    if (line.first() === turn) this.#list(turn).add(turn);
  }

  /** Takes a finished turn out of its line; the next one becomes the head. */
  remove(turn: MemoryTurn): void {
    const line = this.#lines.get(turn.line);
    if (line === undefined) return;
    const wasHead = line.first() === turn;
    line.remove(turn);
    this.#size -= 1;
    if (wasHead) this.#list(turn).remove(turn);
    const next = line.first();
    if (next === undefined) this.#lines.delete(turn.line);
    else if (wasHead) this.#list(next).add(next);
  }

  /** Changes when a turn is due. */
  setDue(turn: MemoryTurn, dueAt: number): void {
    const isHead = this.head(turn.line) === turn;
    if (isHead) this.#list(turn).remove(turn);
    turn.due_at = dueAt;
    if (isHead) this.#list(turn).add(turn);
  }

  /** The oldest head of these kinds that is due. */
  due(now: number, kinds: readonly Inbound["kind"][]): MemoryTurn | undefined {
    const found = kinds.map((kind) => this.#heads[kind].due(now)).filter((turn) => turn !== undefined);
    return found.sort(byOrdinal)[0];
  }

  nextDue(): number | undefined {
    const times = [this.#heads.message, this.#heads.command].map((heads) => heads.timed.first()?.due_at);
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  #list(turn: MemoryTurn): SortedList<MemoryTurn> {
    return this.#heads[turn.inbound.kind].listOf(turn);
  }
}
