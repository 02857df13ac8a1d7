import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt } from "../../support/log-time.ts";
import { ending, entry, inbound, opened } from "./turn-log-contract.ts";

const place = { namespace: "console:local:general", thread: "one" };

/** What every turn log must do when old turns are looked for and deleted. */
export function turnLogRemovalContract(
  name: string,
  open: () => Promise<TurnLog>,
  options: TestOptions = {},
): void {
  describe(`${name}: removal`, options, () => {
    let log: TurnLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    const accept = (id: string, change: Partial<Inbound> = {}, at = 100) =>
      log.accept(inbound(`key-${id}`, change), id, at);
    /** A turn that ends at this time. */
    const said = async (
      id: string,
      at: number,
      change: Partial<Inbound> = {},
      first: TurnEventBody = opened(),
    ) => {
      await accept(id, change, Math.min(at, 100));
      await claimAt(log, 1_000, "w1", 500);
      await log.append(id, "w1", [entry(id, 1, first), { ...ending(id, 2), at }]);
    };
    const idleIn = async (before: number, namespace = place.namespace) =>
      (await log.idleThreads(namespace, before)).map(({ thread }) => thread);

    describe("of threads", () => {
      test("removal finds idle threads, oldest first, and none that is in use", async () => {
        await said("t1", 3_000, { thread: "late" });
        await said("t2", 2_000, { thread: "early" });
        await said("t3", 2_000, { thread: "waits" });
        await said("t4", 2_000, { namespace: "console:local:other" });
        await accept("t5", { thread: "waits" }, 2_000);
        expect(await idleIn(3_001)).toEqual(["early", "late"]);
        expect(await idleIn(3_000)).toEqual(["early"]);
        expect((await log.idleThreads(place.namespace, 3_001))[0]).toEqual({
          thread: "early",
          turns: 1,
          last_at: 2_000,
        });
      });

      test("removal of threads continues after a page", async () => {
        for (let number = 0; number < 205; number += 1)
          await said(`t${number}`, 2_000, { thread: `thread-${String(number).padStart(3, "0")}` });
        const page = await log.idleThreads(place.namespace, 3_000);
        const rest = await log.idleThreads(place.namespace, 3_000, page.at(-1));
        expect([page.length, rest.length]).toEqual([200, 5]);
        expect(new Set([...page, ...rest].map(({ thread }) => thread)).size).toBe(205);
      });

      test("removal takes a thread with its namespace, and nothing else, and its message may come again", async () => {
        await said("t1", 2_000);
        await said("t2", 2_000);
        await said("other", 2_000, { thread: "two", namespace: "console:local:other" });
        expect(await log.removeTurns(place, 2_001)).toEqual(["t1", "t2"]);
        expect(await log.removeTurns(place, 2_001)).toEqual([]);
        expect(await log.threads(place.namespace)).toEqual([]);
        expect(await log.namespaces()).toEqual(["console:local:other"]);
        expect([await log.read("t1"), await log.get("t1"), await log.find("key-t1")]).toEqual([
          [],
          undefined,
          undefined,
        ]);
        expect(await log.read("other")).toHaveLength(3);
        expect(await accept("t1")).toEqual({ turn_id: "t1", accepted: true });
        expect((await claimAt(log, 5_000, "w1", 500))?.turn_id).toBe("t1");
      });

      test("removal keeps the namespace of another thread", async () => {
        await said("t1", 2_000);
        await said("t2", 2_000, { thread: "two" });
        await log.removeTurns(place, 3_000);
        expect(await log.namespaces()).toEqual([place.namespace]);
      });

      test("removal touches no thread that is in use, queued, waiting or younger", async () => {
        await said("t1", 2_000);
        expect(await log.removeTurns(place, 2_000)).toEqual([]);
        await accept("t2", {}, 2_000);
        expect(await log.removeTurns(place, 9_000)).toEqual([]);
        await claimAt(log, 3_000, "w1", 500);
        await log.append("t2", "w1", [entry("t2", 1, { type: "turn_waiting", until: 20_000 })]);
        expect(await log.removeTurns(place, 9_000)).toEqual([]);
        expect(await log.removeTurns({ ...place, thread: "none" }, 9_000)).toEqual([]);
        expect((await log.list({})).length).toBe(2);
      });

      test("removal takes many turns in several calls, and leaves a thread that is written in between", async () => {
        for (let number = 0; number < 60; number += 1) await said(`t${number}`, 2_000);
        expect(await log.removeTurns(place, 3_000)).toHaveLength(50);
        expect((await log.threads(place.namespace))[0]).toMatchObject({
          turns: 10,
          title: "Deleted message",
        });
        await accept("new", { text: "hello again" }, 8_000);
        expect(await log.removeTurns(place, 3_000)).toEqual([]);
        expect((await log.threads(place.namespace))[0]).toMatchObject({ turns: 11, title: "hello again" });
      });
    });

    describe("of details", () => {
      const old = async (before: number) => (await log.oldDetails(before)).turn_ids;

      test("removal of details finds turns of idle threads, and those before an opening, oldest first", async () => {
        await said("t1", 3_000, { thread: "idle" });
        await said("t2", 1_500, { thread: "opened" });
        await said("t3", 2_500, { thread: "opened" });
        await said("t4", 2_000, { thread: "in use" });
        await accept("t5", { thread: "opened" }, 9_000);
        await accept("t6", { thread: "in use" }, 9_000);
        expect(await old(3_001)).toEqual(["t2", "t1"]);
        expect(await old(3_000)).toEqual(["t2"]);
        await log.removeDetails(["t2"], 9_000);
        await log.forget("t1", "ada", 9_000);
        expect(await old(3_001)).toEqual([]);
      });

      test("removal of details continues after a page that has nothing to delete", async () => {
        for (let number = 0; number < 201; number += 1)
          await said(`t${number}`, 2_000, { thread: "in use" }, { type: "round_started", round: 1 });
        await said("last", 2_001, { thread: "idle" });
        await accept("queued", { thread: "in use" }, 9_000);
        const first = await log.oldDetails(3_000);
        expect(first.turn_ids).toEqual([]);
        const found: string[] = [];
        for (let at = first.next; at !== undefined; ) {
          const page = await log.oldDetails(3_000, at);
          found.push(...page.turn_ids);
          at = page.next;
        }
        expect(found).toEqual(["last"]);
      });
    });
  });
}
