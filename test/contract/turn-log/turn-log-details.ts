import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt } from "../../support/log-time.ts";
import { ending, entry, inbound, opened } from "./turn-log-contract.ts";

const place = { namespace: "console:local:general", thread: "one" };

const finishedCall = (output: string): TurnEventBody => ({
  type: "tool_finished",
  call_id: "c1",
  tool: "look",
  status: "ok",
  output,
  duration_ms: 1,
});

/** What every turn log must do when run details are deleted. */
export function turnLogDetailsContract(
  name: string,
  open: () => Promise<TurnLog>,
  options: TestOptions = {},
): void {
  describe(`${name}: details`, options, () => {
    let log: TurnLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    /** A finished turn; its end is at 1,000 + the number of its events. */
    const said = async (id: string, bodies: readonly TurnEventBody[], change: Partial<Inbound> = {}) => {
      await log.accept(inbound(`key-${id}`, change), id, 100);
      await claimAt(log, 1_000, "w1", 500);
      await log.append(id, "w1", [
        ...bodies.map((body, at) => entry(id, at + 1, body)),
        ending(id, bodies.length + 1, `answer ${id}`),
      ]);
    };
    const typesOf = async (id: string) => (await log.read(id)).map(({ type }) => type);

    test("details are removed, and what was said, posted and answered stays where it was", async () => {
      await said("t1", [
        { type: "turn_started", profile: "p", model: "m" },
        opened(),
        finishedCall("of a tool"),
        { type: "steered", text: "more", by: "ada", from_turn: "t0" },
        { type: "file", name: "a.txt", media_type: "text/plain", bytes: 1, url: "/a" },
        { type: "usage", model: "m", input_tokens: 10, output_tokens: 3 },
        { type: "error", code: "c", message: "m" },
        { type: "message_posted", purpose: "answer", part: 0, reference: "m1" },
      ]);
      const before = await log.read("t1");
      const record = await log.get("t1");
      await log.removeDetails(["t1"], 9_000);
      const removed = { type: "details_removed", turn_id: "t1", seq: 2, at: 9_000 };
      const kept = [0, 1, 4, 5, 7, 8, 9].map((seq) => before[seq]);
      expect(await log.read("t1")).toEqual([...kept.slice(0, 2), removed, ...kept.slice(2)]);
      expect(await log.get("t1")).toEqual(record);
    });

    test("details are removed once: a second time changes nothing [store-4]", async () => {
      await said("t1", [opened()]);
      await log.removeDetails(["t1"], 9_000);
      const before = await log.read("t1");
      await log.removeDetails(["t1"], 10_000);
      expect(await log.read("t1")).toEqual(before);
    });

    test("details are not marked as removed where there were none", async () => {
      await said("t1", []);
      await log.removeDetails(["t1", "unknown"], 9_000);
      expect(await typesOf("t1")).toEqual(["inbound", "turn_finished"]);
    });

    test("details are removed with the answers people gave", async () => {
      await log.accept(inbound("key-t1"), "t1", 100);
      await claimAt(log, 1_000, "w1", 500);
      await log.signal("t1", { type: "answer", question_id: "q", text: "my password", by: "ada" }, 1_001);
      await log.append("t1", "w1", [ending("t1", 1)]);
      await log.removeDetails(["t1"], 9_000);
      expect(await log.signals("t1")).toEqual([]);
    });

    test("details of an unfinished turn stay", async () => {
      await log.accept(inbound("key-t1"), "t1", 100);
      await claimAt(log, 1_000, "w1", 500);
      await log.append("t1", "w1", [entry("t1", 1, opened())]);
      await log.removeDetails(["t1"], 9_000);
      expect(await typesOf("t1")).toEqual(["inbound", "transcript_opened"]);
    });

    test("details of more turns and events than one write deletes are removed, and the turn can be forgotten later", async () => {
      const rounds = Array.from(
        { length: 700 },
        (_, round): TurnEventBody => ({ type: "round_started", round }),
      );
      await said("t1", [...rounds, finishedCall("x".repeat(1_500_000)), finishedCall("y".repeat(1_500_000))]);
      await said("t2", [opened()]);
      await said("t3", [opened()]);
      await log.removeDetails(["t1", "t2"], 9_000);
      expect(await typesOf("t1")).toEqual(["inbound", "details_removed", "turn_finished"]);
      expect(await typesOf("t2")).toEqual(["inbound", "details_removed", "turn_finished"]);
      expect(await typesOf("t3")).toEqual(["inbound", "transcript_opened", "turn_finished"]);
      await log.forget("t1", "ada", 9_500);
      expect(await typesOf("t1")).toEqual(["inbound", "turn_finished"]);
    });

    test("details do not count as a deletion unless they hold words that must be forgotten", async () => {
      await said("t1", [opened()]);
      await said("t2", [opened(), finishedCall("kept")]);
      await said("other", [opened()], { thread: "two" });
      await log.removeDetails(["t1"], 9_000);
      expect(await log.deletions(place)).toBe(0);
      expect(await typesOf("t2")).toContain("transcript_opened");
      await log.removeDetails(["t1"], 9_000, { forgets: true });
      expect(await log.deletions(place)).toBe(1);
      expect(await typesOf("t2")).toEqual(["inbound", "tool_finished", "turn_finished"]);
      expect(await typesOf("other")).toContain("transcript_opened");
    });

    describe("by age", () => {
      const removes = async (id: string, idle_since: number) => {
        await log.removeDetails([id], 9_000, { idle_since });
        return (await typesOf(id)).includes("details_removed");
      };

      test("details are removed by age when the thread has been idle since then", async () => {
        await said("t1", [finishedCall("x")]);
        expect(await removes("t1", 1_002)).toBe(false);
        expect(await removes("t1", 1_003)).toBe(true);
      });

      test("details stay while the thread is in use and its transcript continues from them", async () => {
        await said("t1", [opened()]);
        await log.accept(inbound("key-t2"), "t2", 5_000);
        expect(await removes("t1", 6_000)).toBe(false);
        await claimAt(log, 5_000, "w1", 500);
        expect(await removes("t1", 6_000)).toBe(false);
        await log.append("t2", "w1", [entry("t2", 1, { type: "turn_waiting", until: 20_000 })]);
        expect(await removes("t1", 6_000)).toBe(false);
      });

      test("details are removed when a later turn has opened a transcript, whose own details stay", async () => {
        await said("t1", [opened()]);
        await log.accept(inbound("key-t2"), "t2", 5_000);
        await claimAt(log, 5_000, "w1", 500);
        await log.append("t2", "w1", [entry("t2", 1, opened())]);
        expect(await removes("t1", 1_000)).toBe(false);
        expect(await removes("t1", 1_003)).toBe(true);
        await log.append("t2", "w1", [ending("t2", 2)]);
        await log.accept(inbound("key-t3"), "t3", 5_000);
        expect(await removes("t2", 2_000)).toBe(false);
      });
    });
  });
}
