import { describe, expect, it, onTestFinished } from "vitest";
import type { ClaimedTurn, TurnLog } from "../../../src/core/log/turn-log.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres-connection.ts";
import { turnLogTables } from "../../../src/storage/postgres/postgres-schema.ts";
import {
  createPostgresTurnLog,
  type PostgresTurnLog,
} from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import type { StoreClock } from "../../../src/storage/store-clock.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { Child } from "./child.ts";
import { expectSharedTurns } from "./claimed-turns.ts";

const needed = needs("postgresql");

async function open(schema = freshSchema(), clock?: StoreClock): Promise<PostgresTurnLog> {
  const connection = await openPostgres(
    (await testPostgres()).url,
    { number: 1, tables: turnLogTables },
    { schema, poolSize: 4 },
  );
  onTestFinished(() => connection.close());
  return createPostgresTurnLog(connection, clock === undefined ? {} : { clock });
}
const accept = (log: TurnLog, id: string, thread = id) => log.accept(inbound(`k${id}`, { thread }), id, 1);
/** A call of a turn begins, and the turn waits for a person; and what the person says. */
const began = { type: "tool_started", call_id: "c", tool: "t", title: "T", skill_id: "s" } as const;
const call = (seq: number) => entry("t1", seq, { ...began, effect: "side_effect", input: {} });
const wait = (seq: number) => entry("t1", seq, { type: "turn_waiting", until: Date.now() + 3e9 });
const answer = { type: "answer", question_id: "q", text: "yes", by: "ada" } as const;
const round = (id: string, seq: number) => entry(id, seq, { type: "round_started", round: 1 });

describe("turns that several processes share in PostgreSQL", needed, () => {
  it("two processes claim each turn once between them, and keep threads in order", async () => {
    const schema = freshSchema();
    const log = await open(schema);
    const { url } = await testPostgres();
    await expectSharedTurns(log, 200, (owner) => {
      const child = new Child("claim-all.ts", url, owner, schema);
      onTestFinished(() => child.kill());
      return child;
    });
  });

  it("a lease ends by the time of the database", async () => {
    const log = await open();
    await accept(log, "t1");
    await log.claim("w:1", 60_000);
    expect(await log.untilDue()).toBeGreaterThan(50_000);
    expect(await log.renew([{ turn_id: "t1", lease: "w:1" }], 0)).toEqual([]);
    expect(await log.untilDue()).toBe(0);
    expect(await log.claim("v:1", 60_000)).toMatchObject({ turn_id: "t1" });
    await log.append("t1", "v:1", [
      entry("t1", 2_000_000, { type: "turn_waiting", until: Date.now() + 3e9 }),
    ]);
    expect(await log.untilDue()).toBeGreaterThan(2e9);
    expect(await log.claim("v:2", 60_000)).toBeUndefined();
  });

  it("a turn that waits in the middle of a call goes on in its worker, and elsewhere once that is gone", async () => {
    const log = await open();
    await accept(log, "t1");
    await log.claim("w:1", 60_000);
    await log.append("t1", "w:1", [call(1), wait(2)]);
    await log.signal("t1", answer, 1);
    expect(await log.claim("v:1", 60_000)).toBeUndefined();
    expect(await log.renew([{ turn_id: "t1", lease: "w:1" }], 60_000)).toEqual([]);
    expect(await log.claim("w:2", 60_000)).toMatchObject({ turn_id: "t1" });
    await log.append("t1", "w:2", [wait(1_000_003)]);
    await log.signal("t1", answer, 1);
    expect(await log.renew([{ turn_id: "t1", lease: "w:2" }], 0)).toEqual([]);
    expect(await log.claim("v:2", 60_000)).toMatchObject({ turn_id: "t1" });
  });

  it("a turn that waits in the middle of a call goes on in its worker although that lost another turn", async () => {
    const log = await open();
    for (const id of ["t1", "t2"]) await accept(log, id);
    await log.claim("w:1", 60_000);
    await log.claim("w:2", 0);
    expect(await log.claim("v:1", 60_000)).toMatchObject({ turn_id: "t2" });
    await log.append("t1", "w:1", [call(1), wait(2)]);
    await log.signal("t1", answer, 1);
    expect(await log.claim("v:2", 60_000)).toBeUndefined();
    expect(await log.claim("w:3", 60_000)).toMatchObject({ turn_id: "t1" });
  });

  it("a turn that waits between calls goes on wherever there is room", async () => {
    const log = await open();
    await accept(log, "t1");
    await log.claim("w:1", 60_000);
    await log.append("t1", "w:1", [entry("t1", 1, { type: "turn_waiting", until: 0 })]);
    expect(await log.renew([{ turn_id: "t1", lease: "w:1" }], 60_000)).toEqual(["t1"]);
    expect(await log.claim("v:1", 60_000)).toMatchObject({ turn_id: "t1" });
  });

  it("a lease that ends soon after the server started counts against nobody", async () => {
    const log = await open();
    await accept(log, "t1");
    await log.claim("w:1", 1);
    const server = await testPostgres();
    await server.stop();
    await server.start();
    expect(await log.claim("v:1", 60_000)).toMatchObject({ turn_id: "t1", crashes: 0 });
  });

  it("what a worker wrote is on the disk after `durable`, and what was accepted or signalled at once", async () => {
    const log = await open();
    const server = await testPostgres();
    const unwritten = async () => {
      const sql = "SELECT (pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn())::text AS bytes";
      return Number((await server.query(sql))[0]?.bytes);
    };
    await accept(log, "t1");
    expect(await unwritten()).toBe(0);
    await log.claim("w:1", 60_000);
    await log.append("t1", "w:1", [round("t1", 1)]);
    expect(await unwritten()).toBeGreaterThan(0);
    await Promise.all([log.durable(), log.durable(), log.durable()]);
    expect(await unwritten()).toBe(0);
    expect(await log.signal("t1", { type: "stop", by: "ada" }, 1)).toBe(true);
    expect(await unwritten()).toBe(0);
  });

  it("a turn keeps names with U+0000, and texts with any character", async () => {
    const log = await open();
    const text = "\0 and \ud800";
    const odd = inbound("\0key", { text, thread: "\0thread" });
    await log.accept(odd, "t1", 1);
    expect(await log.accept(odd, "t2", 1)).toEqual({ turn_id: "t1", accepted: false });
    expect(await log.find("\0key")).toBe("t1");
    const turn = await log.claim("w:1", 60_000);
    expect(turn?.inbound).toEqual(odd);
    await log.append("t1", "w:1", [ending("t1", 1, text)]);
    expect(await log.get("t1")).toMatchObject({ text, answer: text });
    expect(await log.threads(odd.namespace)).toMatchObject([{ title: "\ufffd and \ufffd" }]);
  });
});

