import { createHash } from "node:crypto";
import {
  dueKinds,
  type HeldEvent,
  heldEventSchema,
  maxHeld,
  type Trigger,
  type TriggerEvent,
} from "../../core/ports/schedule.ts";
import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import { toJson } from "../../core/values/json.ts";

import type { Entry } from "./planning.ts";

/** An event that waits for a turn. `id` is the id of its entry. */
export interface Held extends HeldEvent {
  id: string;
}

/** Events that have no turn yet, one entry each. Events that had a turn are remembered for a day, without their content. */
export interface HeldEvents {
  /** `known`: the event waits already, or came within the last day. `full`: too many wait; the event is not stored. */
  hold(trigger: Entry<Trigger>, event: TriggerEvent): Promise<"held" | "known" | "full">;
  /** The events that wait for a trigger, oldest first. */
  of(trigger: Pick<Entry<Trigger>, "id" | "namespace">): Promise<Held[]>;
  /** Marks the events for the turn with this number. */
  assign(events: readonly Held[], start: number): Promise<void>;
  /** Marks the events as done: they had a turn, or get none. */
  settle(events: readonly Held[], now: number): Promise<void>;
}

/** Dedupe window for repeated deliveries, ms. Senders that sign no time retry within a day. */
const dedupeMs = 24 * 3_600_000;

/** More than the triggers of one channel ever hold. */
const maxListed = 10_000;

export function createHeldEvents(due: DueEntries): HeldEvents {
  const of: HeldEvents["of"] = async ({ id, namespace }) => {
    const entries = await due.list({ namespace, kind: dueKinds.event, most: maxListed });
    return entries.flatMap((entry) => {
      const { data } = heldEventSchema.safeParse(entry.value);
      return data?.trigger === id ? { ...data, id: entry.id } : [];
    });
  };
  const changeAll = async (events: readonly Held[], change: (entry: DueEntry) => DueEntry) => {
    for (const { id } of events) await due.change(id, change);
  };
  return {
    of,
    async hold(trigger, event) {
      const id = `${trigger.id}.${createHash("sha256").update(event.key).digest("base64url")}`;
      if ((await due.get(id)) !== undefined) return "known";
      if ((await of(trigger)).length >= maxHeld) return "full";
      const { namespace } = trigger;
      try {
        const value = toJson({ ...event, trigger: trigger.id });
        await due.add({ id, namespace, kind: dueKinds.event, value });
        return "held";
      } catch (error) {
        // The same delivery arrived at the same moment.
        if ((await due.get(id)) !== undefined) return "known";
        throw error;
      }
    },
    assign: (events, start) =>
      changeAll(events, ({ value, ...entry }) => ({ ...entry, value: { ...(value as object), start } })),
    settle: (events, now) =>
      changeAll(events, (entry) => ({
        ...entry,
        kind: dueKinds.seen,
        due_at: now + dedupeMs,
        value: null,
      })),
  };
}
