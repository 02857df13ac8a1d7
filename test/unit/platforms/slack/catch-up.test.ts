import { expect, test } from "vitest";
import type { ChatIntake, ChatMessage } from "../../../../src/app/chat/chat-intake.ts";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import type { Place } from "../../../../src/core/values/place.ts";
import type { PersonDirectory } from "../../../../src/platforms/slack/channel/person-directory.ts";
import type { Workspace, Workspaces } from "../../../../src/platforms/slack/connection/workspaces.ts";
import { catchUp, type Missing, SlackCatchUp } from "../../../../src/platforms/slack/incoming/catch-up.ts";
import { createKeyValueLeases } from "../../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock, type FakeClock } from "../../../support/fakes/fake-clock.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;

interface Call {
  method: string;
  channel: string;
  oldest?: string;
  ts?: string;
}

function rig(places: Place[], answer: (call: Call) => object[] | PlatformError, own: readonly string[] = []) {
  const calls: Call[] = [];
  const handed: ChatMessage[] = [];
  const slept: number[] = [];
  const ask = (method: string) => async (given: Omit<Call, "method">) => {
    calls.push({ method, ...given });
    const messages = answer({ method, ...given });
    if (messages instanceof PlatformError) throw messages;
    return { ok: true, messages };
  };
  const users = { conversations: async () => ({ ok: true, channels: own.map((id) => ({ id })) }) };
  const read = { users, conversations: { history: ask("history"), replies: ask("replies") } };
  const workspace = { team: "T1", self: "UBOT", bot: "BBOT", read } as unknown as Workspace;
  const deps: Missing = {
    tenants: { teams: async () => ["T1"] },
    workspaces: {
      of: async () => workspace,
      call: (_team: string, _what: string, call: (given: Workspace) => unknown) => call(workspace),
    } as unknown as Workspaces,
    directory: { directChannel: async () => "D1" } as unknown as PersonDirectory,
    intake: {
      missed: async () => ({ seen: undefined, since: 4_000, places }),
      message: async (message: ChatMessage) => void handed.push(message),
      seen: async () => {},
    } as unknown as ChatIntake,
    clock: {
      now: () => 0,
      steady: () => 0,
      after: () => () => {},
      sleep: async (ms) => void slept.push(ms),
    } as Clock,
    leases: createKeyValueLeases(createMemoryKeyValue(), "test"),
    logger: quiet,
  };
  return { deps, calls, handed, slept };
}

const said = (ts: string, more = {}) => ({ type: "message", user: "U1", text: `said at ${ts}`, ts, ...more });

test("catching up reads channels and known threads, oldest first, without the bot's own messages and thread roots", async () => {
  const places = [
    { namespace: "slack:T1:C1", thread: "channel" },
    { namespace: "slack:T1:C1", thread: "1.0" },
    { namespace: "slack:T1:dm-U1", thread: "dm" },
  ];
  const { deps, calls, handed } = rig(places, ({ method, channel }) => {
    if (method === "replies") return [said("1.0"), said("9.0", { thread_ts: "1.0" })];
    if (channel === "D1") return [said("8.0")];
    return [said("7.0", { bot_id: "BBOT", user: "UBOT" }), said("6.0", { text: "<@UBOT> hi" }), said("5.0")];
  });

  await catchUp(deps, 0, never);

  expect(calls.map(({ method, channel, oldest }) => [method, channel, oldest])).toEqual([
    ["history", "C1", undefined],
    ["replies", "C1", "4.000000"],
    ["history", "D1", undefined],
  ]);
  expect(handed.map(({ key, addressed, missed }) => [key, addressed, missed])).toEqual([
    ["slack:T1:C1:5.0", "none", true],
    ["slack:T1:C1:6.0", "mention", true],
    ["slack:T1:C1:9.0", "none", true],
    ["slack:T1:D1:8.0", "direct", true],
  ]);
});

