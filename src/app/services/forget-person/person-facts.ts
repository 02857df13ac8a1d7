import type { KeyValue } from "../../../core/ports/storage.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import { isAt, type Person } from "./person.ts";

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
