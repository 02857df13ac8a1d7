import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { ending, entry, inbound } from "./turn-log-contract.ts";

const refused = { code: "lease_lost" };
const round = (id: string, seq: number) => entry(id, seq, { type: "round_started", round: 1 });

/** How every turn log chooses the next turn, and what a lease is worth. */
export function turnLogClaimsContract(
  name: string,
  open: () => Promise<TurnLog>,
  options: TestOptions = {},
): void {
  describe(`${name}: claims`, options, () => {
    let log: TurnLog;
    let leases = 0;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    const accept = (id: string, namespace: string, change: Partial<Inbound> = {}) =>
      log.accept(inbound(`key-${id}`, { namespace: `slack:w:${namespace}`, thread: id, ...change }), id, 1);
    const claim = (options: Parameters<TurnLog["claim"]>[2] = {}, now = 1_000) => {
      leases += 1;
      return claimAt(log, now, `lease-${leases}`, 500, options);
    };
    const claimed = async (count: number, options: Parameters<TurnLog["claim"]>[2] = {}) => {
      const ids: (string | undefined)[] = [];
      for (let at = 0; at < count; at += 1) ids.push((await claim(options))?.turn_id);
      return ids;
    };

    describe("are fair", () => {
      test("claims go to the namespace with the fewest running turns, oldest first among equals", async () => {
        for (const id of ["a1", "a2", "a3", "a4"]) await accept(id, "a");
        for (const id of ["b1", "b2"]) await accept(id, "b");
        await accept("c1", "c");
        expect(await claimed(8)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", undefined]);
      });

      test("claims go to a namespace again when its turn has ended or waits", async () => {
        for (const id of ["a1", "a2", "a3"]) await accept(id, "a");
        for (const id of ["b1", "b2", "b3"]) await accept(id, "b");
        const [a1, b1] = [await claim(), await claim()];
        await log.append("b1", b1?.lease ?? "", [ending("b1", 1)]);
        expect(await claimed(1)).toEqual(["b2"]);
        const waiting = entry("a1", 1, { type: "turn_waiting", until: 9_000 });
        await log.append("a1", a1?.lease ?? "", [waiting]);
        expect(await claimed(2)).toEqual(["a2", "a3"]);
      });

      test("claims take only a maximum of a namespace, even when nobody else waits", async () => {
        for (const id of ["a1", "a2", "a3"]) await accept(id, "a");
        expect(await claimed(3, { max_per_namespace: { message: 2 } })).toEqual(["a1", "a2", undefined]);
        await accept("b1", "b");
        expect(await claimed(2, { max_per_namespace: { message: 2 } })).toEqual(["b1", undefined]);
      });

      test("claims go to commands that stop something, then to other commands", async () => {
        await accept("m1", "a");
        await accept("c1", "a", { kind: "command" });
        await accept("s1", "a", { kind: "command", urgent: true });
        expect(await claimed(1, { lanes: ["message"] })).toEqual(["m1"]);
        expect(await claimed(3)).toEqual(["s1", "c1", undefined]);
      });
    });

    describe("a lease", () => {
      test("a lease belongs to one claim: the same worker's earlier one is refused", async () => {
        await accept("t1", "a");
        await claimAt(log, 1_000, "w:1", 500);
        await claimAt(log, 2_000, "w:2", 500);
        await expect(log.append("t1", "w:1", [round("t1", 1)])).rejects.toMatchObject(refused);
        await expect(log.append("t1", "w:1", [ending("t1", 1)])).rejects.toMatchObject(refused);
        expect(await log.renew([{ turn_id: "t1", lease: "w:1" }], 500)).toEqual(["t1"]);
        await log.release("t1", "w:1", 0);
        await log.append("t1", "w:2", [round("t1", 1)]);
      });

      test("a lease ends by steady time, whatever the wall clock says, and a wait by the wall clock", async () => {
        await accept("t1", "a");
        await claimAt(log, 1_000, "w:1", 500);
        logTime.set(3_600_000, 1_100);
        expect(await log.untilDue()).toBe(400);
        expect(await log.claim("w:2", 500)).toBeUndefined();
        await log.append("t1", "w:1", [entry("t1", 1, { type: "turn_waiting", until: 9_000 })]);
        logTime.set(8_000, 1_100);
        expect(await log.untilDue()).toBe(1_000);
        logTime.set(9_000, 1_100);
        expect(await log.claim("w:2", 500)).toMatchObject({ turn_id: "t1" });
      });

      test("a lease that ended is not taken from a process that still runs the turn here", async () => {
        await accept("t1", "a");
        await claimAt(log, 1_000, "w:1", 500);
        expect(await claimAt(log, 9_000, "w:2", 500, { running: ["t1"] })).toBeUndefined();
        await log.append("t1", "w:1", [round("t1", 1)]);
        expect(await claimAt(log, 9_000, "w:2", 500, { running: [] })).toMatchObject({ turn_id: "t1" });
      });

      test("a lease can be given back, for now or for later", async () => {
        await accept("t1", "a");
        await claimAt(log, 1_000, "w:1", 60_000);
        await log.release("t1", "w:1", 1_000);
        expect(await claimAt(log, 1_999, "w:2", 500)).toBeUndefined();
        expect(await claimAt(log, 2_000, "w:2", 500)).toMatchObject({ turn_id: "t1", crashes: 0 });
        await log.release("t1", "w:2", 0, true);
        expect(await claimAt(log, 2_000, "w:3", 500)).toMatchObject({ turn_id: "t1", crashes: 1 });
      });
    });

    describe("number events", () => {
      test("a claim numbers events after all that may have been shown, when the turn was not given up in order [log-2]", async () => {
        await accept("t1", "a");
        const first = await claim();
        expect(first?.last_seq).toBe(0);
        await log.append("t1", first?.lease ?? "", [round("t1", 7)]);
        const second = await claim({}, 99_000);
        expect(second?.last_seq).toBe(1_000_007);
        await log.release("t1", second?.lease ?? "", 0);
        expect((await claim())?.last_seq).toBe(2_000_007);
      });

      test("a claim numbers events after the last one, when the turn waited", async () => {
        await accept("t1", "a");
        const first = await claim();
        await log.append("t1", first?.lease ?? "", [entry("t1", 3, { type: "turn_waiting", until: 2_000 })]);
        expect((await claim({}, 2_000))?.last_seq).toBe(3);
      });
    });

    describe("a key used again", () => {
      test.each([
        { text: "other" },
        { namespace: "slack:w:other" },
        { thread: "other" },
        { author: { id: "bob", name: "Bob", trust: "member" } },
      ] as Partial<Inbound>[])("a key reused for something else is reported: %j", async (change) => {
        await accept("t1", "a");
        const again = { key: "key-t1", ...change } as Partial<Inbound>;
        const before = inbound("key-t1", { namespace: "slack:w:a", thread: "t1" });
        const answer = await log.accept({ ...before, ...again }, "t2", 2);
        expect(answer).toEqual({ turn_id: "t1", accepted: false, differs: true });
        expect(await log.get("t2")).toBeUndefined();
      });

      test("a key reused for a forgotten message is not reported", async () => {
        await accept("t1", "a");
        const turn = await claim();
        await log.append("t1", turn?.lease ?? "", [ending("t1", 1)]);
        await log.forget("t1", "ada", 5);
        expect(await accept("t1", "a")).toEqual({ turn_id: "t1", accepted: false });
      });
    });
  });
}
