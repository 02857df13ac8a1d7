import { type Json, objectOf } from "../../../core/json.ts";
import type { KeyValue } from "../../../core/key-value.ts";
import type { Servers } from "../../../core/servers.ts";
import type { ValuesForgotten } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, type Person } from "./person.ts";

export interface SweepDeps {
  store: KeyValue;
  servers?: Pick<Servers, "list" | "logout"> | undefined;
}

/** What a rule makes of a value: undefined deletes it. `count`: how much of the person it had; nothing is done when none. */
type Rule = (value: Json, key: string) => { count: number; value?: Json | undefined };

/** Takes a person out of everything stored under keys, but for facts and the audit; or only counts. */
export async function sweepValues(
  { store, servers }: SweepDeps,
  person: Person,
  pseudonym: string,
  dryRun: boolean,
): Promise<ValuesForgotten> {
  const apply = (prefix: string, rule: Rule) => applyRule(store, prefix, rule, dryRun);
  const { platform, id } = person;
  let stored = 0;
  for (const kind of ["namespace:", "allowances:", "chat-thread:", "chat-late:", "chat-greeted:", "skill:"])
    stored += await apply(`${kind}${platform}:`, (_value, key) => ({
      count: isStoredInOwnMessages(person, key.slice(kind.length)) ? 1 : 0,
    }));
  stored += await apply(`chat-late:${platform}:`, (value, key) => {
    const author = objectOf(objectOf(objectOf(value).newest).author);
    return { count: isAt(person, key.slice("chat-late:".length)) && author.id === id ? 1 : 0 };
  });
  const allowances = await apply(`allowances:${platform}:`, (value, key) => {
    if (!isAt(person, key.slice("allowances:".length))) return { count: 0 };
    const book = objectOf(value);
    const isTheirs = (each: Json) => objectOf(each).by === id || objectOf(each).only_for === id;
    let count = 0;
    const kept = Object.entries(book).map(([name, list]) => {
      if (!Array.isArray(list)) return [name, list];
      const others = list.filter((each) => !isTheirs(each));
      count += list.length - others.length;
      return [name, others];
    });
    return { count, value: Object.fromEntries(kept) as Json };
  });
  const feedback = await apply("feedback:", (value) => {
    const { [id]: theirs, ...others } = objectOf(value);
    return { count: theirs === undefined ? 0 : 1, value: others as Json };
  });
  let renamed = 0;
  for (const kind of ["namespace:", "chat-thread:"])
    renamed += await apply(`${kind}${platform}:`, (value, key) =>
      isAt(person, key.slice(kind.length)) ? renameIn(value, id, pseudonym) : { count: 0 },
    );
  for (const prefix of ["grant:", "trust:", "packages:package:"])
    renamed += await apply(prefix, (value) => renameIn(value, id, pseudonym));
  return {
    allowances,
    accounts: await removeAccounts({ store, servers }, person, dryRun),
    feedback,
    stored,
    renamed,
  };
}

async function applyRule(store: KeyValue, prefix: string, rule: Rule, dryRun: boolean): Promise<number> {
  let count = 0;
  for await (const key of store.keys(prefix)) {
    const value = await store.get(key);
    if (value === undefined) continue;
    const found = rule(value, key);
    if (found.count === 0) continue;
    count += found.count;
    if (dryRun) continue;
    if (found.value === undefined) await store.delete(key);
    else await store.update<Json>(key, (now = null) => rule(now, key).value ?? now);
  }
  return count;
}

/** @param rest of a key: a namespace, and what stands behind it */
function isStoredInOwnMessages(person: Person, rest: string): boolean {
  const namespace = rest.split(":").slice(0, 3).join(":");
  return isOwnDirectMessage(person, namespace);
}

/** The members that say who made something. */
const makers: ReadonlySet<string> = new Set(["by", "asker"]);

/** The value with another id where the person made something. */
function renameIn(value: Json, id: string, pseudonym: string): { count: number; value: Json } {
  if (typeof value !== "object" || value === null) return { count: 0, value };
  let count = 0;
  const entries = Object.entries(value).map(([name, each]): [string, Json] => {
    if (makers.has(name) && each === id) {
      count += 1;
      return [name, pseudonym];
    }
    const within = renameIn(each, id, pseudonym);
    count += within.count;
    return [name, within.value];
  });
  const changed = Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  return { count, value: count === 0 ? value : changed };
}

/** Accounts with tool servers: their keys end with the person. Servers that are configured are told, so that tokens are revoked. */
async function removeAccounts(
  { store, servers }: SweepDeps,
  person: Person,
  dryRun: boolean,
): Promise<number> {
  const accounts = new Set<string>();
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
  for (const { name, credentials } of servers?.list() ?? [])
    if (credentials === "per_user") for (const account of accounts) await servers?.logout(name, account);
  for (const key of keys) await store.delete(key);
  return count;
}