test("a channel that the bot was invited to while it was away is read too", async () => {
  const places = [{ namespace: "slack:T1:C1", thread: "channel" }];
  const answer = ({ channel }: Call) => (channel === "C2" ? [said("6.0", { text: "<@UBOT> hi" })] : []);
  const { deps, handed } = rig(places, answer, ["C1", "C2"]);
  deps.intake.missed = async () => ({ seen: 4_000, since: 4_000, places });

  await catchUp(deps, 1_800_000_000_000, never);

  expect(handed.map(({ key, addressed }) => [key, addressed])).toEqual([["slack:T1:C2:6.0", "mention"]]);
});

test("a thread that began meanwhile is read after the channel that has its root, also if the root was deleted", async () => {
  const places = [{ namespace: "slack:T1:C1", thread: "channel" }];
  const replies = { latest_reply: "1800000000.000000" };
  const { deps, calls, handed } = rig(places, ({ method, ts = "" }) =>
    method === "replies"
      ? [said("9.0", { thread_ts: ts })]
      : [said("7.0", replies), said("6.0", { ...replies, subtype: "tombstone" }), said("5.0")],
  );

  await catchUp(deps, 0, never);

  expect(calls.map(({ method, ts }) => [method, ts])).toEqual([
    ["history", undefined],
    ["replies", "6.0"],
    ["replies", "7.0"],
  ]);
  expect(handed.map(({ id, place }) => [id, place.thread])).toEqual([
    ["5.0", "5.0"],
    ["7.0", "7.0"],
    ["9.0", "6.0"],
    ["9.0", "7.0"],
  ]);
});

test("a channel is read to the messages before it all, and then only threads with news or with older roots", async () => {
  const places = ["channel", "1.0", "2.0", "3.0"].map((thread) => ({ namespace: "slack:T1:C1", thread }));
  const inThread = { thread_ts: "1.5" };
  const { deps, calls, handed } = rig(places, ({ method, ts = "" }) => {
    if (method === "replies") return [said("8.0", { thread_ts: ts })];
    return [
      said("9.0", { ...inThread, subtype: "thread_broadcast" }),
      said("3.0", { latest_reply: "3.5" }),
      said("2.0", { latest_reply: "8.0" }),
    ];
  });

  await catchUp(deps, 0, never);

  expect(calls.flatMap(({ ts }) => ts ?? [])).toEqual(["1.0", "2.0", "1.5"]);
  expect(handed.map(({ id }) => id)).toEqual(["8.0", "8.0", "8.0"]);
});

test("a conversation that cannot be read now is not passed over", async () => {
  const places = [{ namespace: "slack:T1:C1", thread: "channel" }];
  const { deps } = rig(places, () => new PlatformError("unavailable", "down"));
  await expect(catchUp(deps, 0, never)).rejects.toThrow("down");
});

test("a message that cannot be taken for now is not passed over", async () => {
  const { deps } = rig([{ namespace: "slack:T1:C1", thread: "channel" }], () => [said("5.0")]);
  deps.intake.message = () => Promise.reject(new PlatformError("rate_limited", "wait"));
  await expect(catchUp(deps, 0, never)).rejects.toThrow("wait");
});

test("a message that cannot be taken at all does not hold up the next", async () => {
  const { deps, handed } = rig([{ namespace: "slack:T1:C1", thread: "channel" }], () => [
    said("6.0"),
    said("5.0"),
  ]);
  const { message } = deps.intake;
  deps.intake.message = async (each) => {
    if (each.id === "5.0") throw new PlatformError("gone", "Its author is gone.");
    await message(each);
  };
  await catchUp(deps, 0, never);
  expect(handed.map(({ id }) => id)).toEqual(["6.0"]);
});

