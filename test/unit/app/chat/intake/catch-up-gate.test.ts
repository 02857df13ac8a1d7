import { expect, test } from "vitest";
import { CatchUpGate } from "../../../../../src/app/chat/intake/catch-up-gate.ts";
import { createFakeClock } from "../../../../support/fakes/fake-clock.ts";

const reply = { place: { namespace: "slack:T1:C1", thread: "root" }, id: "reply", said_at: 5_000 };
const root = { ...reply, id: "root" };
const never = new AbortController().signal;

function rig() {
  const clock = createFakeClock();
  const warned: string[] = [];
  const quiet = { debug() {}, info() {}, error() {} };
  const gate = new CatchUpGate<string>({
    clock,
    logger: { ...quiet, warn: (_fields, message) => void warned.push(message) },
  });
  const order: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let reads = 0;
  const work = () => {
    reads += 1;
    return promise;
  };
  const said = (message: typeof reply, signal = never) =>
    gate.before(message, "room", work, signal).then(
      () => void order.push(message.id),
      () => void order.push("refused"),
    );
  const done = () => {
    order.push("read");
    resolve("found");
  };
  return { gate, clock, warned, order, said, done, fail: reject, work, reads: () => reads };
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
    "a message goes on after a minute, and the next does not wait again",
    ["reply", "reply"],
    1,
    async ({ gate, said, clock, warned }) => {
      gate.close();
      const waiting = said(reply);
      clock.advance(60_000);
      await waiting;
      await said(reply);
      expect(warned).toEqual([expect.stringContaining("missed messages are not read yet")]);
    },
  ],
  [
    "a message goes on when its room cannot be read, and the fetch reads it again",
    ["reply"],
    2,
    async ({ gate, said, fail, work }) => {
      gate.close();
      fail(new Error("down"));
      await said(reply);
      await expect(gate.read("room", work)).rejects.toThrow("down");
    },
  ],
  [
    "a message that waits is refused at the end of the connection",
    ["refused"],
    1,
    async ({ gate, said, warned }) => {
      const ending = new AbortController();
      gate.close();
      const waiting = said(reply, ending.signal);
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
