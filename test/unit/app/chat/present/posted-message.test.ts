import { describe, expect, it } from "vitest";
import { PostedMessage } from "../../../../../src/app/chat/present/posted-message.ts";
import type { PresentedTurn } from "../../../../../src/app/chat/present/presented-turn.ts";
import type { TurnEvent } from "../../../../../src/core/log/turn-event.ts";
import { type MessageTag, PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createRedactor } from "../../../../../src/core/values/redact.ts";
import { createFakeClock } from "../../../../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";

const place = { namespace: "fake:T1:C1", thread: "1" };
const to = { message: "1", person: "ada" };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const tag: MessageTag = { turn_id: "t1", purpose: "answer", part: 0 };
const author = { id: "ada", name: "Ada", trust: "member" } as const;

const unavailable = new PlatformError("unavailable", "It does not answer.");
const slowed = new PlatformError("rate_limited", "Slow down.", { retryAfterMs: 1_000 });
const gone = new PlatformError("gone", "It was deleted.");
const refused = new PlatformError("invalid", "It is malformed.");

interface Bench {
  platform: FakePlatform;
  message: PostedMessage;
  /** What was done on the platform since the message was in its state. */
  did(): string[];
  /** What is visible: text, or `…` of an open stream. */
  seen(): string[];
}

const states = {
  /** Nothing of it was ever posted. */
  absent: async () => bench(),
  /** Another worker died with it: it is not in the log and not there. */
  "maybe, not there": async () => bench({ resumed: true }),
  /** Another worker posted it and died before it was noted. */
  "maybe, there": async () => bench({ resumed: true, there: true }),
  /** The log knows it. */
  posted: async () => bench({ there: true, isNoted: true }),
  /** It grows in the platform's stream. */
  streaming: async () => {
    const made = await bench({ streams: true });
    await made.message.grow("One", { markdown: "One" });
    made.platform.calls.length = 0;
    return made;
  },
};

interface BenchOptions {
  resumed?: boolean;
  there?: boolean;
  isNoted?: boolean;
  streams?: boolean;
}

async function bench({
  resumed = false,
  there = false,
  isNoted = false,
  streams = false,
}: BenchOptions = {}): Promise<Bench> {
  const platform = createFakePlatform({ streams });
  const clock = createFakeClock();
  const turn: PresentedTurn = {
    ...{ turn_id: "t1", kind: "message", author, text: "Hi", place, to, platform, clock, resumed },
    redact: createRedactor([]),
    logger: silent,
    givenUp: new AbortController().signal,
    calls: new Set(),
    note() {},
  };
  const events: TurnEvent[] = [];
  if (there) {
    const reference = await platform.post(place, { tag, markdown: "Before" }, to);
    if (isNoted)
      events.push({
        turn_id: "t1",
        seq: 1,
        at: 1,
        type: "message_posted",
        purpose: "answer",
        part: 0,
        reference,
      });
  }
  const patient = { ...clock, sleep: async (ms: number) => clock.advance(ms) };
  const message = new PostedMessage({ ...turn, clock: patient }, events, { purpose: "answer", part: 0 });
  platform.calls.length = 0;
  return {
    platform,
    message,
    did: () => platform.calls.map(({ call }) => call),
    seen: () => platform.visible().map((each) => each.message.markdown),
  };
}

const acts = {
  show: (message: PostedMessage) => message.show({ markdown: "New" }),
  grow: (message: PostedMessage) => message.grow("One and two", { markdown: "One and two" }),
  publish: (message: PostedMessage) =>
    message.publish({ markdown: "New" }).then((published) => {
      if (!published.ok) throw published.error;
    }),
  finish: (message: PostedMessage) => message.finish({ markdown: "New" }),
  amend: (message: PostedMessage) => message.amend({ markdown: "New" }),
  adopt: (message: PostedMessage) => message.adopt(),
  takeAway: (message: PostedMessage) => message.takeAway(),
  drop: (message: PostedMessage) => message.drop(),
  leave: (message: PostedMessage) => message.leave(),
};

describe("a message of a turn, on a platform that does as it is told", () => {
  const rows: [keyof typeof states, keyof typeof acts, string[], string[]][] = [
    ["absent", "show", ["post"], ["New"]],
    ["absent", "grow", ["post"], ["One and two"]],
    ["absent", "publish", ["post"], ["New"]],
    ["absent", "finish", [], []],
    ["absent", "amend", [], []],
    ["absent", "adopt", [], []],
    ["absent", "takeAway", [], []],
    ["absent", "drop", [], []],
    ["absent", "leave", [], []],
    ["maybe, not there", "show", ["find", "post"], ["New"]],
    ["maybe, not there", "publish", ["find", "post"], ["New"]],
    ["maybe, not there", "adopt", ["find"], []],
    ["maybe, not there", "amend", [], []],
    ["maybe, there", "show", ["find", "edit"], ["New"]],
    ["maybe, there", "grow", ["find", "edit"], ["One and two"]],
    ["maybe, there", "publish", ["find", "edit"], ["New"]],
    ["maybe, there", "adopt", ["find"], ["Before"]],
    ["posted", "show", ["edit"], ["New"]],
    ["posted", "publish", ["edit"], ["New"]],
    ["posted", "finish", [], ["Before"]],
    ["posted", "amend", ["edit"], ["New"]],
    ["posted", "adopt", [], ["Before"]],
    // What another process showed is the answer so far: only `drop` takes it away.
    ["posted", "takeAway", [], ["Before"]],
    ["posted", "drop", ["remove"], []],
    ["posted", "leave", [], ["Before"]],
    ["streaming", "grow", ["append"], ["One and two"]],
    ["streaming", "finish", ["finish"], ["New"]],
    ["streaming", "takeAway", ["cancel"], []],
    ["streaming", "drop", ["cancel"], []],
    ["streaming", "leave", ["finish"], ["One"]],
  ];

  it.each(rows)(
    "a message on a working platform: %s, %s: %j, and then %j is there",
    async (state, act, calls, visible) => {
      const { message, did, seen } = await states[state]();
      await acts[act](message);
      expect(did()).toEqual(calls);
      expect(seen()).toEqual(visible);
    },
  );
});

