import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClaimedTurn, TurnLog } from "../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt } from "../../support/log-time.ts";
import { ending, entry, inbound } from "./turn-log-contract.ts";

/** Which turns go on after a crash, and which turn is blamed for it, on a log of one process. */
export function turnLogCrashesContract(name: string, open: () => Promise<TurnLog>): void {
  describe(`${name}: crashes`, () => {
    let log: TurnLog;
    let leases = 0;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    const accept = (id: string, namespace: string, change: Partial<Inbound> = {}) =>
      log.accept(inbound(`key-${id}`, { namespace: `slack:w:${namespace}`, thread: id, ...change }), id, 1);
    const claim = (options: Parameters<TurnLog["claim"]>[2] = {}) => {
      leases += 1;
      return claimAt(log, 1_000, `lease-${leases}`, 500, options);
    };
    /** The bot dies, and is there again. */
    const crash = () => log.reclaim();
    /** What can be claimed now, and the crashes it is blamed for. */
    const claimAll = async (options?: Parameters<TurnLog["claim"]>[2]) => {
      const turns: ClaimedTurn[] = [];
      for (let turn = await claim(options); turn !== undefined; turn = await claim(options)) turns.push(turn);
      return turns;
    };
    const ids = (turns: readonly ClaimedTurn[]) => turns.map(({ turn_id }) => turn_id);
    const end = async ({ turn_id, lease, last_seq }: ClaimedTurn) =>
      log.append(turn_id, lease, [ending(turn_id, last_seq + 1)]);
    const run = async (...names: string[]) => {
      for (const id of names) await accept(id, id);
      return claimAll();
    };
    const call = (id: string) =>
      entry(id, 1, {
        type: "tool_started",
        call_id: `call-${id}`,
        tool: "look",
        title: "Looks",
        skill_id: "core",
        input: {},
      });
    /** Turns that wait for a tool. */
    const runInCalls = async (...names: string[]) => {
      const turns = await run(...names);
      for (const { turn_id, lease } of turns) await log.append(turn_id, lease, [call(turn_id)]);
      return turns;
    };
    const eight = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"];

    test("a crash frees every leased turn at once, and no waiting one", async () => {
      const [one, two, three] = await run("t1", "t2", "t3");
      if (one === undefined || two === undefined || three === undefined) throw new Error("three were to run");
      await log.append("t1", one.lease, [entry("t1", 7, { type: "round_started", round: 1 })]);
      await log.append("t2", two.lease, [entry("t2", 1, { type: "turn_waiting", until: 50_000 })]);
      await crash();
      await expect(end({ ...one, last_seq: 7 })).rejects.toMatchObject({ code: "lease_lost" });
      expect(await log.renew([one, three], 500)).toEqual(["t1", "t3"]);
      expect((await claimAll()).map(({ turn_id, last_seq }) => [turn_id, last_seq])).toEqual([
        ["t1", 1_000_007],
        ["t3", 1_000_000],
      ]);
    });

    test("a crash blames the turn that ran alone", async () => {
      await accept("t1", "a");
      await accept("t2", "a", { thread: "t1" });
      await claim();
      expect(await crash()).toEqual({ crashed: true, interrupted: 1, suspects: 0 });
      expect(await claim()).toMatchObject({ turn_id: "t1", crashes: 1 });
    });

    test("a crash of several turns blames none, and all run at once [store-5]", async () => {
      await run(...eight);
      expect(await crash()).toEqual({ crashed: true, interrupted: 8, suspects: 0 });
      expect(await log.backlog()).not.toHaveProperty("held");
      const again = await claimAll();
      expect(ids(again)).toEqual(eight);
      expect(again.every(({ crashes, trial_ms }) => crashes === 0 && trial_ms === undefined)).toBe(true);
    });

    test("the count of crashes restarts when the bot had settled, or was stopped, since the previous one", async () => {
      await run(...eight);
      for (const recovered of [() => log.settle(), () => log.leave().then(() => log.reclaim())]) {
        await crash();
        await recovered();
        expect(ids(await claimAll())).toEqual(eight);
      }
      expect(await crash()).toMatchObject({ suspects: 0 });
    });

    test("crashes in a row hold up turns in calls after a second one, and those that wait for their model after a third", async () => {
      const [one, two] = await run(...eight);
      await log.append("t1", one?.lease ?? "", [call("t1")]);
      const finished = { call_id: "call-t2", tool: "look", status: "ok", output: 1, duration_ms: 1 } as const;
      await log.append("t2", two?.lease ?? "", [
        call("t2"),
        entry("t2", 2, { type: "tool_finished", ...finished }),
      ]);
      await crash();
      await claimAll();
      expect(await crash()).toMatchObject({ suspects: 1 });
      const again = await claimAll();
      expect(again.flatMap(({ turn_id, trial_ms }) => (trial_ms === undefined ? [] : turn_id))).toEqual([
        "t1",
      ]);
      expect(again).toHaveLength(8);
      expect(await crash()).toMatchObject({ suspects: 8 });
    });

    test("crashes hold up no turn that waits for its model until a third one in a row", async () => {
      await run(...eight);
      for (const suspects of [0, 0, 8]) {
        expect(await crash()).toMatchObject({ suspects });
        expect(await claimAll()).toHaveLength(suspects === 0 ? 8 : 4);
      }
    });

    test("crashes run one half at once after a second one, and a half of that after a third", async () => {
      await runInCalls(...eight);
      await crash();
      await claimAll();
      expect(await crash()).toEqual({ crashed: true, interrupted: 8, suspects: 8 });
      const half = await claimAll();
      expect(half.map(({ turn_id, crashes, trial_ms }) => [turn_id, crashes, trial_ms])).toEqual(
        eight.slice(0, 4).map((id) => [id, 0, 60_000]),
      );
      expect(await log.backlog()).toEqual({ queued: 0, running: 8, waiting: 0, held: 4 });
      await crash();
      // Those that did not run now come first.
      expect(ids(await claimAll())).toEqual(["t5", "t6"]);
    });

    test("crashes let the next suspect run when one has ended, waits or is cleared", async () => {
      await runInCalls("t1", "t2", "t3", "t4");
      await crash();
      await claimAll();
      await crash();
      const [one, two] = await claimAll();
      if (one === undefined || two === undefined) throw new Error("two suspects were to run");
      await end(one);
      const [three] = await claimAll();
      await log.append("t2", two.lease, [
        entry("t2", two.last_seq + 1, { type: "turn_waiting", until: 9_000 }),
      ]);
      const [four] = await claimAll();
      expect([three?.turn_id, four?.turn_id]).toEqual(["t3", "t4"]);
      await run("t5", "t6", "t7");
      await log.clear("t3", three?.lease ?? "");
      await log.clear("t4", "lease of before");
      expect(await crash()).toMatchObject({ suspects: 5 });
      const crashes = (await claimAll()).concat(await claimAll()).map((turn) => [turn.turn_id, turn.crashes]);
      expect(crashes).toEqual([["t3", 0]]);
    });

    test("crashes hold up neither commands nor other turns, and keep a thread in order", async () => {
      await accept("c1", "t1", { kind: "command" });
      await run("t1", "t2");
      for (let lives = 0; lives < 2; lives += 1) {
        await crash();
        await claimAll();
      }
      await crash();
      await accept("t1-next", "t1", { thread: "t1" });
      await accept("c2", "t1", { kind: "command" });
      await accept("s1", "t1", { kind: "command", urgent: true });
      await accept("new", "new");
      expect(ids(await claimAll({ lanes: ["message"] }))).toEqual(["t1", "new"]);
      expect(ids(await claimAll())).toEqual(["s1", "c1", "c2"]);
    });

    test.each([
      ["the first", 0],
      ["the last", 7],
    ])(
      "crashes find the turn that always brings the bot down: %s of eight, and others arrive",
      async (_, at) => {
        const poison = eight[at] ?? "";
        await run(...eight);
        const ended = new Map<string, number>();
        const isDeadly = (turn: ClaimedTurn) => turn.turn_id === poison && turn.crashes < 5;
        /** Ends what can be claimed, until there is nothing left or the bot dies of it. */
        const live = async () => {
          const turns = await claimAll();
          if (turns.length === 0 || turns.some(isDeadly)) return;
          for (const turn of turns) ended.set(turn.turn_id, turn.crashes);
          await Promise.all(turns.map(end));
          await live();
        };
        for (let crashes = 1; !ended.has(poison); crashes += 1) {
          expect(crashes).toBeLessThan(11);
          await crash();
          await accept(`new${crashes}`, `new${crashes}`);
          await live();
        }
        expect([...ended].filter(([, crashes]) => crashes >= 5)).toEqual([[poison, 5]]);
        expect(await log.backlog()).toEqual({ queued: 0, running: 0, waiting: 0 });
      },
    );

    test("crashes of another cause, ten in a row, fail none of eight", async () => {
      await run(...eight);
      for (let at = 0; at < 10; at += 1) {
        await crash();
        expect((await claimAll()).map(({ crashes }) => crashes < 5)).not.toContain(false);
      }
    });

    test("crashes try turns longer that ran in one crash after another of a bot that had settled", async () => {
      await log.reclaim();
      await run(...eight);
      for (const at of [1, 2, 3]) {
        await log.settle();
        expect(await crash()).toMatchObject({ suspects: at < 3 ? 0 : 8 });
        expect(await claimAll()).toHaveLength(at < 3 ? 8 : 4);
      }
      await crash();
      expect((await claim())?.trial_ms).toBe(8 * 60_000);
    });

    test("a crash blames nobody when the bot said that it stops, whoever still ran", async () => {
      await run("t1");
      await crash();
      await claimAll();
      await log.leave();
      expect(await crash()).toEqual({ crashed: false, interrupted: 1, suspects: 0 });
      expect(await claim()).toMatchObject({ turn_id: "t1", crashes: 1 });
    });

    test("a crash blames no turn that was given back in order, waited, or was queued", async () => {
      for (const id of ["t1", "t2", "t3"]) await accept(id, id);
      const [one, two] = [await claim(), await claim()];
      await log.release("t1", one?.lease ?? "", 0);
      await log.append("t2", two?.lease ?? "", [entry("t2", 1, { type: "turn_waiting", until: 1_000 })]);
      await crash();
      const turns = [await claim(), await claim(), await claim()];
      const crashes = turns.map((turn) => [turn?.turn_id, turn?.crashes] as const);
      expect(new Map(crashes)).toEqual(
        new Map([
          ["t1", 0],
          ["t2", 0],
          ["t3", 0],
        ]),
      );
    });
  });
}
