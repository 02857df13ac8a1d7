import type { KeyValue } from "../../core/ports/storage.ts";
import { type Json, objectOf } from "../../core/values/json.ts";
import type { PinnedFact } from "../../core/values/profile.ts";

/** Reads the facts that people pinned in a channel. The skill `memory` stores them, see `skills/memory/fact.ts`. */
export function createPinnedFacts(store: Pick<KeyValue, "get">) {
  return async (namespace: string): Promise<PinnedFact[]> => {
    const pinned = await store.get(`skill:${namespace}:memory:pinned`);
    return Array.isArray(pinned) ? pinned.flatMap((fact) => pinnedFact(fact) ?? []) : [];
  };
}

function pinnedFact(stored: Json): PinnedFact | undefined {
  const { text, by } = objectOf(stored);
  return typeof text === "string" && typeof by === "string" ? { text, by } : undefined;
}