describe("a worker whose leases expire in PostgreSQL", needed, () => {
  let leases = 0;
  /** What a worker can claim now. */
  const claimAll = async (log: TurnLog, worker: string, now: number) => {
    const turns: ClaimedTurn[] = [];
    for (;;) {
      leases += 1;
      const turn = await claimAt(log, now, `${worker}:${leases}`, 500);
      if (turn === undefined) return turns;
      turns.push(turn);
    }
  };
  const outline = (turns: readonly ClaimedTurn[]) =>
    turns.map(({ turn_id, crashes, trial_ms }) => [turn_id, crashes, trial_ms]);
  const openWith = async (...ids: string[]) => {
    const log = await open(freshSchema(), logTime);
    for (const id of ids) await accept(log, id);
    return log;
  };

  it("a worker that is lost with one turn counts as its crash", async () => {
    const log = await openWith("t1");
    await claimAll(log, "w1", 1_000);
    expect(outline(await claimAll(log, "w2", 2_000))).toEqual([["t1", 1, undefined]]);
  });

  it("a worker that is lost with several turns blames none, and none is a suspect yet", async () => {
    const log = await openWith("t1", "t2");
    await claimAll(log, "w1", 1_000);
    expect(outline(await claimAll(log, "w2", 2_000))).toEqual([
      ["t1", 0, undefined],
      ["t2", 0, undefined],
    ]);
  });

  it("a worker is lost once, although its leases end one after another", async () => {
    const log = await openWith("t1", "t2");
    await claimAt(log, 1_000, "w1:1", 500);
    await claimAt(log, 1_300, "w1:2", 500);
    expect(outline(await claimAll(log, "w2", 1_500))).toEqual([["t1", 0, undefined]]);
    expect(outline(await claimAll(log, "w2", 1_800))).toEqual([["t2", 0, undefined]]);
  });

  it("turns that were lost together twice are suspects, of which a worker runs one at a time beside others", async () => {
    const log = await openWith("t1", "t2", "t3");
    await claimAll(log, "w1", 1_000);
    await claimAll(log, "w2", 2_000);
    await accept(log, "new");
    expect(outline(await claimAll(log, "w3", 3_000))).toEqual([
      ["t1", 0, 60_000],
      ["new", 0, undefined],
    ]);
    const [second] = await claimAll(log, "w4", 3_000);
    expect(second).toMatchObject({ turn_id: "t2", trial_ms: 60_000 });
    expect(await log.backlog()).toMatchObject({ held: 1 });
    await log.clear("t2", second?.lease ?? "");
    expect(outline(await claimAll(log, "w4", 3_000))).toEqual([["t3", 0, 60_000]]);
    // Of all turns of `w3`, its suspect is blamed.
    const crashes = outline(await claimAll(log, "w5", 3_500)).map(([id, count]) => [id, count]);
    expect(crashes.filter(([id]) => id === "t1" || id === "new")).toEqual([
      ["t1", 1],
      ["new", 0],
    ]);
  });

  it.each(["t1", "t8"])(
    "a turn that kills every worker (%s of eight) is found, and no other is failed",
    async (poison) => {
      const log = await openWith("t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8");
      const ended = new Map<string, number>();
      for (let lost = 0, now = 1_000; ended.size < 8 + lost; now += 1_000) {
        expect(lost).toBeLessThan(9);
        const turns = await claimAll(log, `w${now}`, now);
        if (turns.some(({ turn_id, crashes }) => turn_id === poison && crashes < 5)) {
          lost += 1;
          await accept(log, `new${lost}`);
          continue;
        }
        for (const { turn_id, lease, last_seq, crashes } of turns) {
          await log.append(turn_id, lease, [ending(turn_id, last_seq + 1)]);
          ended.set(turn_id, crashes);
        }
      }
      expect([...ended].filter(([, crashes]) => crashes > 0)).toEqual([[poison, 5]]);
    },
  );

  it("a worker that leaves takes nothing with it, and one that starts frees nothing of others", async () => {
    const schema = freshSchema();
    const [log, other] = [await open(schema, logTime), await open(schema, logTime)];
    await accept(log, "t1");
    await accept(log, "t2", "t2");
    const turn = await claimAt(log, 1_000, "w1:1", 500);
    expect(await other.reclaim()).toEqual({ crashed: false, interrupted: 0, suspects: 0 });
    await log.append("t1", turn?.lease ?? "", [round("t1", 1)]);
    await log.leave();
    await claimAt(log, 1_000, "w1:2", 500);
    expect(outline(await claimAll(other, "w2", 2_000))).toEqual([
      ["t1", 0, undefined],
      ["t2", 0, undefined],
    ]);
    await other.settle();
  });
});

