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

import type { Entry } from "./plan-book.ts";

/** An event that waits for its turn. `id` names its entry. */
export interface Held extends HeldEvent {
  id: string;
}

/** What happened and has no turn yet: an entry for each event. What had its turn is remembered for a day, without its content. */
export interface HeldEvents {
  /** `known`: it waits already, or was here within a day. `full`: too much waits; it is not remembered. */
  hold(trigger: Entry<Trigger>, event: TriggerEvent): Promise<"held" | "known" | "full">;
  /** What waits for a trigger, oldest first. */
  of(trigger: Pick<Entry<Trigger>, "id" | "namespace">): Promise<Held[]>;
  /** Notes that these are told by the turn with this number. */
  assign(events: readonly Held[], start: number): Promise<void>;
  /** They had their turn, or get none. */
  settle(events: readonly Held[], now: number): Promise<void>;
}

/** How long a delivery that comes again is known, ms. Senders that sign no time try again within a day. */
const remembered = 24 * 3_600_000;

/** More than triggers of one channel ever hold. */
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
        // The same delivery at the same moment.
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
        due_at: now + remembered,
        value: null,
      })),
  };
}
