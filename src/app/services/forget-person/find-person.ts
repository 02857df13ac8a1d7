import { failed, type Outcome } from "../../../core/values/failure.ts";
import { partsOf } from "../../../core/values/place.ts";
import { storedNamespaces } from "../stored-namespaces.ts";
import { type Person, readPerson, turnsIn, writtenAs } from "./person.ts";
import type { PersonTraces } from "./person-turns.ts";
import { PersonValues } from "./person-values.ts";

/** Keys of the notes that help to find the rest of a person after a crash. */
export const notesPrefix = "forgetting:";

/**
 * Finds a person by `platform:workspace:id`, or by an id that only one person with stored data has. `platform:*:id` is the person with this
 * id in all workspaces.
 */
export async function findPerson(traces: PersonTraces, user: string): Promise<Outcome<Person>> {
  const named = readPerson(user);
  if (named !== undefined) return { ok: true, value: named };
  const people = new Map<string, Person>();
  const note = (person: Person) => people.set(writtenAs(person), person);
  const noteAt = (namespace: string) => {
    const { platform, workspace } = partsOf(namespace);
    note({ platform, workspace, id: user });
  };
  for await (const { namespace } of turnsIn(traces.log, { author: user })) noteAt(namespace);
  for await (const { by, about, namespace } of traces.stored.lines())
    if (by === user || about === user) noteAt(namespace);
  for await (const key of traces.store.keys(notesPrefix)) {
    const begun = readPerson(key.slice(notesPrefix.length));
    if (begun?.id === user) note(begun);
  }
  if (people.size === 0) for (const person of await lookEverywhere(traces, user)) note(person);
  const [person, ...others] = people.values();
  if (person === undefined) return await personNotFound(traces, user);
  if (others.length === 0) return { ok: true, value: person };
  const names = [person, ...others].map(writtenAs).join(", ");
  const message = `Several people may have the id ${user}: ${names}. Name one of them. If they are one person, as on Discord, name ${person.platform}:*:${user}.`;
  return failed(409, message, "several_people");
}

/** People with this id who have stored data other than turns and audit lines, which may be deleted already. */
async function lookEverywhere(traces: PersonTraces, id: string): Promise<Person[]> {
  const known = await storedNamespaces(traces);
  const workspaces = Map.groupBy(new Set(known), (namespace) => partsOf(namespace).platform);
  const found: Person[] = [];
  for (const [platform, namespaces] of workspaces) {
    if (!(await hasAnything(traces, { platform, workspace: "*", id }, known))) continue;
    for (const workspace of new Set(namespaces.map((each) => partsOf(each).workspace)))
      if (await hasAnything(traces, { platform, workspace, id }, known))
        found.push({ platform, workspace, id });
  }
  return found;
}

async function hasAnything(traces: PersonTraces, person: Person, known: ReadonlySet<string>) {
  const values = new PersonValues(traces, person, { dryRun: true });
  if ((await values.facts()) + (await values.plans()) > 0) return true;
  return Object.values(await values.ofChannels(known)).some((count) => count > 0);
}

async function personNotFound(traces: PersonTraces, user: string): Promise<Outcome<never>> {
  const person = { platform: "", workspace: "", id: user };
  const unplaced = await new PersonValues(traces, person, { dryRun: true }).unplaced();
  if (Object.values(unplaced).some((count) => count > 0)) {
    const message = `Grants or feedback of ${user} are stored without a platform. Name the person as platform:workspace:id, such as slack:T0123:U0123.`;
    return failed(409, message, "whole_name_needed");
  }
  const copies = (await traces.copies?.remove({ dryRun: true })) ?? [];
  if (copies.length > 0) {
    const message = `Nothing that ${user} said or changed is stored, except perhaps in copies from before an upgrade: ${copies.join(", ")}. These are deleted 14 days after it. Name the person as platform:workspace:id to delete the copies now.`;
    return failed(404, message);
  }
  const message = `Nothing that ${user} said or changed is stored. To find a person whose messages were only read in other people's threads, name platform:workspace:id, such as slack:T0123:U0123.`;
  return failed(404, message);
}