describe("a message of a turn, on a platform that fails once", () => {
  const rows: [
    keyof typeof states,
    keyof typeof acts,
    Parameters<FakePlatform["fail"]>[0],
    PlatformError,
    { calls: string[]; seen: string[]; rejects?: true },
  ][] = [
    // Nobody knows whether it was posted: the next try looks first.
    ["absent", "publish", "post", unavailable, { calls: ["post", "find", "post"], seen: ["New"] }],
    ["absent", "publish", "post", slowed, { calls: ["post", "post"], seen: ["New"] }],
    ["absent", "publish", "post", refused, { calls: ["post", "post"], seen: ["New"] }],
    ["absent", "publish", "post", gone, { calls: ["post"], seen: [], rejects: true }],
    ["absent", "show", "post", unavailable, { calls: ["post"], seen: [], rejects: true }],
    ["absent", "show", "post", slowed, { calls: ["post"], seen: [], rejects: true }],
    ["maybe, there", "publish", "find", unavailable, { calls: ["find", "find", "edit"], seen: ["New"] }],
    ["maybe, there", "show", "find", unavailable, { calls: ["find"], seen: ["Before"], rejects: true }],
    ["maybe, there", "adopt", "find", unavailable, { calls: ["find"], seen: ["Before"], rejects: true }],
    ["posted", "publish", "edit", unavailable, { calls: ["edit", "edit"], seen: ["New"] }],
    ["posted", "amend", "edit", unavailable, { calls: ["edit"], seen: ["Before"], rejects: true }],
    // What the platform keeps is no longer this message, and void words are not an error of the turn.
    ["posted", "drop", "remove", unavailable, { calls: ["remove"], seen: ["Before"] }],
    ["streaming", "grow", "append", slowed, { calls: ["append"], seen: ["One"], rejects: true }],
    ["streaming", "grow", "append", unavailable, { calls: ["append", "edit"], seen: ["One and two"] }],
    ["streaming", "finish", "finish", slowed, { calls: ["finish", "finish"], seen: ["New"] }],
    ["streaming", "finish", "finish", unavailable, { calls: ["finish"], seen: ["One"] }],
    ["streaming", "takeAway", "cancel", unavailable, { calls: ["cancel"], seen: ["One"] }],
  ];

  it.each(rows)(
    "a message on a platform that fails once: %s, %s while %s fails: $code",
    async (state, act, call, error, expected) => {
      const { message, platform, did, seen } = await states[state]();
      platform.fail(call, error);
      const done = acts[act](message);
      if (expected.rejects) await expect(done).rejects.toBe(error);
      else await done;
      expect(did()).toEqual(expected.calls);
      expect(seen()).toEqual(expected.seen);
    },
  );
});

describe("a message that was deleted by a person", () => {
  it("a message that a person deleted is posted again when it is shown next", async () => {
    const { message, platform, did, seen } = await states.posted();
    await platform.remove(place, "m1");
    platform.calls.length = 0;
    await message.show({ markdown: "New" });
    expect(did()).toEqual(["edit", "find", "post"]);
    expect(seen()).toEqual(["New"]);
  });

  it("a message that a person deleted is found when a later one was posted but not recorded", async () => {
    const { message, platform, did, seen } = await states.posted();
    await platform.remove(place, "m1");
    await platform.post(place, { tag, markdown: "Later" }, to);
    platform.calls.length = 0;
    await message.show({ markdown: "New" });
    expect(did()).toEqual(["edit", "find", "edit"]);
    expect(seen()).toEqual(["New"]);
  });
});

describe("a message that is shown over and over", () => {
  it("a message that is shown again unchanged is written once", async () => {
    const { message, did } = await states.absent();
    await message.show({ markdown: "New" });
    await message.show({ markdown: "New" });
    expect(did()).toEqual(["post"]);
  });

  it("a message is not posted twice when the first post arrived without an answer", async () => {
    const { message, platform, seen } = await states.absent();
    platform.fail("post", unavailable, { after: true });
    await acts.publish(message);
    expect(seen()).toEqual(["New"]);
  });

  it("a message is taken away if this process showed it, and can be shown again", async () => {
    const { message, seen } = await states.absent();
    await message.show({ markdown: "New" });
    await message.takeAway();
    expect(seen()).toEqual([]);
    await message.show({ markdown: "New" });
    expect(seen()).toEqual(["New"]);
  });

  it("a message keeps its place when the platform would not take it away", async () => {
    const { message, platform, seen } = await states.streaming();
    platform.fail("cancel", unavailable);
    await message.takeAway();
    await message.show({ markdown: "New" });
    expect(seen()).toEqual(["New"]);
  });

  it("a message is edited after a stream that could not be opened and may exist", async () => {
    const { message, platform, did, seen } = await bench({ streams: true });
    platform.fail("openStream", unavailable, { after: true });
    await message.grow("One", { markdown: "One" });
    expect(did()).toEqual(["openStream", "find", "edit"]);
    expect(seen()).toEqual(["One"]);
  });
});
