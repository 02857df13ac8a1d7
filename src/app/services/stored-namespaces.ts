/** Which channel something that is stored belongs to. */

import type { ThreadReading } from "../../core/log/turn-log.ts";
import type { DueEntries } from "../../core/ports/schedules.ts";
import type { Knowledge } from "../../core/ports/services.ts";
import type { KeyValue } from "../../core/ports/storage.ts";
import { isDirectMessage } from "../../core/values/place.ts";

export interface StoredNamespacesDeps {
  log: Pick<ThreadReading, "namespaces">;
  store: Pick<KeyValue, "keys">;
  due: Pick<DueEntries, "list">;
  knowledge: Pick<Knowledge, "namespaces"> | undefined;
}

/** Of what skills keep: the namespace, the skill and a key of it follow. */
const skillData = "skill:";

/** What the keys of the store begin with that a namespace ends. */
const kinds = ["namespace:", "allowances:", "chat-greeted:", "channel-index:"] as const;

/** More than there ever are. */
export const maxDueEntries = 1_000_000;

/** The channels of which something is stored: said, set, planned, learned or kept by a skill. */
export async function storedNamespaces(deps: StoredNamespacesDeps): Promise<Set<string>> {
  const { log, store, due, knowledge } = deps;
  const known = new Set([...(await log.namespaces()), ...((await knowledge?.namespaces()) ?? [])]);
  for (const { namespace } of await due.list({ most: maxDueEntries })) known.add(namespace);
  for (const kind of kinds) for await (const key of store.keys(kind)) known.add(key.slice(kind.length));
  for await (const key of store.keys(skillData))
    known.add(namespaceOf(key.slice(skillData.length), known, 2));
  return known;
}

/** Parts of a namespace. */
const [leastParts, usualParts, maxParts] = [2, 3, 4];

/**
 * The namespace that a name of something stored begins with. `behind` are the parts that follow it at least: a thread, or a skill and a
 * key of it. Several namespaces may fit, as they have two to four parts: the longest counts that is known or a direct message, and where there
 * is none the usual three parts, or fewer.
 */
export function namespaceOf(name: string, known: ReadonlySet<string>, behind: number): string {
  const parts = name.split(":");
  const most = Math.min(maxParts, parts.length - behind);
  for (let count = most; count >= leastParts; count -= 1) {
    const namespace = parts.slice(0, count).join(":");
    if (known.has(namespace) || isDirectMessage(namespace)) return namespace;
  }
  return parts.slice(0, Math.min(most, usualParts)).join(":");
}

/** What skills keep for a channel: the keys without the namespace, and as the store has them. */
export async function* skillKeys(
  store: Pick<KeyValue, "keys">,
  namespace: string,
  known: ReadonlySet<string>,
): AsyncGenerator<{ key: string; stored: string }> {
  const prefix = `${skillData}${namespace}:`;
  for await (const stored of store.keys(prefix))
    if (namespaceOf(stored.slice(skillData.length), known, 2) === namespace)
      yield { key: stored.slice(prefix.length), stored };
}
