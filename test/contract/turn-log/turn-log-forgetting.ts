import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { deletedPerson, type Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt } from "../../support/log-time.ts";
import { pendingTurns } from "../../support/pending-turns.ts";
import { ending, entry, inbound, opened } from "./turn-log-contract.ts";

const place = { namespace: "console:local:general", thread: "one" };

/** What every turn log must do when a turn is deleted. */
export function turnLogForgettingContract(
  name: string,
  open: () => Promise<TurnLog>,
  options: TestOptions = {},
): void {
  describe(`${name}: forgetting`, options, () => {
    let log: TurnLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    const accept = (id: string, change: Partial<Inbound> = {}, at = 100) =>
      log.accept(inbound(`key-${id}`, change), id, at);
    const said = async (id: string, change: Partial<Inbound> = {}) => {
      await accept(id, change);
      await claimAt(log, 1_000, "w1", 500);
      const usage = { type: "usage", model: "m", input_tokens: 10, output_tokens: 3, cost_usd: 0.5 } as const;
      await log.append(id, "w1", [
        entry(id, 1, usage),
        entry(id, 2, opened(`carried into ${id}`)),
        ending(id, 3, `answer ${id}`),
      ]);
    };

    test("forgetting leaves entry 0 without text and files, and an end that names who forgot", async () => {
      const file = { id: "F1", name: "secret.pdf", media_type: "application/pdf", bytes: 3 };
      const origin = { message: "m1", said_at: 90, files: [file], in_thread: true };
      await said("t1", { origin });
      expect(await log.forget("t1", "bob", 5_000)).toBe(true);
      const emptied = inbound("key-t1", { text: "", origin: { ...origin, files: [] } });
      expect(await log.read("t1")).toEqual([
        { type: "inbound", inbound: emptied, turn_id: "t1", seq: 0, at: 100 },
        {
          type: "turn_finished",
          outcome: "completed",
          text: "",
          forgotten_by: "bob",
          turn_id: "t1",
          seq: 4,
          at: 5_000,
        },
      ]);
    });

    test("forgetting keeps the record and what was spent, without the texts", async () => {
      await said("t1");
      await log.forget("t1", "ada", 5_000);
      const record = await log.get("t1");
      expect(record).toMatchObject({ status: "finished", outcome: "completed", text: "", cost_usd: 0.5 });
      expect(record).toMatchObject({ accepted_at: 100, finished_at: 1_003 });
      expect(record?.answer).toBeUndefined();
      expect(await log.list({ namespace: place.namespace })).toEqual([record]);
      expect(await log.usage({ since: 0 })).toMatchObject({
        input_tokens: 10,
        output_tokens: 3,
        cost_usd: 0.5,
      });
    });

    test("disowning leaves no author in deleted turns, nor who deleted another's, and the message is still known", async () => {
      await said("t1");
      await said("t2", { author: { id: "bob", name: "Bob", trust: "member" } });
      await accept("t3", { thread: "two" });
      await log.forget("t1", "ada", 5_000);
      await log.forget("t2", "ada", 5_000);
      await log.disown(["t1", "t2", "t3", "none"], "ada");
      expect(await log.get("t1")).toMatchObject({ author: deletedPerson });
      expect((await log.read("t1"))[0]).toMatchObject({ inbound: { author: deletedPerson, text: "" } });
      for (const id of ["t1", "t2"])
        expect((await log.read(id)).at(-1)).toMatchObject({ forgotten_by: deletedPerson.id });
      expect((await log.list({ author: "ada" })).map(({ turn_id }) => turn_id)).toEqual(["t3"]);
      expect((await log.list({ author: "bob" })).map(({ turn_id }) => turn_id)).toEqual(["t2"]);
      expect(await accept("t1")).toEqual({ turn_id: "t1", accepted: false });
    });

    test("forgetting a person takes the event that began a turn with its details, but ageing does not", async () => {
      const cause = {
        kind: "trigger",
        id: "g",
        because: "a message",
        happened: "secret",
        caused_by: ["bob"],
      };
      await said("t1", { cause: cause as Inbound["cause"] });
      await log.removeDetails(["t1"], 5_000);
      expect((await log.read("t1"))[0]).toMatchObject({ inbound: { cause } });
      await log.removeDetails(["t1"], 5_000, { forgets: true });
      const [entry] = await log.read("t1");
      expect(entry).toMatchObject({ inbound: { text: "text of key-t1", cause: { because: "a message" } } });
      expect(JSON.stringify(entry)).not.toMatch(/secret|bob/);
    });

    test("every thread of a namespace is listed once, by name", async () => {
      const names = Array.from({ length: 230 }, (_, at) => `t${String(at).padStart(3, "0")}`);
      for (const thread of names) await accept(thread, { thread });
      await accept("elsewhere", { namespace: "console:local:other", thread: "x" });
      const threads = await Array.fromAsync(log.everyThread(place.namespace));
      expect(threads.map(({ thread }) => thread)).toEqual(names);
      expect(threads[0]).toEqual({
        thread: "t000",
        title: "text of key-t000",
        turns: 1,
        last_at: 100,
        busy: true,
      });
    });

    test("forgetting takes the answers people gave with it, and the message is still known", async () => {
      await accept("t1");
      await claimAt(log, 1_000, "w1", 500);
      await log.signal("t1", { type: "answer", question_id: "q", text: "my password", by: "ada" }, 1_001);
      await log.append("t1", "w1", [ending("t1", 1)]);
      await log.forget("t1", "ada", 5_000);
      expect(await log.signals("t1")).toEqual([]);
      expect(await log.find("key-t1")).toBe("t1");
      expect(await accept("t1")).toEqual({ turn_id: "t1", accepted: false });
      expect(await pendingTurns(log)).toBe(0);
    });

    test("forgetting does not touch an unfinished turn or an unknown one [store-2]", async () => {
      await accept("t1");
      expect(await log.forget("t1", "ada", 5_000)).toBe(false);
      expect(await log.forget("none", "ada", 5_000)).toBe(false);
      expect((await log.get("t1"))?.text).toBe("text of key-t1");
    });

    test("forgetting changes nothing the second time", async () => {
      await said("t1");
      await log.forget("t1", "ada", 5_000);
      const before = await log.read("t1");
      expect(await log.forget("t1", "bob", 6_000)).toBe(true);
      expect(await log.read("t1")).toEqual(before);
    });

    test("forgetting gives a thread another title only when it was named after the turn", async () => {
      await said("t1");
      await said("t2");
      await log.forget("t2", "ada", 5_000);
      expect((await log.threads(place.namespace))[0]?.title).toBe("text of key-t1");
      await log.forget("t1", "ada", 5_000);
      expect((await log.threads(place.namespace))[0]).toMatchObject({ title: "Deleted message", turns: 2 });
    });

    test("forgetting renames a thread of commands only after its first one", async () => {
      await said("t1", { kind: "command", text: "/skill run secret" });
      await said("t2", { kind: "command", text: "/skill list" });
      await log.forget("t2", "ada", 5_000);
      expect((await log.threads(place.namespace))[0]?.title).toBe("/skill run secret");
      await log.forget("t1", "ada", 5_000);
      expect((await log.threads(place.namespace))[0]?.title).toBe("Deleted message");
    });

    test("forgetting drops what later turns of the thread carried over, which may repeat it, and nothing of others [store-3]", async () => {
      await said("t1");
      await said("t2");
      await said("t3");
      await said("other", { thread: "two" });
      await log.forget("t2", "ada", 5_000);
      const types = async (id: string) => (await log.read(id)).map((event) => event.type);
      const whole = ["inbound", "usage", "transcript_opened", "turn_finished"];
      expect(await types("t1")).toEqual(whole);
      expect(await types("t3")).toEqual(["inbound", "usage", "turn_finished"]);
      expect(await types("other")).toEqual(whole);
    });

    test("forgetting drops what a turn that still runs carried over", async () => {
      await said("t1");
      await accept("t2");
      await claimAt(log, 1_000, "w1", 500);
      await log.append("t2", "w1", [entry("t2", 1, opened("carried into t2"))]);
      await log.forget("t1", "ada", 5_000);
      expect((await log.read("t2")).map(({ type }) => type)).toEqual(["inbound"]);
      await log.append("t2", "w1", [entry("t2", 2, opened("carried anew", "deleted")), ending("t2", 3)]);
      expect((await log.read("t2")).map(({ seq }) => seq)).toEqual([0, 2, 3]);
    });

    test("forgetting work in the background drops what any turn was told of it, and keeps nothing of what it knew", async () => {
      const background = { to: "maker", untrusted: [], seen: { named: ["secret.example"] } };
      const told = {
        type: "background_ended",
        from_turn: "b1",
        message: { role: "user", text: "secret" },
      } as const;
      await accept("t1");
      await accept("b1", { cause: { kind: "handoff", id: "t1", because: "why", background } });
      await claimAt(log, 1_000, "w1", 500);
      await claimAt(log, 1_000, "w2", 500);
      await log.append("b1", "w2", [ending("b1", 1, "secret")]);
      await log.append("t1", "w1", [
        entry("t1", 1, told),
        entry("t1", 2, { type: "run", call_id: "direct", event: told }),
        entry("t1", 3, opened("secret")),
        ending("t1", 4),
      ]);
      await log.forget("b1", "ada", 5_000);
      expect((await log.read("t1")).map(({ type }) => type)).toEqual(["inbound", "turn_finished"]);
      const [first] = await log.read("b1");
      expect(first).toMatchObject({ inbound: { cause: { kind: "handoff", id: "t1", because: "" } } });
      expect(JSON.stringify(await log.read("b1"))).not.toContain("secret");
    });

    test("forgetting is counted by thread, once for each turn that is gone", async () => {
      const other = { ...place, thread: "two" };
      expect(await log.deletions(place)).toBe(0);
      await said("t1");
      await said("t2");
      await said("t3", { thread: "two" });
      await accept("t4");
      await log.forget("t1", "ada", 5_000);
      await log.forget("t1", "ada", 6_000);
      await log.forget("t2", "ada", 5_000);
      await log.forget("t4", "ada", 5_000);
      expect([await log.deletions(place), await log.deletions(other)]).toEqual([2, 0]);
    });

    test("forgetting lets an opening made because of it replace the turn's earlier ones", async () => {
      await accept("t1");
      await claimAt(log, 1_000, "w1", 500);
      await log.append("t1", "w1", [entry("t1", 1, opened("first")), entry("t1", 2, opened("second"))]);
      expect((await log.read("t1")).map(({ seq }) => seq)).toEqual([0, 1, 2]);
      await log.append("t1", "w1", [entry("t1", 3, opened("third", "deleted"))]);
      await log.append("t1", "w1", [entry("t1", 4, opened("fourth"))]);
      expect((await log.read("t1")).map(({ seq }) => seq)).toEqual([0, 3, 4]);
    });
  });
}
