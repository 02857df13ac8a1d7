import type { DueEntries, DueEntry } from "../../src/core/due-entries.ts";

/** Due entries in memory: exactly what the port promises. A copy goes in and a copy comes out. */
export function createFakeDueEntries(): DueEntries {
  const entries = new Map<string, DueEntry>();
  const all = () => [...entries.values()].map((entry) => structuredClone(entry));
  const isDue = (now: number) => (entry: DueEntry) => entry.due_at !== undefined && entry.due_at <= now;
  const byTime = (a: DueEntry, b: DueEntry) => (a.due_at ?? 0) - (b.due_at ?? 0);
  return {
    async add(entry) {
      if (entries.has(entry.id)) throw new Error(`The id ${entry.id} is taken`);
      entries.set(entry.id, structuredClone(entry));
    },
    get: async (id) => structuredClone(entries.get(id)),
    list: async ({ namespace, kind, most = 1_000 }) =>
      all()
        .filter((entry) => namespace === undefined || entry.namespace === namespace)
        .filter((entry) => kind === undefined || entry.kind === kind)
        .slice(0, most),
    async change(id, change) {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const changed = change(structuredClone(entry));
      if (changed !== undefined) entries.set(id, structuredClone(changed));
      return structuredClone(changed ?? entry);
    },
    remove: async (id) => entries.delete(id),
    async removeAll(namespace) {
      const own = all().filter((entry) => entry.namespace === namespace);
      for (const { id } of own) entries.delete(id);
      return own.length;
    },
    due: async (now, most) => all().filter(isDue(now)).sort(byTime).slice(0, most),
    next: async () => all().filter(isDue(Infinity)).sort(byTime)[0]?.due_at,
  };
}
