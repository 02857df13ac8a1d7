import { describe, expect, it } from "vitest";
import { updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import type { TestAppOptions } from "../../../../support/test-app.ts";
import { channel, createIntake } from "./fixture.ts";

/** Two processes that hear of one platform, on one store and one log. */
function createProcesses(options: TestAppOptions = {}) {
  const shared = {
    platform: createFakePlatform(),
    store: createMemoryKeyValue(),
    log: createMemoryTurnLog(),
  };
  const model = scriptedModel(["Done."]);
  const start = () => createIntake({ model, ...shared, ...options });
  return { one: start(), other: start(), platform: shared.platform };
}

describe("a message that two processes hear at once", () => {
  it.each([
    ["a refused person", { access: { users: ["cleo"] } }, "please", /Only some people/],
    ["an empty mention", {}, " ", /Write your question/],
    ["a message that is too long", {}, "x".repeat(2_000_001), /at most 2000000/],
  ] as const)("%s is told why once", async (_what, chat, text, reason) => {
    const { one, other } = createProcesses({ chat });
    const message = one.mention(text, { author: "ben" });
    await Promise.all([one, other].map(({ intake }) => intake.message(message)));
    expect(await one.asked()).toEqual([]);
    expect(one.told("ben")).toEqual([expect.stringMatching(reason)]);
  });

  it("a refused command is told why once, and the next one again", async () => {
    const { one, other } = createProcesses({ chat: { access: { users: ["cleo"] } } });
    const command = { place: { namespace: channel, thread: "c" }, author: "ben", text: "/skill list" };
    const give = (id: string) => {
      const given = { ...command, key: id, id, said_at: Date.now() };
      return Promise.all([one, other].map(({ intake }) => intake.command(given)));
    };
    await give("c1");
    expect(one.told("ben")).toHaveLength(1);
    await give("c2");
    expect(one.told("ben")).toHaveLength(2);
  });

  it("a message is taken once, and its twin is not told of the cooldown", async () => {
    const { one, other, platform } = createProcesses({ chat: { access: { cooldown_ms: 30_000 } } });
    const message = one.mention("one", { author: "ben" });
    await Promise.all([one, other].map(({ intake }) => intake.message(message)));
    const turn = await one.turnOf(message);
    // Each hears of the turns that it runs itself.
    await Promise.any([one, other].map(({ events }) => events(turn)));
    await other.intake.message(message);
    expect(await one.asked()).toEqual(["one"]);
    expect(one.told("ben")).toEqual([]);
    expect(platform.shown.filter(({ message: { tag } }) => tag?.purpose === "answer")).toHaveLength(1);
  });
});

it("the cooldown and a pause hold for the messages that another process hears", async () => {
  const { one, other } = createProcesses({ chat: { access: { cooldown_ms: 30_000 } } });
  const first = one.mention("one");
  await one.intake.message(first);
  await one.events(await one.turnOf(first));
  await other.intake.message(other.mention("two", { id: "second" }));
  expect(await one.asked()).toEqual(["one"]);
  expect(one.told("ada")).toEqual([expect.stringMatching(/ask again in \d+ seconds/)]);

  const paused = createProcesses();
  await updateNamespace(paused.one.store, channel, ({ settings }) => {
    settings.paused = { by: "cleo", at: 1 };
  });
  await paused.one.intake.message(paused.one.mention("one", { id: "m1" }));
  await paused.other.intake.message(paused.other.mention("two", { id: "m2" }));
  expect(paused.one.told("ada")).toHaveLength(1);
});

it("a mark that comes later than the answer of another process is removed again", async () => {
  const { one, platform } = createProcesses();
  const answered = Promise.withResolvers<void>();
  const marks: boolean[] = [];
  platform.markSeen = async (_place, _id, seen) => {
    if (seen) await answered.promise;
    marks.push(seen);
  };
  const message = one.mention("one");
  await one.intake.message(message);
  await one.events(await one.turnOf(message));
  answered.resolve();
  await expect.poll(() => marks).toEqual([false, true, false]);
});

it("each part of a platform is caught up with from when a process last heard it", async () => {
  const { one, other } = createProcesses();
  const start = Date.now();
  expect(await one.intake.missed("fake", ["a"])).toMatchObject({ seen: undefined });
  await one.intake.seen("fake", ["a", "b"]);
  other.pass(3_600_000);
  await other.intake.seen("fake", ["b"]);

  const [a, b, both, never] = await Promise.all(
    [["a"], ["b"], ["a", "b"], ["c"]].map((parts) => other.intake.missed("fake", parts)),
  );
  const hour = start + 3_600_000;
  expect(a?.seen).toBeLessThan(hour);
  expect(b?.seen).toBeGreaterThanOrEqual(hour);
  expect(both).toEqual(a);
  expect(never).toEqual(b);
  expect((await other.intake.missed("fake")).seen).toBe(b?.seen);
});
