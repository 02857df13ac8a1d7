/** Finds the channel that a stored value belongs to. */

import type { DueEntries } from "../../core/ports/schedules.ts";
import type { Knowledge } from "../../core/ports/services.ts";
import type { KeyValue } from "../../core/ports/storage.ts";
import { isDirectMessage } from "../../core/values/place.ts";
import type { AppDeps } from "../app-deps.ts";

/** Where data of channels is. `knowledge`: what they learned from documents. */
export interface ChannelData extends Pick<AppDeps, "log" | "store"> {
  due: Pick<DueEntries, "list">;
  knowledge: Pick<Knowledge, "namespaces"> | undefined;
}

/** Key prefix of skill data; the namespace, the skill and a key follow. */
const skillData = "skill:";

/** Prefixes of keys that end with a namespace. */
const kinds = ["namespace:", "allowances:", "chat-greeted:", "channel-index:"] as const;

/** More entries than there ever are. */
export const maxDueEntries = 1_000_000;

/** Channels with stored data: turns, settings, plans, documents or skill data. */
export async function storedNamespaces({ log, store, due, knowledge }: ChannelData): Promise<Set<string>> {
  const known = new Set([...(await log.namespaces()), ...((await knowledge?.namespaces()) ?? [])]);
  for (const { namespace } of await due.list({ most: maxDueEntries })) known.add(namespace);
  for (const kind of kinds) for await (const key of store.keys(kind)) known.add(key.slice(kind.length));
  for await (const key of store.keys(skillData))
    known.add(namespaceOf(key.slice(skillData.length), known, 2));
  return known;
}

/** Parts of a namespace. */
const [minParts, usualParts, maxParts] = [2, 3, 4];

/**
 * The namespace at the beginning of a stored name. `behind` is the minimum number of parts after it: a thread, or a skill and a key.
 * Namespaces have two to four parts, so several may fit: the longest one that is known or a direct message is taken, otherwise the usual
 * three parts or fewer.
 */
export function namespaceOf(name: string, known: ReadonlySet<string>, behind: number): string {
  const parts = name.split(":");
  const available = Math.min(maxParts, parts.length - behind);
  for (let count = available; count >= minParts; count -= 1) {
    const namespace = parts.slice(0, count).join(":");
    if (known.has(namespace) || isDirectMessage(namespace)) return namespace;
  }
  return parts.slice(0, Math.min(available, usualParts)).join(":");
}

/** Keys of skill data of a channel: without the namespace, and as stored. */
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