test("200 channels with 6,000 messages, most in 400 threads, take little longer than Slack's limits force, places in use first", async () => {
  const clock = createFakeClock();
  const places = Array.from({ length: 200 }, (_, at) => ({
    namespace: `slack:T1:C${at}`,
    thread: "channel",
  }));
  const left: Record<string, { tokens: number; at: number }> = {};
  const take = (method: string) => {
    const now = clock.now();
    const { tokens, at } = left[method] ?? { tokens: 50, at: now };
    const there = Math.min(50, tokens + (now - at) / 1_200);
    left[method] = { tokens: there < 1 ? there : there - 1, at: now };
    return there < 1 ? Math.ceil(((1 - there) * 1_200) / 1_000) * 1_000 : 0;
  };
  const { deps, handed, calls } = rig(places, ({ method, ts = "" }) => {
    const wait = take(method);
    if (wait > 0) return new PlatformError("rate_limited", "wait", { retryAfterMs: wait });
    const said10 = (from: number, more = {}) =>
      Array.from({ length: 10 }, (_, at) => said(`${from + at}.0`, more));
    if (method === "replies") return said10(100, { thread_ts: ts });
    return said10(10)
      .map((each, at) => (at < 2 ? { ...each, latest_reply: "109.0" } : each))
      .toReversed();
  });
  deps.clock = clock;
  const began = clock.now();
  await clock.advanceUntil(catchUp(deps, 0, never), 1_000);

  const forced = (400 - 50) * 1_200;
  expect((clock.now() - began) / forced).toBeLessThan(1.2);
  expect(handed).toHaveLength(200 * 10 + 400 * 10);
  expect(calls[0]?.channel).toBe("C0");
});

test("a rate limit is waited for, and a conversation that is gone does not hide the next", async () => {
  const places = ["C1", "C2"].map((channel) => ({ namespace: `slack:T1:${channel}`, thread: "channel" }));
  let limited = 1;
  const { deps, handed, slept } = rig(places, ({ channel }) => {
    if (channel === "C1") return new PlatformError("gone", "gone");
    limited -= 1;
    return limited >= 0 ? new PlatformError("rate_limited", "wait", { retryAfterMs: 7_000 }) : [said("5.0")];
  });

  await catchUp(deps, 0, never);

  expect(slept).toEqual([7_000]);
  expect(handed.map(({ key }) => key)).toEqual(["slack:T1:C2:5.0"]);
});

test("catching up is recorded as complete only after a look that succeeded", async () => {
  const { deps } = rig([], () => []);
  const seen: string[] = [];
  const timers: (() => void)[] = [];
  let failures = 1;
  deps.intake.seen = async () => void seen.push("seen");
  deps.intake.missed = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error("disk full");
    seen.push("looked");
    return { seen: undefined, since: 0, places: [] };
  };
  deps.clock.after = (_ms, callback) => {
    timers.push(callback);
    return () => void timers.splice(timers.indexOf(callback) >>> 0, 1);
  };
  const catching = new SlackCatchUp(deps);

  catching.connected(never);
  await catching.settled();
  expect(seen).toEqual([]);
  timers.shift()?.();
  await catching.settled();
  timers.shift()?.();
  await catching.settled();

  expect(seen).toEqual(["looked", "seen", "seen"]);
});

test("the events that Slack held back are fetched when their minute is over, whatever was received meanwhile", async () => {
  const places = [{ namespace: "slack:T1:C1", thread: "channel" }];
  const { deps, calls, handed } = rig(places, () => [said("1700000130.000000")]);
  const timers: (() => void)[] = [];
  let now = 1_700_000_000_000;
  deps.clock.now = () => now;
  deps.clock.after = (_ms, callback) => {
    timers.push(callback);
    return () => void timers.splice(timers.indexOf(callback) >>> 0, 1);
  };
  // Other processes, or this one, have noted that they received everything.
  deps.intake.missed = async () => ({ seen: now, since: now, places });
  const catching = new SlackCatchUp(deps);
  const next = async (ms: number) => {
    now += ms;
    timers.shift()?.();
    await catching.settled();
  };
  catching.connected(never);
  await catching.settled();
  expect(calls).toEqual([]);

  const minute = now + 120_000;
  await next(150_000);
  catching.heldBack(minute);
  await next(10_000);
  expect(calls).toEqual([]);
  await next(60_000);
  expect(calls.map(({ channel }) => channel)).toEqual(["C1"]);
  expect(handed.map(({ key }) => key)).toEqual(["slack:T1:C1:1700000130.000000"]);
  await next(60_000);
  expect(calls).toHaveLength(1);
});

