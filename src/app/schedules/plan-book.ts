import { createHash } from "node:crypto";
import type { z } from "zod";
import {
  dueKinds,
  type Schedule,
  scheduleSchema,
  type Trigger,
  triggerSchema,
} from "../../core/ports/schedule.ts";
import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import { toJson } from "../../core/values/json.ts";
import type { Entry } from "./planning.ts";

/** Reads and writes schedules and triggers in the store of due entries. */
export interface PlanBook {
  /** The schedule or trigger with this id; undefined for other entries and unknown ids. */
  get(id: string): Promise<Entry<Schedule | Trigger> | undefined>;
  /** The plans of a channel, or of all channels, in the order they were made. */
  list(namespace?: string): Promise<Entry<Schedule | Trigger>[]>;
  triggers(namespace: string): Promise<Entry<Trigger>[]>;
  /** The plan that was stored under a key. */
  added(key: string): Promise<Entry<Schedule | Trigger> | undefined>;
  /** Stores a plan under an id made from the key. @throws when the id exists */
  add(entry: Omit<Entry<Schedule | Trigger>, "id" | "kind">, key: string): Promise<Entry<Schedule | Trigger>>;
  /** Changes the stored plan; when `change` returns undefined, it stays. Returns the plan afterwards; undefined when there is none. */
  change(id: string, change: (entry: Plans) => Changed | undefined): Promise<Plans | undefined>;
  remove(id: string): Promise<boolean>;
}

type Plans = Entry<Schedule | Trigger>;

/** A change of a plan: a new value, if any, and when the plan is next looked at. */
interface Changed {
  value?: Schedule | Trigger;
  due_at: number | undefined;
}

/** The plan in an entry; undefined for entries of other kinds, and when it cannot be read. */
export function readPlan(entry: DueEntry): Entry<Schedule | Trigger> | undefined {
  const schema = schemaOf(entry.kind);
  const parsed = schema?.safeParse(entry.value);
  return parsed?.success ? { ...entry, value: parsed.data } : undefined;
}

function schemaOf(kind: string): z.ZodType<Schedule | Trigger> | undefined {
  if (kind === dueKinds.schedule) return scheduleSchema;
  return kind === dueKinds.trigger ? triggerSchema : undefined;
}

/** Maximum plans of all channels that are read at once. */
const maxPlans = 100_000;

export function createPlanBook(due: DueEntries): PlanBook {
  const get: PlanBook["get"] = async (id) => {
    const entry = await due.get(id);
    return entry && readPlan(entry);
  };
  return {
    get,
    added: (key) => get(idOf(key)),
    async list(namespace) {
      const where = namespace === undefined ? { most: maxPlans } : { namespace };
      const lists = await Promise.all(
        [dueKinds.schedule, dueKinds.trigger].map((kind) => due.list({ ...where, kind })),
      );
      return lists
        .flat()
        .flatMap((entry) => readPlan(entry) ?? [])
        .sort((a, b) => a.value.made_at - b.value.made_at);
    },
    async triggers(namespace) {
      const entries = await due.list({ namespace, kind: dueKinds.trigger });
      return entries.flatMap((entry) => (readPlan(entry) as Entry<Trigger> | undefined) ?? []);
    },
    async add(entry, key) {
      const id = idOf(key);
      const kind = entry.value.what === "trigger" ? dueKinds.trigger : dueKinds.schedule;
      await due.add({ ...entry, id, kind, value: toJson(entry.value) });
      return { ...entry, id, kind };
    },
    async change(id, change) {
      const changed = await due.change(id, (stored) => {
        const entry = readPlan(stored);
        const next = entry && change(entry);
        if (entry === undefined || next === undefined) return undefined;
        return { ...stored, due_at: next.due_at, value: toJson(next.value ?? entry.value) };
      });
      return changed && readPlan(changed);
    },
    remove: (id) => due.remove(id),
  };
}

/** Letters and digits that are not mistaken for each other when typed. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** A short id for typing, always the same for the same key. */
export function idOf(key: string): string {
  const hash = createHash("sha256").update(key).digest();
  return [...hash.subarray(0, 8)].map((byte) => letters[byte % letters.length]).join("");
}
