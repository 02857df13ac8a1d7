import type { Outcome } from "../../../core/values/failure.ts";
import { partsOf } from "../../../core/values/place.ts";
import { storedNamespaces } from "../stored-namespaces.ts";
import { type Person, readPerson, turnsIn, writtenAs } from "./person.ts";
import type { PersonDeps } from "./person-turns.ts";
import { removeFacts, removePlans, sweepUnplaced, sweepValues } from "./person-values.ts";

/** Keys of the notes that help to find the rest of a person after a crash. */
export const notesPrefix = "forgetting:";

/**
 * Finds a person by `platform:workspace:id`, or by an id that only one person with stored data has. `platform:*:id` is the person with this
 * id in all workspaces.
 */
export async function findPerson(deps: PersonDeps, user: string): Promise<Outcome<Person>> {
  const named = readPerson(user);
  if (named !== undefined) return { ok: true, value: named };
  const people = new Map<string, Person>();
  const note = (person: Person) => people.set(writtenAs(person), person);
  const noteAt = (namespace: string) => {
    const { platform, workspace } = partsOf(namespace);
    note({ platform, workspace, id: user });
  };
  for await (const { namespace } of turnsIn(deps.log, { author: user })) noteAt(namespace);
  for await (const { by, about, namespace } of deps.stored.lines())
    if (by === user || about === user) noteAt(namespace);
  for await (const key of deps.store.keys(notesPrefix)) {
    const begun = readPerson(key.slice(notesPrefix.length));
    if (begun?.id === user) note(begun);
  }
  if (people.size === 0) for (const person of await lookEverywhere(deps, user)) note(person);
  const [person, ...others] = people.values();
  if (person === undefined) return await personNotFound(deps, user);
  if (others.length === 0) return { ok: true, value: person };
  const names = [person, ...others].map(writtenAs).join(", ");
  const message = `Several people may have the id ${user}: ${names}. Name one of them. If they are one person, as on Discord, name ${person.platform}:*:${user}.`;
  return { ok: false, status: 409, message, code: "several_people" };
}

/** People with this id who have stored data other than turns and audit lines, which may be deleted already. */
async function lookEverywhere(deps: PersonDeps, id: string): Promise<Person[]> {
  const known = await storedNamespaces(deps);
  const workspaces = Map.groupBy(new Set(known), (namespace) => partsOf(namespace).platform);
  const found: Person[] = [];
  for (const [platform, namespaces] of workspaces) {
    if (!(await hasAnything(deps, { platform, workspace: "*", id }, known))) continue;
    for (const workspace of new Set(namespaces.map((each) => partsOf(each).workspace)))
      if (await hasAnything(deps, { platform, workspace, id }, known))
        found.push({ platform, workspace, id });
  }
  return found;
}

async function hasAnything(deps: PersonDeps, person: Person, known: ReadonlySet<string>): Promise<boolean> {
  const sweep = { person, known, dryRun: true };
  const planned = (await removeFacts(deps.store, person, true)) + (await removePlans(deps, sweep));
  return planned > 0 || Object.values(await sweepValues(deps, sweep)).some((count) => count > 0);
}

async function personNotFound(deps: PersonDeps, user: string): Promise<Outcome<never>> {
  const person = { platform: "", workspace: "", id: user };
  const unplaced = await sweepUnplaced(deps, { person, dryRun: true });
  if (Object.values(unplaced).some((count) => count > 0)) {
    const message = `Grants or feedback of ${user} are stored without a platform. Name the person as platform:workspace:id, such as slack:T0123:U0123.`;
    return { ok: false, status: 409, message, code: "whole_name_needed" };
  }
  const copies = (await deps.copies?.remove({ dryRun: true })) ?? [];
  if (copies.length > 0) {
    const message = `Nothing that ${user} said or changed is stored, except perhaps in copies from before an upgrade: ${copies.join(", ")}. These are deleted 14 days after it. Name the person as platform:workspace:id to delete the copies now.`;
    return { ok: false, status: 404, message };
  }
  const message = `Nothing that ${user} said or changed is stored. To find a person whose messages were only read in other people's threads, name platform:workspace:id, such as slack:T0123:U0123.`;
  return { ok: false, status: 404, message };
}