test.each([
  ["before the fetch has come to its thread", "6.0", ["6.0", "7.0"]],
  ["whose root was there before", "4.0", ["7.0"]],
])("a live message %s waits for what was missed there", async (_what, root, missed) => {
  const places = ["channel", root].map((thread) => ({ namespace: "slack:T1:C1", thread }));
  const held = Promise.withResolvers<never>();
  const inThread = { thread_ts: root };
  const { deps, handed } = rig(places, ({ method }) =>
    method === "history"
      ? []
      : [said(root), said("7.0", inThread), said("8.0", inThread), said("9.0", inThread)],
  );
  deps.intake.missed = async () => ({ seen: undefined, since: 5_000, places });
  // The fetch reads nothing yet.
  deps.leases = { ...deps.leases, acquire: () => held.promise };
  const catching = new SlackCatchUp(deps);
  const live = { id: "8.0", place: places[1], said_at: 8_000 } as ChatMessage;

  await catching.live.message(live);
  expect(handed.splice(0)).toEqual([live]);
  catching.connected(never);
  await catching.live.message(live);
  expect(handed.map(({ id }) => id)).toEqual([...missed, "8.0"]);

  catching.leave();
  await expect(catching.live.message(live)).rejects.toThrow("stopping");
});

test("one of several processes that connect fetches what was missed, and the others wait until it is done", async () => {
  const store = createMemoryKeyValue();
  const fetched = Promise.withResolvers<void>();
  let now = 5_000;
  let seen: number | undefined;
  const begin = (owner: string) => {
    const places = [{ namespace: "slack:T1:C1", thread: "channel" }];
    const { deps, calls } = rig(places, () => [said("6.0")]);
    const timers: (() => void)[] = [];
    deps.leases = createKeyValueLeases(store, owner);
    deps.clock.now = () => now;
    deps.clock.after = (_ms, callback) => {
      timers.push(callback);
      return () => {};
    };
    deps.intake.missed = async () => ({ seen, since: 0, places });
    deps.intake.message = () => fetched.promise;
    deps.intake.seen = async () => {
      seen = now;
    };
    const catching = new SlackCatchUp(deps);
    catching.connected(never);
    const minute = async () => {
      timers.shift()?.();
      await catching.settled();
    };
    return { calls, catching, minute };
  };
  const first = begin("first");
  await expect.poll(() => first.calls.length).toBe(1);
  const second = begin("second");
  await second.catching.settled();
  await second.minute();
  expect(seen).toBeUndefined();

  now = 6_000;
  fetched.resolve();
  await first.catching.settled();
  await second.minute();
  await second.minute();
  expect(seen).toBe(6_000);
  expect(second.calls).toEqual([]);
});

test("a fetch keeps its place for as long as it takes, and another process takes it soon after it was killed", async () => {
  const clock = createFakeClock();
  const store = createMemoryKeyValue();
  const hanging = new Promise<never>(() => {});
  const begin = (owner: string, lives: Clock, message = async () => {}) => {
    const { deps, calls } = rig([{ namespace: "slack:T1:C1", thread: "channel" }], () => [said("6.0")]);
    deps.leases = createKeyValueLeases(store, owner, clock);
    deps.clock = lives;
    deps.intake.message = message;
    const catching = new SlackCatchUp(deps);
    catching.connected(never);
    return calls;
  };
  let isKilled = false;
  // Nothing that is due runs in a process that was killed.
  const mortal = {
    ...clock,
    after: (ms: number, run: () => void) => clock.after(ms, () => isKilled || run()),
  };
  const first = begin("first", mortal, () => hanging);
  await expect.poll(() => first.length).toBe(1);
  const second = begin("second", clock);
  for (let tens = 0; tens < 30; tens += 1) await settledAfter(clock, 10_000);
  expect(second).toEqual([]);

  isKilled = true;
  for (let tens = 0; tens < 9; tens += 1) await settledAfter(clock, 10_000);
  expect(second).toHaveLength(1);
});

/** Time passes, and what is due has been done. */
async function settledAfter(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((done) => setImmediate(done));
}
