import { isContainer } from "../../../base/record.ts";
import { type DueEntry, dueKinds } from "../../../core/ports/schedules.ts";
import { taughtKeys } from "../../../core/skill/taught-skills.ts";
import { deletedPerson } from "../../../core/values/inbound.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import { feedbackPrefix, offersOffKey } from "../shapes.ts";
import { maxDueEntries, namespaceOf } from "../stored-namespaces.ts";
import type { ValuesForgotten } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, type Person, writtenAs } from "./person.ts";
import type { PersonTraces } from "./person-turns.ts";

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

/** Facts that a person told the memory of a channel. */
interface ToldFacts {
  key: string;
  namespace: string;
  texts: string[];
  /** Names of the person on these facts. */
  names: string[];
}

const factsKey = /^skill:(.+):memory:(?:facts|pinned)$/;

/** What is stored of a person besides their turns. Each method deletes its part, or only counts it with `dryRun`. */
export class PersonValues {
  readonly #in: PersonTraces;
  readonly #person: Person;
  readonly #dryRun: boolean;

  constructor(traces: PersonTraces, person: Person, { dryRun }: { dryRun: boolean }) {
    this.#in = traces;
    this.#person = person;
    this.#dryRun = dryRun;
  }

  /** The values stored for channels, except facts. @param known channels with stored data */
  async ofChannels(known: ReadonlySet<string>): Promise<ValuesForgotten> {
    const { index, knowledge } = this.#in;
    const person = this.#person;
    const { id } = person;
    const dryRun = this.#dryRun;
    const isOwn = (namespace: string) => isOwnDirectMessage(person, namespace);
    const isOthers = (namespace: string) => isAt(person, namespace) && !isOwn(namespace);
    const apply = (kind: Kind, rule: (value: Json) => Found, isMeant = isOthers) =>
      this.#apply(kind, (value, key) => {
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
    stored += await this.#applyTo(offersOffKey(person.platform, id), () => ({ count: 1 }));
    const allowances = await apply("allowances:", (value) => withoutDecisions(value, id));
    let blanked = 0;
    for (const kind of ["namespace:", "chat-thread:", "channel-index:"] as const)
      blanked += await apply(kind, (value) => blankIn(value, id));
    stored += await this.#apply(taughtKeys.skill, (value) => ({
      count: isOwn(String(objectOf(value).home)) ? 1 : 0,
    }));
    await this.#applyTo(taughtKeys.index, (value) => withoutHomes(value, isOwn));
    const accounts = await this.#accounts();
    const isThere = (namespace?: string) => namespace !== undefined && isAt(person, namespace);
    const feedback = await this.#feedback(isThere);
    const messages = await index.clearAuthor(id, isThere, { dryRun });
    const documents = (await knowledge?.clearAuthor(id, isThere, { dryRun })) ?? 0;
    return { allowances, accounts, feedback, stored, blanked, messages, documents };
  }

  /** Values without a channel: grants of operators, and feedback on answers that no longer exist. */
  async unplaced(): Promise<Pick<ValuesForgotten, "feedback" | "blanked">> {
    let blanked = 0;
    for (const prefix of ["grant:", "trust:", "packages:package:", taughtKeys.skill])
      blanked += await this.#apply(prefix, (value) => blankIn(value, this.#person.id));
    // Left over from a crash while its turn was deleted.
    const feedback = await this.#feedback((namespace) => namespace === undefined);
    return { feedback, blanked };
  }

  /** @param isMeant gets the namespace of the answer, if it still exists */
  async #feedback(isMeant: (namespace: string | undefined) => boolean): Promise<number> {
    const { store, log } = this.#in;
    const { id } = this.#person;
    let count = 0;
    for await (const key of store.keys(feedbackPrefix)) {
      const turn = await log.get(key.slice(feedbackPrefix.length));
      // Feedback on their own turns is deleted with the turns.
      if (!isMeant(turn?.namespace) || (this.#dryRun && turn?.author.id === id)) continue;
      count += await this.#applyTo(key, (value) => {
        const { [id]: theirs, ...others } = objectOf(value);
        return { count: theirs === undefined ? 0 : 1, value: others as Json };
      });
    }
    return count;
  }

  async #apply(prefix: string, rule: Rule): Promise<number> {
    let count = 0;
    for await (const key of this.#in.store.keys(prefix)) count += await this.#applyTo(key, rule);
    return count;
  }

  async #applyTo(key: string, rule: Rule): Promise<number> {
    const { store } = this.#in;
    const value = await store.get(key);
    const found = value === undefined ? untouched : rule(value, key);
    if (found.count === 0 || this.#dryRun) return found.count;
    if (found.value === undefined) await store.delete(key);
    else await store.update<Json>(key, (now = null) => rule(now, key).value ?? now);
    return found.count;
  }

  /** Accounts with tool servers, whose keys end with the person. Signs out of configured servers, so that tokens are revoked. */
  async #accounts(): Promise<number> {
    const { store, servers, logger } = this.#in;
    const person = this.#person;
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
    if (this.#dryRun) return count;
    for (const { name, credentials } of servers?.list() ?? []) {
      if (credentials !== "per_user") continue;
      for (const account of accounts)
        await servers?.logout(name, account).catch((error: unknown) => {
          const message = "The account of a forgotten person could not be signed out";
          logger.warn({ err: error, server: name }, message);
        });
    }
    for (const key of keys) await store.delete(key);
    return count;
  }

  /** Their plans with the events that wait for them, and events of theirs that triggers of others hold. Returns the number of plans. */
  async plans(): Promise<number> {
    const { due, sealed } = this.#in;
    const person = this.#person;
    let count = 0;
    const all = (await due.list({ most: maxDueEntries })).filter(({ namespace }) => isAt(person, namespace));
    const plans = new Set(all.flatMap((entry) => (isPlannedBy(entry, person) ? entry.id : [])));
    const ofPlan = ({ value }: DueEntry) => plans.has(String(objectOf(value).trigger));
    // After a crash in between, the events of a plan are found as long as it is there.
    for (const entry of [...all.filter(ofPlan), ...all.filter((each) => !ofPlan(each))]) {
      const isOwn = plans.has(entry.id) || ofPlan(entry);
      if (plans.has(entry.id) && entry.kind !== dueKinds.event) count += 1;
      if (this.#dryRun) continue;
      if (isOwn) {
        await sealed.delete(entry.id);
        await due.remove(entry.id);
      } else await due.change(entry.id, (now) => withoutPerson(now, person));
    }
    return count;
  }

  /** The facts they told, by channel and key. */
  async *told(): AsyncGenerator<ToldFacts> {
    const { store } = this.#in;
    for await (const key of store.keys("skill:")) {
      const namespace = factsKey.exec(key)?.[1];
      if (namespace === undefined || !isAt(this.#person, namespace)) continue;
      const told = listIn(await store.get(key)).filter((fact) => isTold(fact, this.#person));
      const all = (member: "text" | "by") =>
        told.map((fact) => objectOf(fact)[member]).filter((value) => typeof value === "string");
      if (told.length > 0)
        yield { key, namespace, texts: all("text"), names: all("by").filter((name) => name !== "") };
    }
  }

  /** The facts they told. Returns how many. */
  async facts(): Promise<number> {
    // A pinned fact has two keys.
    const gone = new Set<string>();
    for await (const { key, namespace, texts } of this.told()) {
      for (const text of texts) gone.add(JSON.stringify([namespace, text]));
      if (this.#dryRun) continue;
      await this.#in.store.update<Json>(key, (value = null) => {
        const kept = listIn(value).filter((fact) => !isTold(fact, this.#person));
        return Array.isArray(value) ? kept : { ...objectOf(value), facts: kept };
      });
    }
    return gone.size;
  }
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

/** The facts of a channel are a member of an object; the pinned facts are a list. */
function listIn(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  const { facts } = objectOf(value ?? null);
  return Array.isArray(facts) ? facts : [];
}

function isTold(fact: Json, { id }: Person): boolean {
  return objectOf(fact).author === id;
}
