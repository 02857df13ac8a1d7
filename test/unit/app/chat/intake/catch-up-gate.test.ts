import { expect, test } from "vitest";
import { createCatchUpGate } from "../../../../../src/app/chat/intake/catch-up-gate.ts";
import { createFakeClock } from "../../../../support/fakes/fake-clock.ts";

const reply = { place: { namespace: "slack:T1:C1", thread: "root" }, id: "reply", said_at: 5_000 };
const root = { ...reply, id: "root" };

function rig() {
  const clock = createFakeClock();
  const warned: string[] = [];
  const quiet = { debug() {}, info() {}, error() {} };
  const logger = { ...quiet, warn: (_fields: object, message: string) => void warned.push(message) };
  const ending = new AbortController();
  const gate = createCatchUpGate<string>(clock, logger, ending.signal);
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  let reads = 0;
  let failures = 0;
  const work = async () => {
    reads += 1;
    if (reads <= failures) throw new Error("down");
    return promise;
  };
  const failing = (times: number) => {
    failures = times;
  };
  const said = (message: typeof reply) =>
    gate.before(message, "room", work).then(
      () => void order.push(message.id),
      () => void order.push("refused"),
    );
  const done = () => {
    order.push("read");
    resolve("found");
  };
  return { gate, clock, warned, ending, order, said, done, failing, work, reads: () => reads };
}

type Rig = ReturnType<typeof rig>;

test.each<[string, string[], number, (rig: Rig) => Promise<unknown>]>([
  ["nothing waits while nothing is missing", ["reply"], 0, ({ said }) => said(reply)],
  [
    "a live message waits for the read of its room, and the next shares it",
    ["read", "reply", "reply"],
    1,
    ({ gate, said, done }) => {
      gate.close();
      const waiting = [said(reply), said(reply)];
      done();
      return Promise.all(waiting);
    },
  ],
  [
    "a live message waits for the read that the fetch has begun",
    ["read", "reply"],
    1,
    ({ gate, said, done, work }) => {
      gate.close();
      const fetching = gate.read("room", work);
      const waiting = said(reply);
      done();
      return Promise.all([fetching, waiting]);
    },
  ],
  [
    "a message that begins its thread waits for nothing",
    ["root"],
    0,
    ({ gate, said }) => {
      gate.close();
      return said(root);
    },
  ],
  [
    "nothing waits when everything is handed in",
    ["reply"],
    0,
    ({ gate, said }) => {
      gate.close();
      gate.open();
      return said(reply);
    },
  ],
  [
    "a message goes on after five minutes, and the next does not wait again",
    ["reply", "reply"],
    1,
    async ({ gate, said, clock, warned }) => {
      gate.close();
      const waiting = said(reply);
      clock.advance(300_000);
      await waiting;
      await said(reply);
      expect(warned).toEqual([expect.stringContaining("missed messages are not read yet")]);
    },
  ],
  [
    "a message waits until its room can be read",
    ["read", "reply"],
    3,
    async ({ gate, said, clock, failing, done }) => {
      gate.close();
      failing(2);
      done();
      await clock.advanceUntil(said(reply), 1_000);
    },
  ],
  [
    "a message goes on as soon as the fetch has read its room, and those said after it stay behind it",
    ["read", "reply", "later"],
    2,
    async ({ gate, said, failing, done, work }) => {
      gate.close();
      failing(1);
      const waiting = said(reply);
      await new Promise((resolve) => setImmediate(resolve));
      const fetching = gate.read("room", work);
      const later = said({ ...reply, id: "later" });
      done();
      await Promise.all([fetching, waiting, later]);
    },
  ],
  [
    "what is said when everything is handed in stays behind what still waits",
    ["reply", "later"],
    1,
    async ({ gate, said, failing }) => {
      gate.close();
      failing(1);
      const waiting = said(reply);
      await new Promise((resolve) => setImmediate(resolve));
      const later = said({ ...reply, id: "later" });
      gate.open();
      await Promise.all([waiting, later]);
    },
  ],
  [
    "a message that waits is refused when the bot stops",
    ["refused"],
    1,
    async ({ gate, said, warned, ending }) => {
      gate.close();
      const waiting = said(reply);
      ending.abort();
      await waiting;
      expect(warned).toEqual([]);
    },
  ],
])("%s", async (_what, order, reads, scene) => {
  const bench = rig();
  await scene(bench);
  expect(bench.order).toEqual(order);
  expect(bench.reads()).toBe(reads);
});

test("what is said in a room from its first live message on is not missed", () => {
  const { gate, said } = rig();
  gate.close();
  void said({ ...reply, said_at: 6_000 });
  void said(reply);
  expect([4_999, 5_000, 7_000].map((at) => gate.isLive("room", at))).toEqual([false, true, true]);
  expect(gate.isLive("other", 7_000)).toBe(false);
  gate.close();
  expect(gate.isLive("room", 7_000)).toBe(false);
});
