import { isContainer } from "../../../base/record.ts";
import { type DueEntry, dueKinds } from "../../../core/ports/schedules.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { taughtKeys } from "../../../core/skill/taught-skills.ts";
import { deletedPerson } from "../../../core/values/inbound.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import { feedbackPrefix, offersOffKey } from "../shapes.ts";
import { maxDueEntries, namespaceOf } from "../stored-namespaces.ts";
import type { ValuesForgotten } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, type Person, writtenAs } from "./person.ts";
import type { PersonDeps } from "./person-turns.ts";

/** The person whose values are deleted, and the known channels. */
export interface Sweep {
  person: Person;
  /** Channels with stored data. */
  known: ReadonlySet<string>;
  dryRun: boolean;
}

/** The result of a rule: the new value; undefined deletes it. `count`: items of the person; with 0 the value stays. */
type Found = { count: number; value?: Json | undefined };
type Rule = (value: Json, key: string) => Found;

const untouched: Found = { count: 0 };

/** Key prefixes of values stored for channels, with the minimum number of parts after the namespace. */
const ofChannels = {
  "namespace:": 0,
  "allowances:": 0,
  "channel-index:": 0,
  "chat-greeted:": 0,
  "chat-thread:": 1,
  "chat-late:": 1,
  "skill:": 2,
} as const;
type Kind = keyof typeof ofChannels;

/** Deletes a person from all values stored for channels except facts, or only counts. */
export async function sweepValues(deps: PersonDeps, sweep: Sweep): Promise<ValuesForgotten> {
  const { store } = deps;
  const { person, known, dryRun } = sweep;
  const { id } = person;
  const isOwn = (namespace: string) => isOwnDirectMessage(person, namespace);
  const isOthers = (namespace: string) => isAt(person, namespace) && !isOwn(namespace);
  const apply = (kind: Kind, rule: (value: Json) => Found, isMeant = isOthers) =>
    applyRule(store, kind, dryRun, (value, key) => {
      const namespace = namespaceOf(key.slice(kind.length), known, ofChannels[kind]);
      return isMeant(namespace) ? rule(value) : untouched;
    });
  let stored = 0;
  for (const kind of Object.keys(ofChannels) as Kind[])
    stored += await apply(kind, () => ({ count: 1 }), isOwn);
  stored += await apply("chat-late:", (value) => {
    const author = objectOf(objectOf(objectOf(value).newest).author);
    return { count: author.id === id ? 1 : 0 };
  });
  stored += await applyTo(store, offersOffKey(person.platform, id), dryRun, () => ({ count: 1 }));
  const allowances = await apply("allowances:", (value) => withoutDecisions(value, id));
  let blanked = 0;
  for (const kind of ["namespace:", "chat-thread:", "channel-index:"] as const)
    blanked += await apply(kind, (value) => blankIn(value, id));
  stored += await applyRule(store, taughtKeys.skill, dryRun, (value) => ({
    count: isOwn(String(objectOf(value).home)) ? 1 : 0,
  }));
  await applyTo(store, taughtKeys.index, dryRun, (value) => withoutHomes(value, isOwn));
  const accounts = await removeAccounts(deps, person, dryRun);
  const isThere = (namespace?: string) => namespace !== undefined && isAt(person, namespace);
  const feedback = await sweepFeedback(deps, sweep, isThere);
  const messages = await deps.index.clearAuthor(id, isThere, { dryRun });
  const documents = (await deps.knowledge?.clearAuthor(id, isThere, { dryRun })) ?? 0;
  return { allowances, accounts, feedback, stored, blanked, messages, documents };
}

/** The same for values without a channel: grants of operators, and feedback on answers that no longer exist. */
export async function sweepUnplaced(
  deps: PersonDeps,
  sweep: Omit<Sweep, "known">,
): Promise<Pick<ValuesForgotten, "feedback" | "blanked">> {
  const { person, dryRun } = sweep;
  let blanked = 0;
  for (const prefix of ["grant:", "trust:", "packages:package:", taughtKeys.skill])
    blanked += await applyRule(deps.store, prefix, dryRun, (value) => blankIn(value, person.id));
  // Left over from a crash while its turn was deleted.
  const feedback = await sweepFeedback(deps, sweep, (namespace) => namespace === undefined);
  return { feedback, blanked };
}

