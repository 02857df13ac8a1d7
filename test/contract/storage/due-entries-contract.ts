import { describe, expect, it, type TestOptions } from "vitest";
import type { DueEntries, DueEntry } from "../../../src/core/ports/schedules.ts";

/** What every store of due entries promises. `open` answers an empty one. */
export function describeDueEntries(
  name: string,
  open: () => Promise<DueEntries>,
  options: TestOptions = {},
): void {
  const entry = (id: string, more: Partial<DueEntry> = {}): DueEntry => ({
    ...{ id, namespace: "console:local:general", kind: "schedule", value: { text: id } },
    ...more,
  });
  const ids = (entries: readonly DueEntry[]) => entries.map(({ id }) => id);

  describe(`due entries in ${name}`, options, () => {
    it("due entries are kept as they were added, and an id is refused twice", async () => {
      const due = await open();
      await due.add(entry("a", { due_at: 5, value: { deep: ["ü", 1, null, true] } }));
      expect(await due.get("a")).toEqual(entry("a", { due_at: 5, value: { deep: ["ü", 1, null, true] } }));
      await expect(due.add(entry("a"))).rejects.toThrow("taken");
      expect(await due.get("b")).toBeUndefined();
    });

    it("due entries are listed in the order of adding, by namespace, kind or where they are shown, up to a maximum", async () => {
      const due = await open();
      for (const [id, more] of [
        ["c", {}],
        ["a", { kind: "trigger" }],
        ["b", { namespace: "slack:T1:C1", shown_in: "slack:T1:D1" }],
      ] as const)
        await due.add(entry(id, more));
      expect(ids(await due.list({}))).toEqual(["c", "a", "b"]);
      expect(ids(await due.list({ kind: "schedule" }))).toEqual(["c", "b"]);
      expect(ids(await due.list({ namespace: "slack:T1:C1" }))).toEqual(["b"]);
      expect(ids(await due.list({ shown_in: "slack:T1:D1", kind: "schedule" }))).toEqual(["b"]);
      expect(ids(await due.list({ shown_in: "slack:T1:C1" }))).toEqual([]);
      expect(ids(await due.list({ most: 2 }))).toEqual(["c", "a"]);
    });

    it("due entries are answered longest due first, with the time of the next", async () => {
      const due = await open();
      expect(await due.next()).toBeUndefined();
      await due.add(entry("later", { due_at: 30 }));
      await due.add(entry("never"));
      await due.add(entry("now", { due_at: 20 }));
      await due.add(entry("first", { due_at: 10 }));
      expect(ids(await due.due(20, 10))).toEqual(["first", "now"]);
      expect(ids(await due.due(20, 1))).toEqual(["first"]);
      expect(await due.due(9, 10)).toEqual([]);
      expect(await due.next()).toBe(10);
    });

    it("due entries are changed as stored now, and left where nothing is answered", async () => {
      const due = await open();
      await due.add(entry("a", { due_at: 1 }));
      const count = () => due.change("a", ({ value, ...rest }) => ({ ...rest, value: [value, "x"] }));
      await Promise.all([count(), count()]);
      expect((await due.get("a"))?.value).toEqual([[{ text: "a" }, "x"], "x"]);
      const { due_at: _, ...paused } = entry("a");
      expect(await due.change("a", () => paused)).toEqual(paused);
      expect(await due.next()).toBeUndefined();
      expect(await due.change("a", () => undefined)).toEqual(paused);
      expect(await due.change("b", () => paused)).toBeUndefined();
    });

    it("due entries are removed one by one, or all of a namespace", async () => {
      const due = await open();
      await due.add(entry("a"));
      await due.add(entry("b"));
      await due.add(entry("c", { namespace: "slack:T1:C1" }));
      expect(await due.remove("a")).toBe(true);
      expect(await due.remove("a")).toBe(false);
      expect(await due.removeAll("console:local:general")).toBe(1);
      expect(ids(await due.list({}))).toEqual(["c"]);
    });
  });
}
