import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { OpeningReason, TurnEvent, TurnEventBody } from "../../../src/core/log/turn-event.ts";
import { LeaseLostError, type TurnLog } from "../../../src/core/log/turn-log.ts";
import { noUsage } from "../../../src/core/log/usage.ts";
import type { Author, Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { pendingTurns } from "../../support/pending-turns.ts";

/** A log under test. `another` opens the same turns a second time, where the implementation can share them. */
export interface OpenedTurnLog {
  log: TurnLog;
  another?: () => Promise<TurnLog>;
}

const namespace = "console:local:general";
const ada: Author = { id: "ada", name: "Ada", trust: "member" };
const bob: Author = { id: "bob", name: "Bob", trust: "member" };

/** An inbound message of Ada in thread `one`, unless told. */
export function inbound(key: string, change: Partial<Inbound> = {}): Inbound {
  return { key, namespace, thread: "one", author: ada, kind: "message", text: `text of ${key}`, ...change };
}

/** An event of a turn; its time is 1,000 + its seq. */
export function entry(turnId: string, seq: number, body: TurnEventBody): TurnEvent {
  return { ...body, turn_id: turnId, seq, at: 1_000 + seq };
}

/** The event that ends a turn. */
export function ending(turnId: string, seq: number, text = "done"): TurnEvent {
  return entry(turnId, seq, { type: "turn_finished", outcome: "completed", text });
}

/** A transcript opens, with this text carried over into it, or with none. */
export function opened(text?: string, because: OpeningReason = "full"): TurnEventBody {
  const messages = text === undefined ? [] : [{ role: "user" as const, text }];
  const skills = { active: [], offloaded: [], seen: {} };
  return { type: "transcript_opened", opening: "name", because, deletions: 0, messages, own: 0, ...skills };
}

const round = (turnId: string, seq: number) => entry(turnId, seq, { type: "round_started", round: seq });
const waiting = (turnId: string, seq: number, until: number) =>
  entry(turnId, seq, { type: "turn_waiting", until });
/** Turns under the same lease. */
const held = (lease: string, ...ids: string[]) => ids.map((turn_id) => ({ turn_id, lease }));
const refused = { name: "Error", code: "lease_lost" };

/** What every turn log must do. */
export function turnLogContract(
  name: string,
  open: () => Promise<OpenedTurnLog>,
  options: TestOptions = {},
): void {
  describe(name, options, () => {
    let opened: OpenedTurnLog;
    let log: TurnLog;
    const others: TurnLog[] = [];

    beforeEach(async () => {
      opened = await open();
      log = opened.log;
    });
    afterEach(async () => {
      for (const other of [log, ...others.splice(0)]) await other.close();
    });

    const openAnother = async (): Promise<TurnLog | undefined> => {
      const other = await opened.another?.();
      if (other !== undefined) others.push(other);
      return other;
    };
    const accept = (id: string, change: Partial<Inbound> = {}, at = 100) =>
      log.accept(inbound(`key-${id}`, change), id, at);
    const claimId = async (owner = "w1", now = 1_000, leaseMs = 500) =>
      (await claimAt(log, now, owner, leaseMs))?.turn_id;
    const finish = async (id: string, owner = "w1", seq = 1) => log.append(id, owner, [ending(id, seq)]);

    describe("accepting", () => {
      test("accepting stores entry 0 and a head line", async () => {
        expect(await accept("t1")).toEqual({ turn_id: "t1", accepted: true });
        expect(await log.read("t1")).toEqual([
          { type: "inbound", inbound: inbound("key-t1"), turn_id: "t1", seq: 0, at: 100 },
        ]);
        expect(await log.get("t1")).toEqual({
          turn_id: "t1",
          namespace,
          thread: "one",
          kind: "message",
          author: ada,
          text: "text of key-t1",
          status: "queued",
          accepted_at: 100,
          ...noUsage,
        });
        expect(await pendingTurns(log)).toBe(1);
      });

      test("accepting answers the first turn for a key seen before and changes nothing [store-1]", async () => {
        await accept("t1");
        expect(await log.accept(inbound("key-t1"), "t2", 200)).toEqual({ turn_id: "t1", accepted: false });
        expect(await log.get("t2")).toBeUndefined();
        expect(await pendingTurns(log)).toBe(1);
        await claimId();
        await finish("t1");
        expect(await log.accept(inbound("key-t1"), "t3", 300)).toEqual({ turn_id: "t1", accepted: false });
      });

      test("the backlog tells how much is not finished, and since when the oldest runnable turn waits", async () => {
        expect(await log.backlog()).toEqual({ queued: 0, running: 0, waiting: 0 });
        await accept("t1");
        await accept("t2");
        expect(await log.backlog()).toEqual({ queued: 2, running: 0, waiting: 0, oldest_at: 100 });
        await claimId();
        expect(await log.backlog()).toEqual({ queued: 1, running: 1, waiting: 0 });
        await finish("t1");
        expect(await log.backlog()).toEqual({ queued: 1, running: 0, waiting: 0, oldest_at: 100 });
      });

      test("the log can be probed again and again", async () => {
        await log.probe(1);
        await log.probe(2);
        expect(await pendingTurns(log)).toBe(0);
      });

      test("the log knows nothing of unknown turns", async () => {
        expect(await log.get("none")).toBeUndefined();
        expect(await log.read("none")).toEqual([]);
        expect(await log.signals("none")).toEqual([]);
        expect(await log.steering("none")).toEqual([]);
        expect(await claimAt(log, 1_000, "w1", 500)).toBeUndefined();
      });

      test("accepting stores one turn for messages with one key that come at the same moment", async () => {
        const logs = [log, (await openAnother()) ?? log];
        const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
        const answers = await Promise.all(
          ids.flatMap((id, at) => logs[at % 2]?.accept(inbound("key"), id, 100) ?? []),
        );
        const [first] = await log.list({});
        expect(await log.list({})).toHaveLength(1);
        expect(new Set(answers.map(({ turn_id }) => turn_id))).toEqual(new Set([first?.turn_id]));
        expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
        expect((await log.threads(namespace))[0]?.turns).toBe(1);
      });

      test("accepting at the same moment makes one head of a line, and none is stuck behind it", async () => {
        const logs = [log, (await openAnother()) ?? log];
        const ids = Array.from({ length: 40 }, (_, at) => `t${at}`);
        await Promise.all(ids.map((id, at) => logs[at % 2]?.accept(inbound(`key-${id}`), id, 100)));
        const order = (await log.list({})).map(({ turn_id }) => turn_id).reverse();
        const claimed: (string | undefined)[] = [];
        for (let id = await claimId(); id !== undefined; id = await claimId()) {
          claimed.push(id);
          expect(await claimId("w2")).toBeUndefined();
          // Others come while it ends.
          const late = claimed.length <= 10 ? [accept(`late${claimed.length}`)] : [];
          await Promise.all([finish(id), ...late]);
        }
        expect(claimed.slice(0, 40)).toEqual(order);
        expect(claimed).toHaveLength(50);
        expect(await pendingTurns(log)).toBe(0);
      });

      test("accepting keeps any text unchanged", async () => {
        const text = 'quotes " \' and \u0000 control, 漢字 🎉, {"json": [1]}, :base64:aGk=';
        await accept("t1", { text });
        expect((await log.get("t1"))?.text).toBe(text);
        expect((await claimAt(log, 1_000, "w1", 500))?.inbound.text).toBe(text);
      });
    });

    describe("claiming", () => {
      test("claiming gives the oldest turn with its inbound, events and ordinal", async () => {
        await accept("t1");
        await accept("t2", { thread: "two" });
        const first = await claimAt(log, 1_000, "w1", 500);
        const second = await claimAt(log, 1_000, "w1", 500);
        expect(first).toMatchObject({ turn_id: "t1", inbound: inbound("key-t1") });
        expect(first?.events).toEqual(await log.read("t1"));
        expect(second?.turn_id).toBe("t2");
        expect(second?.ordinal).toBeGreaterThan(first?.ordinal ?? Number.POSITIVE_INFINITY);
        expect((await log.get("t1"))?.status).toBe("running");
      });

      test("claiming runs the messages of a thread one after another", async () => {
        for (const id of ["t1", "t2", "t3"]) await accept(id);
        expect(await claimId()).toBe("t1");
        expect(await claimId()).toBeUndefined();
        await finish("t1");
        expect(await claimId()).toBe("t2");
        expect(await claimId()).toBeUndefined();
        await finish("t2");
        expect(await claimId()).toBe("t3");
      });

      test("claiming does not queue equal thread names of two namespaces together", async () => {
        await accept("t1");
        await accept("t2", { namespace: "console:local:other" });
        expect([await claimId(), await claimId()]).toEqual(["t1", "t2"]);
      });

      test("claiming lets a command pass the queue of its thread", async () => {
        await accept("t1");
        await accept("t2");
        await accept("c1", { kind: "command" });
        expect([await claimId(), await claimId(), await claimId()]).toEqual(["c1", "t1", undefined]);
      });

      test("claiming lets work in the background pass the queue of its thread, and holds up nothing there", async () => {
        const background = { to: "maker", untrusted: [], seen: {} };
        const cause = { kind: "handoff", id: "t1", because: "", background } as const;
        await accept("t1");
        await accept("b1", { cause });
        await accept("b2", { cause });
        await accept("t2");
        expect([await claimId(), await claimId(), await claimId()]).toEqual(["t1", "b1", "b2"]);
        expect((await log.steering("t1")).map(({ turn_id }) => turn_id)).toEqual(["t2"]);
        await finish("t1");
        expect(await claimId()).toBe("t2");
      });

      test("claiming can be limited to commands or messages", async () => {
        await accept("t1");
        await accept("c1", { kind: "command" });
        expect((await claimAt(log, 1_000, "w1", 500, { lanes: ["command"] }))?.turn_id).toBe("c1");
        expect(await claimAt(log, 1_000, "w1", 500, { lanes: ["command"] })).toBeUndefined();
        expect((await claimAt(log, 1_000, "w1", 500, { lanes: ["message"] }))?.turn_id).toBe("t1");
      });

      test("claiming takes a turn whose lease has expired, with all that was stored, before younger ones", async () => {
        await accept("t1");
        await claimId("w1", 1_000, 500);
        await log.append("t1", "w1", [round("t1", 1)]);
        await accept("t2", { thread: "two" });
        logTime.set(1_000);
        expect(await log.untilDue()).toBe(500);
        const again = await claimAt(log, 1_500, "w2", 500);
        expect(again?.turn_id).toBe("t1");
        expect(again?.events.map((event) => event.seq)).toEqual([0, 1]);
        expect(await claimId("w2", 1_500)).toBe("t2");
      });

      test("claiming renews leases and says which are lost", async () => {
        await accept("t1");
        await accept("t2", { thread: "two" });
        await claimId("w1", 1_000, 500);
        await claimId("w1", 1_000, 500);
        await log.append("t2", "w1", [ending("t2", 1)]);
        logTime.set(1_400);
        expect(await log.renew(held("w1", "t1", "t2", "none"), 500)).toEqual(["t2", "none"]);
        expect(await claimId("w2", 1_600)).toBeUndefined();
        expect(await claimId("w2", 1_900)).toBe("t1");
        logTime.set(2_000);
        expect(await log.renew(held("w1", "t1"), 500)).toEqual(["t1"]);
      });

      test("claiming gives every turn once to claimants that race", async () => {
        const ids = Array.from({ length: 60 }, (_, at) => `t${at}`);
        for (const id of ids) await accept(id, { thread: `thread-${id}` });
        const other = (await openAnother()) ?? log;
        const claims = ids.flatMap(() => [claimAt(log, 1_000, "w1", 500), claimAt(other, 1_000, "w2", 500)]);
        const taken = (await Promise.all(claims)).filter((turn) => turn !== undefined);
        expect(taken.map((turn) => turn.turn_id).sort()).toEqual([...ids].sort());
      });
    });

    describe("appending", () => {
      beforeEach(async () => {
        await accept("t1");
        await claimId();
      });

      test("appending keeps events whole and in order", async () => {
        const call = { id: "c", name: "tool", arguments: '{"a": 1}' };
        const message = { role: "assistant" as const, text: "Let me see", tool_calls: [call] };
        const events = [
          entry("t1", 1, { type: "turn_started", profile: "default", model: "offline" }),
          entry("t1", 3, { type: "model_message", round: 1, message, model: "offline" }),
          entry("t1", 4, { type: "step_finished", call_id: "c", step: "s#1", result: { deep: [null, "x"] } }),
        ];
        await log.append("t1", "w1", events);
        expect((await log.read("t1")).slice(1)).toEqual(events);
        expect(await log.read("t1", 3)).toEqual([events[2]]);
        expect((await log.get("t1"))?.started_at).toBe(1_001);
      });

      test("appending is refused to a worker that does not hold the turn", async () => {
        await expect(log.append("t1", "w2", [round("t1", 1)])).rejects.toBeInstanceOf(LeaseLostError);
        await expect(log.append("t1", "w2", [ending("t1", 1)])).rejects.toMatchObject(refused);
        await expect(log.append("none", "w1", [round("none", 1)])).rejects.toMatchObject(refused);
        expect(await log.read("t1")).toHaveLength(1);
      });

      test("appending refuses a taken seq and stores nothing of the batch", async () => {
        await log.append("t1", "w1", [round("t1", 1)]);
        await expect(log.append("t1", "w1", [round("t1", 1)])).rejects.toMatchObject(refused);
        const usage = entry("t1", 2, { type: "usage", model: "m", input_tokens: 1, output_tokens: 1 });
        await expect(log.append("t1", "w1", [usage, ending("t1", 1)])).rejects.toMatchObject(refused);
        expect((await log.read("t1")).map((event) => event.seq)).toEqual([0, 1]);
        expect(await log.get("t1")).toMatchObject({ status: "running", input_tokens: 0 });
      });

      test("appending refuses the first holder after another has taken over", async () => {
        await claimId("w2", 5_000);
        await expect(log.append("t1", "w1", [round("t1", 1)])).rejects.toMatchObject(refused);
        await log.append("t1", "w2", [round("t1", 1)]);
        expect(await log.read("t1")).toHaveLength(2);
      });

      test("appending turn_finished closes the turn, once", async () => {
        await log.append("t1", "w1", [round("t1", 1), ending("t1", 2, "the answer")]);
        expect(await log.get("t1")).toMatchObject({
          status: "finished",
          outcome: "completed",
          answer: "the answer",
          finished_at: 1_002,
        });
        await expect(log.append("t1", "w1", [round("t1", 3)])).rejects.toMatchObject(refused);
        await expect(log.append("t1", "w1", [ending("t1", 3)])).rejects.toMatchObject(refused);
        expect(await pendingTurns(log)).toBe(0);
        expect(await claimId("w2", 99_000)).toBeUndefined();
        logTime.set(1_000);
        expect(await log.untilDue()).toBeUndefined();
      });
    });

    describe("waiting", () => {
      beforeEach(async () => {
        await accept("t1");
        await claimId();
      });

      test("waiting frees the turn until its time, and holds the queue behind it", async () => {
        await accept("t2", { author: bob });
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        expect((await log.get("t1"))?.status).toBe("waiting");
        await expect(log.append("t1", "w1", [round("t1", 2)])).rejects.toMatchObject(refused);
        logTime.set(8_000);
        expect(await log.untilDue()).toBe(1_000);
        expect(await claimId("w2", 8_999)).toBeUndefined();
        expect(await claimId("w2", 9_000)).toBe("t1");
        await log.append("t1", "w2", [ending("t1", 2)]);
        expect(await claimId("w2", 9_000)).toBe("t2");
      });

      test.each([
        { type: "stop", by: "ada" } as const,
        { type: "answer", question_id: "q", text: "blue", by: "ada" } as const,
        { type: "approval", approval_id: "a", approved: true, by: "bob" } as const,
      ])("waiting ends with a $type", async (signal) => {
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        expect(await log.signal("t1", signal, 2_000)).toBe(true);
        expect(await claimId("w2", 2_000)).toBe("t1");
        expect(await log.signals("t1")).toEqual([signal]);
      });

      test("waiting ends with a message of its author, but not with those of others or with a command", async () => {
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        await accept("t2", { author: bob });
        await accept("c1", { kind: "command" });
        await accept("t3", { thread: "two" });
        expect([await claimId("w2", 2_000), await claimId("w2", 2_000)]).toEqual(["c1", "t3"]);
        expect(await claimId("w2", 2_000)).toBeUndefined();
        await accept("t4");
        expect(await claimId("w2", 2_000)).toBe("t1");
      });

      test("waiting does not begin when something came since the turn was claimed, and then begins", async () => {
        await log.signal("t1", { type: "answer", question_id: "q", text: "early", by: "ada" }, 1_100);
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        expect(await claimId("w1", 1_200)).toBe("t1");
        await log.append("t1", "w1", [waiting("t1", 2, 9_000)]);
        expect(await claimId("w1", 1_300)).toBeUndefined();
      });
    });

    describe("signals", () => {
      test("signals are kept in order for a running and a queued turn", async () => {
        await accept("t1");
        await accept("t2");
        await claimId();
        const stop = { type: "stop", by: "ada" } as const;
        const approval = { type: "approval", approval_id: "a", approved: false, by: "bob" } as const;
        expect(await log.signal("t1", approval, 1)).toBe(true);
        expect(await log.signal("t1", stop, 2)).toBe(true);
        expect(await log.signal("t2", stop, 3)).toBe(true);
        expect(await log.signals("t1")).toEqual([approval, stop]);
        expect(await claimId()).toBeUndefined();
      });

      test("signals are refused for unknown and finished turns", async () => {
        const stop = { type: "stop", by: "ada" } as const;
        expect(await log.signal("none", stop, 1)).toBe(false);
        await accept("t1");
        await claimId();
        await finish("t1");
        expect(await log.signal("t1", stop, 1)).toBe(false);
        expect(await log.signals("t1")).toEqual([]);
      });
    });

    describe("steering", () => {
      beforeEach(async () => {
        await accept("t1");
        await claimId();
        await accept("t2");
        await accept("t3", { author: bob });
        await accept("t4", { text: "and also" });
        await accept("c1", { kind: "command" });
        await accept("t5", { thread: "two" });
        await accept("t6", { cause: { kind: "schedule", id: "s1", because: "every day" } });
      });

      test("steering is what the author said after the turn in its queue", async () => {
        const found = await log.steering("t1");
        expect(found.map((one) => one.turn_id)).toEqual(["t2", "t4"]);
        expect(found[1]?.inbound.text).toBe("and also");
      });

      test("steering excludes what the author's schedules and triggers began, which do not wake a waiting turn", async () => {
        await log.absorb("t1", "w1", ["t2", "t4"], []);
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        await accept("t7", { cause: { kind: "trigger", id: "t", because: "a message" } });
        const claimed = await Promise.all(
          ["w2", "w3"].map((w) => claimAt(log, 1_100, w, 500, { lanes: ["message"] })),
        );
        // Either may be first.
        expect(claimed.map((each) => each?.turn_id).toSorted()).toEqual(["t5", undefined]);
      });

      test("steering is absorbed in one write", async () => {
        const steered = entry("t1", 1, { type: "steered", text: "x", by: "ada", from_turn: "t2" });
        await log.absorb("t1", "w1", ["t2", "t4"], [steered]);
        expect(await log.steering("t1")).toEqual([]);
        expect(await log.read("t1", 0)).toEqual([steered]);
        expect(await log.read("t2", 0)).toEqual([
          entry("t2", 1, { type: "turn_finished", outcome: "completed", text: "", merged_into: "t1" }),
        ]);
        expect(await log.get("t2")).toMatchObject({ status: "finished", merged_into: "t1", answer: "" });
        await log.append("t1", "w1", [ending("t1", 2)]);
        const next = [await claimId(), await claimId(), await claimId(), await claimId()];
        expect(next).toEqual(["c1", "t3", "t5", undefined]);
      });

      test("absorbed steering does not wake the turn when it begins to wait", async () => {
        await log.absorb("t1", "w1", ["t2", "t4"], []);
        await log.append("t1", "w1", [waiting("t1", 1, 9_000)]);
        expect((await claimAt(log, 1_100, "w1", 500, { lanes: ["message"] }))?.turn_id).toBe("t5");
        expect(await claimAt(log, 1_100, "w1", 500, { lanes: ["message"] })).toBeUndefined();
      });

      test("steering is not absorbed by a worker that lost the turn, nor twice, nor from another queue", async () => {
        const steered = entry("t1", 1, { type: "steered", text: "x", by: "ada", from_turn: "t2" });
        await expect(log.absorb("t1", "w2", ["t2"], [steered])).rejects.toMatchObject(refused);
        await expect(log.absorb("t1", "w1", ["t2", "t5"], [steered])).rejects.toMatchObject(refused);
        expect((await log.get("t2"))?.status).toBe("queued");
        await log.absorb("t1", "w1", ["t2"], [steered]);
        await expect(log.absorb("t1", "w1", ["t2"], [round("t1", 2)])).rejects.toMatchObject(refused);
        expect((await log.read("t1")).map((event) => event.seq)).toEqual([0, 1]);
      });
    });

    describe("reading", () => {
      test("reading lists turns newest first, filtered and paged", async () => {
        await accept("t1");
        await accept("t2", { thread: "two" });
        await accept("t3", { namespace: "slack:w:c", thread: "one" });
        await accept("t4");
        await claimId();
        await finish("t1");
        await claimId();
        const ids = async (filter: Parameters<TurnLog["list"]>[0]) =>
          (await log.list(filter)).map((turn) => turn.turn_id);
        expect(await ids({})).toEqual(["t4", "t3", "t2", "t1"]);
        expect(await ids({ namespace })).toEqual(["t4", "t2", "t1"]);
        expect(await ids({ namespace, thread: "one" })).toEqual(["t4", "t1"]);
        expect(await ids({ thread: "one" })).toEqual(["t4", "t3", "t1"]);
        expect(await ids({ status: "finished" })).toEqual(["t1"]);
        expect(await ids({ status: "running" })).toEqual(["t2"]);
        expect(await ids({ namespace, status: "queued" })).toEqual(["t4"]);
        expect(await ids({ limit: 2 })).toEqual(["t4", "t3"]);
        expect(await ids({ limit: 2, before: "t3" })).toEqual(["t2", "t1"]);
        expect(await ids({ namespace: "console:local:none" })).toEqual([]);
        const request = {
          approval_id: "a",
          call_id: "c",
          tool: "t",
          skill_id: "s",
          input: {},
          expires_at: 9,
        };
        const person = { id: "ben", name: "Ben", deed: "remind you" };
        await log.append("t2", "w1", [
          entry("t2", 1, { type: "approval_requested", ...request, approver: "asker", person }),
        ]);
        expect(await ids({ event: "approval_requested" })).toEqual(["t2"]);
        expect(await ids({ status: "running", asks: "ben" })).toEqual(["t2"]);
        expect(await ids({ status: "running", asks: "ann" })).toEqual([]);
        expect(await ids({ event: "file" })).toEqual([]);
      });

      test("reading gives a thread's finished messages below an ordinal, newest first", async () => {
        const ordinals: number[] = [];
        for (const id of ["t1", "t2", "t3", "t4"]) {
          await accept(id);
          await accept(`c-${id}`, { kind: "command" });
        }
        for (const id of ["t1", "t2", "t3"]) {
          ordinals.push((await claimAt(log, 1_000, "w1", 500, { lanes: ["message"] }))?.ordinal ?? 0);
          await finish(id);
        }
        const place = { namespace, thread: "one" };
        const ids = async (before: number, limit = 10) =>
          (await log.finished(place, before, limit)).map((turn) => turn.turn_id);
        expect(await ids(Number.MAX_SAFE_INTEGER)).toEqual(["t3", "t2", "t1"]);
        expect(await ids(ordinals[2] ?? 0)).toEqual(["t2", "t1"]);
        expect(await ids(Number.MAX_SAFE_INTEGER, 1)).toEqual(["t3"]);
        expect(await log.finished({ namespace, thread: "none" }, Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
      });

      test("reading knows threads: title, count, last activity, whether busy", async () => {
        await accept("c1", { kind: "command", text: "/skill list" }, 50);
        expect((await log.threads(namespace))[0]).toMatchObject({ title: "/skill list", turns: 1 });
        await accept("t1", { text: `What  is\n${"long ".repeat(60)}` }, 100);
        await accept("t2", {}, 300);
        await accept("t3", { thread: "two", text: "hello" }, 200);
        const [one, two] = await log.threads(namespace);
        expect(one).toMatchObject({ thread: "one", turns: 3, last_at: 300, busy: true });
        expect(one?.title.startsWith("What is long long")).toBe(true);
        expect(one?.title.length).toBeLessThanOrEqual(120);
        expect(two).toEqual({ thread: "two", title: "hello", turns: 1, last_at: 200, busy: true });
        expect(await log.threads(namespace, 1)).toHaveLength(1);
        await claimAt(log, 1_000, "w1", 500, { lanes: ["command"] });
        for (const _ of ["t1", "t3"]) await claimAt(log, 1_000, "w1", 500);
        await log.append("t3", "w1", [ending("t3", 1)]);
        expect((await log.threads(namespace))[0]).toMatchObject({
          thread: "two",
          busy: false,
          last_at: 1_001,
        });
        expect(await log.threads("console:local:none")).toEqual([]);
      });

      test("reading knows namespaces, of one platform if requested", async () => {
        await accept("t1");
        await accept("t2", { thread: "two" });
        await accept("t3", { namespace: "slack:w:c1" });
        await accept("t4", { namespace: "slacker:w:c1" });
        expect(await log.namespaces()).toEqual([namespace, "slack:w:c1", "slacker:w:c1"]);
        expect(await log.namespaces("slack")).toEqual(["slack:w:c1"]);
        expect(await log.namespaces("discord")).toEqual([]);
      });
    });
  });
}