/** @param isMeant gets the namespace of the answer, if it still exists */
async function sweepFeedback(
  { store, log }: PersonDeps,
  { person: { id }, dryRun }: Pick<Sweep, "person" | "dryRun">,
  isMeant: (namespace: string | undefined) => boolean,
): Promise<number> {
  let count = 0;
  for await (const key of store.keys(feedbackPrefix)) {
    const turn = await log.get(key.slice(feedbackPrefix.length));
    // Feedback on their own turns is deleted with the turns.
    if (!isMeant(turn?.namespace) || (dryRun && turn?.author.id === id)) continue;
    count += await applyTo(store, key, dryRun, (value) => {
      const { [id]: theirs, ...others } = objectOf(value);
      return { count: theirs === undefined ? 0 : 1, value: others as Json };
    });
  }
  return count;
}

async function applyRule(store: KeyValue, prefix: string, dryRun: boolean, rule: Rule): Promise<number> {
  let count = 0;
  for await (const key of store.keys(prefix)) count += await applyTo(store, key, dryRun, rule);
  return count;
}

async function applyTo(store: KeyValue, key: string, dryRun: boolean, rule: Rule): Promise<number> {
  const value = await store.get(key);
  const found = value === undefined ? untouched : rule(value, key);
  if (found.count === 0 || dryRun) return found.count;
  if (found.value === undefined) await store.delete(key);
  else await store.update<Json>(key, (now = null) => rule(now, key).value ?? now);
  return found.count;
}

/** The standing decisions of a channel without those of a person. */
function withoutDecisions(value: Json, id: string): Found {
  let count = 0;
  const kept = Object.entries(objectOf(value)).map(([name, list]): [string, Json] => {
    if (!Array.isArray(list)) return [name, list];
    const others = list.filter((each) => objectOf(each).by !== id);
    count += list.length - others.length;
    return [name, others];
  });
  return { count, value: Object.fromEntries(kept) };
}

/** The list of skills without those of a person's direct message. */
function withoutHomes(value: Json, isOwn: (namespace: string) => boolean): Found {
  const all = Object.entries(objectOf(value));
  const others = all.filter(([, entry]) => !isOwn(String(objectOf(entry).home)));
  return { count: all.length - others.length, value: Object.fromEntries(others) };
}

/** The value without the id and name of the person where it says that they made it. */
function blankIn(value: Json, id: string): { count: number; value: Json } {
  if (!isContainer(value)) return { count: 0, value };
  const { by, asker } = objectOf(value);
  const isTheirs = by === id || asker === id;
  let count = isTheirs ? 1 : 0;
  const entries = Object.entries(value).map(([name, each]): [string, Json] => {
    if (isTheirs && each === id) return [name, deletedPerson.id];
    if (isTheirs && (name === "name" || name === "by_name")) return [name, deletedPerson.name];
    const within = blankIn(each, id);
    count += within.count;
    return [name, within.value];
  });
  const changed = Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  return { count, value: count === 0 ? value : changed };
}

/** Removes accounts with tool servers, whose keys end with the person. Signs out of configured servers, so that tokens are revoked. */
async function removeAccounts(
  { store, servers, logger }: PersonDeps,
  person: Person,
  dryRun: boolean,
): Promise<number> {
  // An unfinished login has no key of its own.
  const accounts = new Set(person.workspace === "*" ? [] : [writtenAs(person)]);
  const keys: string[] = [];
  let count = 0;
  for await (const key of store.keys("mcp-login:")) {
    const [, kind, , ...account] = key.split(":");
    const name = account.join(":");
    if (!isAt(person, name) || account.slice(2).join(":") !== person.id) continue;
    if (kind === "tokens") count += 1;
    accounts.add(name);
    keys.push(key);
  }
  if (dryRun) return count;
  for (const { name, credentials } of servers?.list() ?? []) {
    if (credentials !== "per_user") continue;
    for (const account of accounts)
      await servers?.logout(name, account).catch((error: unknown) => {
        logger.warn(
          { err: error, server: name },
          "The account of a forgotten person could not be signed out",
        );
      });
  }
  for (const key of keys) await store.delete(key);
  return count;
}

