import type { DueEntries, DueEntry } from "../../../core/due-entries.ts";
import { type Json, objectOf } from "../../../core/json.ts";
import { dueKinds } from "../../../core/schedule.ts";
import { isAt, isOwnDirectMessage, type Person } from "./person.ts";

export interface PersonPlansDeps {
  due: Pick<DueEntries, "list" | "change" | "remove">;
}

/** More than there ever are. */
const mostEntries = 1_000_000;

/**
 * Deletes what a person planned, and what triggers of others keep of what they did. Answers how many of theirs there were; only counts with
 * `dryRun`.
 */
export async function removePlans(
  { due }: PersonPlansDeps,
  person: Person,
  dryRun: boolean,
): Promise<number> {
  let count = 0;
  for (const entry of await due.list({ most: mostEntries })) {
    if (!isAt(person, entry.namespace)) continue;
    const isOwn = isTheirs(entry, person);
    if (isOwn && entry.kind !== dueKinds.event) count += 1;
    if (dryRun) continue;
    if (isOwn) await due.remove(entry.id);
    else await due.change(entry.id, (now) => withoutEvents(now, person));
  }
  return count;
}

/** Whether they made it, or it watches what they began. */
function isTheirs({ namespace, value }: DueEntry, person: Person): boolean {
  const { maker, by } = objectOf(value);
  return isOwnDirectMessage(person, namespace) || objectOf(maker).id === person.id || by === person.id;
}

/** What a trigger keeps of events until it may begin its next turn. */
function withoutEvents(entry: DueEntry, { id }: Person): DueEntry | undefined {
  const value = objectOf(entry.value);
  if (!Array.isArray(value.held)) return undefined;
  const held = value.held.filter((event: Json) => objectOf(event).by !== id);
  return held.length === value.held.length ? undefined : { ...entry, value: { ...value, held } };
}
