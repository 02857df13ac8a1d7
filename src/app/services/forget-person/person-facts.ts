import type { KeyValue } from "../../../core/ports/storage.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import { isAt, type Person } from "./person.ts";

/** Facts that a person told the memory of a channel. */
export interface ToldFacts {
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
      yield { namespace, texts: all("text"), names: all("by").filter((name) => name !== "") };
  }
}

/** Removes facts of these texts that the person told. */
export async function removeFacts(
  store: KeyValue,
  { namespace, texts }: ToldFacts,
  person: Person,
): Promise<void> {
  const gone = new Set(texts);
  const isGone = (fact: Json) => isTold(fact, person) && gone.has(String(objectOf(fact).text));
  for (const name of ["facts", "pinned"]) {
    const key = `skill:${namespace}:memory:${name}`;
    if ((await store.get(key)) === undefined) continue;
    await store.update<Json>(key, (value = null) => {
      const kept = listIn(value).filter((fact) => !isGone(fact));
      return Array.isArray(value) ? kept : { ...objectOf(value), facts: kept };
    });
  }
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
