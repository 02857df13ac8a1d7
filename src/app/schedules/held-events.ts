/** Events that have no turn yet, one entry each. Events that had a turn are remembered for a day, without their content. */
import { createHash } from "node:crypto";
import {
  type DueEntry,
  dueKinds,
  type HeldEvent,
  heldEventSchema,
  maxHeld,
  type Trigger,
  type TriggerEvent,
} from "../../core/ports/schedules.ts";
import { toJson } from "../../core/values/json.ts";
import type { Entry } from "./plan-book.ts";
import type { Planning } from "./planning.ts";

/** An event that waits for a turn. `id` is the id of its entry. */
export type Held = HeldEvent & Pick<DueEntry, "id">;

/** The result for an event: it waits for a turn, is known already, is only counted because too many wait, or its trigger is off. */
export type Happened = "taken" | "known" | "flooded" | "paused";

/** Dedupe window for repeated deliveries, ms. Senders that sign no time retry within a day. */
const dedupeMs = 24 * 3_600_000;

/** More than the triggers of one channel ever hold. */
const maxListed = 10_000;

/** Stores an event for a trigger. Once this resolves, the event survives a crash; its turn begins as soon as the limits allow. */
export async function noteEvent(planning: Planning, id: string, event: TriggerEvent): Promise<Happened> {
  const { book, limits, clock, wake } = planning;
  const entry = await book.get(id);
  if (entry?.value.what !== "trigger" || entry.value.paused !== undefined) return "paused";
  const became = await hold(planning, entry, event);
  // Also for a known event: the bot may have crashed before it scheduled the turn.
  await book.change<Trigger>(id, ({ value, due_at }) => {
    if (value.paused !== undefined) return undefined;
    const next = Math.max(clock.now(), (value.started_at ?? 0) + limits.trigger_gap_ms);
    const more = value.more + (became === "flooded" ? 1 : 0);
    return { value: { ...value, noted: value.noted + 1, more }, due_at: Math.min(due_at ?? next, next) };
  });
  if (became === "taken") wake();
  return became;
}

/** `known`: the event waits already, or came within the last day. */
async function hold(planning: Planning, trigger: Entry, event: TriggerEvent): Promise<Happened> {
  const { due } = planning;
  const id = `${trigger.id}.${createHash("sha256").update(event.key).digest("base64url")}`;
  if ((await due.get(id)) !== undefined) return "known";
  if ((await eventsOf(planning, trigger)).length >= maxHeld) return "flooded";
  const value = toJson({ ...event, trigger: trigger.id });
  try {
    await due.add({ id, namespace: trigger.namespace, kind: dueKinds.event, value });
    return "taken";
  } catch (error) {
    // The same delivery arrived at the same moment.
    if ((await due.get(id)) !== undefined) return "known";
    throw error;
  }
}

/** The events that wait for a trigger, oldest first. */
export async function eventsOf(
  { due }: Planning,
  { id, namespace }: Pick<Entry, "id" | "namespace">,
): Promise<Held[]> {
  const entries = await due.list({ namespace, kind: dueKinds.event, most: maxListed });
  return entries.flatMap((entry) => {
    const { data } = heldEventSchema.safeParse(entry.value);
    return data?.trigger === id ? { ...data, id: entry.id } : [];
  });
}

/** Marks the events for the trigger's turn with this number. */
export async function assignEvents({ due }: Planning, events: readonly Held[], start: number): Promise<void> {
  for (const { id, ...event } of events)
    await due.change(id, (entry) => ({ ...entry, value: toJson({ ...event, start }) }));
}

/** Marks the events as done: they had a turn, or get none. */
export async function settleEvents({ due, clock }: Planning, events: readonly Held[]): Promise<void> {
  const seen = { kind: dueKinds.seen, due_at: clock.now() + dedupeMs, value: null };
  for (const { id } of events) await due.change(id, (entry) => ({ ...entry, ...seen }));
}
