import { LRUCache } from "lru-cache";
import type { KeyValue } from "../../../core/key-value.ts";
import {
  type NamespaceState,
  type ReadNamespace,
  readNamespaceAgain,
} from "../../../core/namespace-state.ts";

/** The settings of channels. */
export interface SettingsReader {
  /** As they are stored now; costs next to nothing while they do not change. */
  of(namespace: string): Promise<NamespaceState["settings"]>;
}

/** Channels whose settings are kept in memory. */
const remembered = 1_000;

export function createSettingsReader(store: KeyValue): SettingsReader {
  const known = new LRUCache<string, ReadNamespace>({ max: remembered });
  return {
    async of(namespace) {
      const read = await readNamespaceAgain(store, namespace, known.get(namespace));
      known.set(namespace, read);
      return read.state.settings;
    },
  };
}