/**
 * Deletes the plans of a person with the events that wait for them, and events of theirs that triggers of others hold. Returns the number
 * of plans; with `dryRun` it only counts.
 */
export async function removePlans({ due, sealed }: PersonDeps, { person, dryRun }: Sweep): Promise<number> {
  let count = 0;
  const all = (await due.list({ most: maxDueEntries })).filter(({ namespace }) => isAt(person, namespace));
  const plans = new Set(all.flatMap((entry) => (isPlannedBy(entry, person) ? entry.id : [])));
  const ofPlan = ({ value }: DueEntry) => plans.has(String(objectOf(value).trigger));
  // After a crash in between, the events of a plan are found as long as it is there.
  for (const entry of [...all.filter(ofPlan), ...all.filter((each) => !ofPlan(each))]) {
    const isOwn = plans.has(entry.id) || ofPlan(entry);
    if (plans.has(entry.id) && entry.kind !== dueKinds.event) count += 1;
    if (dryRun) continue;
    if (isOwn) {
      await sealed.delete(entry.id);
      await due.remove(entry.id);
    } else await due.change(entry.id, (now) => withoutPerson(now, person));
  }
  return count;
}

/** Whether the person made the plan, it reminds them, or it watches a thread they began. */
function isPlannedBy({ namespace, value }: DueEntry, person: Person): boolean {
  const { maker, by, for: receiver } = objectOf(value);
  const ids = [objectOf(maker).id, objectOf(receiver).id, by];
  return isOwnDirectMessage(person, namespace) || ids.includes(person.id);
}

/** A plan without the person's consent or refusal to get its messages. A trigger that waits for the person no longer names them, so it never fires. */
function withoutPerson(entry: DueEntry, { id }: Person): DueEntry | undefined {
  const value = objectOf(entry.value);
  const condition = objectOf(value.condition ?? null);
  const waits = condition.by === id ? { condition: { ...condition, by: deletedPerson.id } } : {};
  const { [id]: asked, ...receivers } = objectOf(value.receivers);
  if (condition.by !== id && asked === undefined) return undefined;
  const kept = asked === undefined ? {} : { receivers: receivers as Json };
  return { ...entry, value: { ...value, ...kept, ...waits } };
}

/** Facts that a person told the memory of a channel. */
interface ToldFacts {
  key: string;
  namespace: string;
  texts: string[];
  /** Names of the person on these facts. */
  names: string[];
}

const factsKey = /^skill:(.+):memory:(?:facts|pinned)$/;

/** The facts the person told, by channel and key. */
export async function* factsOf(store: KeyValue, person: Person): AsyncGenerator<ToldFacts> {
  for await (const key of store.keys("skill:")) {
    const namespace = factsKey.exec(key)?.[1];
    if (namespace === undefined || !isAt(person, namespace)) continue;
    const told = listIn(await store.get(key)).filter((fact) => isTold(fact, person));
    const all = (member: "text" | "by") =>
      told.map((fact) => objectOf(fact)[member]).filter((value) => typeof value === "string");
    if (told.length > 0)
      yield { key, namespace, texts: all("text"), names: all("by").filter((name) => name !== "") };
  }
}

/** Deletes the facts the person told, or only counts them. Returns how many. */
export async function removeFacts(store: KeyValue, person: Person, dryRun: boolean): Promise<number> {
  // A pinned fact has two keys.
  const gone = new Set<string>();
  for await (const { key, namespace, texts } of factsOf(store, person)) {
    for (const text of texts) gone.add(JSON.stringify([namespace, text]));
    if (dryRun) continue;
    await store.update<Json>(key, (value = null) => {
      const kept = listIn(value).filter((fact) => !isTold(fact, person));
      return Array.isArray(value) ? kept : { ...objectOf(value), facts: kept };
    });
  }
  return gone.size;
}

/** The facts of a channel are a member of an object; the pinned facts are a list. */
function listIn(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  const { facts } = objectOf(value ?? null);
  return Array.isArray(facts) ? facts : [];
}

function isTold(fact: Json, { id }: Person): boolean {
  return objectOf(fact).author === id;
}
