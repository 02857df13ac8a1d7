import { createHash } from "node:crypto";
import {
  type DueEntries,
  type DueEntry,
  type Plan,
  type PlanKinds,
  planSchema,
  type Schedule,
  type Trigger,
} from "../../core/ports/schedules.ts";
import { toJson } from "../../core/values/json.ts";

/** A stored plan. `due_at` is when it is next looked at. */
export interface Entry<Value extends Plan = Plan> extends Omit<DueEntry, "value"> {
  value: Value;
}

/** A schedule or trigger: what lists show. */
export type Planned = Entry<Schedule | Trigger>;

/** A change of a plan: a new value, if any, and when the plan is next looked at. */
export interface Changed<Value> {
  value?: Value;
  due_at: number | undefined;
}

export function kindOf({ what }: Pick<Plan, "what">): keyof PlanKinds {
  return what === "trigger" || what === "goal" ? what : "schedule";
}

/** The plan in an entry; undefined for entries of other kinds, and when it cannot be read. */
export function readPlan(entry: DueEntry): Entry | undefined {
  const { data } = planSchema.safeParse(entry.value);
  return data && { ...entry, value: data };
}

/** Reads and writes plans in the store of due entries. */
export class PlanBook {
  readonly #due: DueEntries;

  constructor(due: DueEntries) {
    this.#due = due;
  }

  /** The plan with this id; undefined for other entries and unknown ids. */
  async get(id: string): Promise<Entry | undefined> {
    const entry = await this.#due.get(id);
    return entry && readPlan(entry);
  }

  /** The schedule or trigger with this id. */
  async planned(id: string): Promise<Planned | undefined> {
    const entry = await this.get(id);
    return entry?.value.what === "goal" ? undefined : (entry as Planned | undefined);
  }

  /** The plans of one kind in a channel. */
  async of<Kind extends keyof PlanKinds>(kind: Kind, namespace: string): Promise<Entry<PlanKinds[Kind]>[]> {
    const entries = await this.#due.list({ namespace, kind });
    return entries.flatMap((entry) => (readPlan(entry) as Entry<PlanKinds[Kind]> | undefined) ?? []);
  }

  /** The schedules and triggers of a channel, in the order they were made. */
  async list(namespace: string): Promise<Planned[]> {
    const lists = await Promise.all([this.of("schedule", namespace), this.of("trigger", namespace)]);
    return lists.flat().sort((a, b) => a.value.made_at - b.value.made_at);
  }

  /** The reminders that others made for the person of these direct messages. */
  async forReceiver(namespace: string): Promise<Planned[]> {
    const entries = await this.#due.list({ shown_in: namespace });
    return entries.flatMap((entry) => (readPlan(entry) as Planned | undefined) ?? []);
  }

  /** @throws when the id exists */
  async add<Value extends Plan>(
    entry: Pick<Entry<Value>, "id" | "namespace" | "due_at" | "value">,
  ): Promise<Entry<Value>> {
    const kind = kindOf(entry.value);
    const shown_in = entry.value.for?.namespace;
    await this.#due.add({ ...entry, shown_in, kind, value: toJson(entry.value) });
    return { ...entry, kind };
  }

  /**
   * Changes the stored plan; when `change` returns undefined, it stays. Returns the plan afterwards; undefined when there is none. The kind
   * of a plan stays the same, so callers that have seen it name it.
   */
  async change<Value extends Plan = Plan>(
    id: string,
    change: (entry: Entry<Value>) => Changed<Value> | undefined,
  ): Promise<Entry<Value> | undefined> {
    const read = (stored: DueEntry) => readPlan(stored) as Entry<Value> | undefined;
    const changed = await this.#due.change(id, (stored) => {
      const entry = read(stored);
      const next = entry && change(entry);
      if (entry === undefined || next === undefined) return undefined;
      return { ...stored, due_at: next.due_at, value: toJson(next.value ?? entry.value) };
    });
    return changed && read(changed);
  }

  remove(id: string): Promise<boolean> {
    return this.#due.remove(id);
  }
}

/** Letters and digits that are not mistaken for each other when typed. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** A short id for typing, always the same for the same key. */
export function idOf(key: string): string {
  const hash = createHash("sha256").update(key).digest();
  return [...hash.subarray(0, 8)].map((byte) => letters[byte % letters.length]).join("");
}