describe("notifications of the turn log in PostgreSQL", needed, () => {
  /** Two logs on one schema; `rung` resolves at the next call, and `next` gives the next turn that a signal reached. */
  const openTwo = async () => {
    const schema = freshSchema();
    const [log, other] = [await open(schema), await open(schema)];
    let heardWork = Promise.withResolvers<void>();
    let heardSignal = Promise.withResolvers<string | undefined>();
    await other.onWork(() => heardWork.resolve());
    await other.onSignal((id) => heardSignal.resolve(id));
    return {
      log,
      rings: async (work: () => Promise<unknown>) => {
        heardWork = Promise.withResolvers();
        await work();
        await heardWork.promise;
      },
      signals: async (work: () => Promise<unknown>) => {
        heardSignal = Promise.withResolvers();
        await work();
        return heardSignal.promise;
      },
    };
  };
  const stop = { type: "stop", by: "ada" } as const;

  it("whatever makes a turn claimable rings in other processes", async () => {
    const { log, rings } = await openTwo();
    const claim = (lease: string) => log.claim(lease, 60_000);
    await rings(() => accept(log, "t1", "one"));
    await accept(log, "t2", "one");
    await claim("w:1");
    await rings(() => log.release("t1", "w:1", 0));
    const { last_seq = 0 } = (await claim("w:2")) ?? {};
    const waits = (seq: number) => entry("t1", seq, { type: "turn_waiting", until: Date.now() + 1e9 });
    await log.append("t1", "w:2", [waits(last_seq + 1)]);
    await rings(() => log.signal("t1", stop, 2));
    await claim("w:3");
    await log.signal("t1", stop, 3);
    await rings(() => log.append("t1", "w:3", [waits(last_seq + 2)]));
    await claim("w:4");
    await log.append("t1", "w:4", [waits(last_seq + 3)]);
    await rings(() => accept(log, "t3", "one"));
    await claim("w:5");
    await rings(() => log.append("t1", "w:5", [ending("t1", last_seq + 4)]));
    expect(await claim("w:6")).toMatchObject({ turn_id: "t2" });
  });

  it("a signal to a running turn rings with the turn", async () => {
    const { log, signals } = await openTwo();
    await accept(log, "t1");
    await log.claim("w:1", 60_000);
    expect(await signals(() => log.signal("t1", stop, 2))).toBe("t1");
  });
});
