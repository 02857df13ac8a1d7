import { describe, expect, it } from "vitest";
import type { TriggerCondition } from "../../../../src/core/ports/schedules.ts";
import { ann, channel, createScheduleWorld, hour, minute } from "../../../support/skills/schedule-world.ts";
import { withTrigger } from "./with-trigger.ts";

const onWords: TriggerCondition = { on: "message", words: '"deploy failed"' };

describe("a message that matches", () => {
  it("a matching message begins a turn in its thread, as the maker, with the event as data", async () => {
    const { heard, pass, taken, view } = await withTrigger(onWords);
    await heard("the deploy failed again, see https://evil.example");
    await heard("nothing to see");
    await pass(0);
    expect(taken()).toMatchObject([
      {
        ...{ namespace: channel.namespace, thread: "1.0", text: "say who is on call", author: { id: "ann" } },
        cause: {
          kind: "trigger",
          id: view.id,
          caused_by: ["ben"],
          happened: expect.stringContaining("deploy failed again"),
        },
      },
    ]);
  });

  it.each([
    ["of a bot", { by_bot: true }],
    ["that is said to the bot", { addressed: "mention" }],
    ["of yesterday", { said_at: 0 }],
    ["of another channel", { place: { namespace: "fake:T1:other", thread: "9.9" } }],
    ["of somebody who may not use the bot", { author: "rob" }],
  ])("a matching message %s begins nothing", async (_name, more) => {
    const { heard, pass, taken, world } = await withTrigger(onWords);
    world.platform.people.set("rob", { standing: "bot" });
    await heard("deploy failed", more);
    await pass(5 * minute);
    expect(taken()).toEqual([]);
  });

  it("a matching message counts once, however often it is delivered or edited", async () => {
    const { heard, pass, taken } = await withTrigger(onWords);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await heard("deploy failed", { key: "same", edited_at: delivery });
      await pass(2 * minute);
    }
    expect(taken()).toHaveLength(1);
  });

  it("a trigger begins at most one turn a minute; further messages wait, and excess ones are counted", async () => {
    const { heard, pass, taken } = await withTrigger(onWords);
    await heard("deploy failed: first");
    await pass(0);
    for (let more = 0; more < 130; more += 1)
      await heard(`deploy failed: ${more}`, { place: { ...channel, thread: "t" } });
    await pass(30_000);
    expect(taken()).toHaveLength(1);
    await pass(31_000);
    expect(taken()).toHaveLength(2);
    expect(taken()[1]?.cause?.happened).toMatch(/deploy failed: 0.*deploy failed: 49.*30 more times/s);
    await pass(hour);
    expect(taken()).toHaveLength(3);
    expect(taken()[2]?.cause?.happened).toMatch(/deploy failed: 50.*deploy failed: 99/s);
  });

  it("a triggered turn names everybody who caused it", async () => {
    const { heard, pass, taken } = await withTrigger(onWords);
    const place = { ...channel, thread: "t" };
    for (const author of ["ann", "ben", "cleo", "ben"]) await heard("deploy failed", { place, author });
    await pass(0);
    expect(taken()[0]?.cause?.caused_by).toEqual(["ben", "cleo"]);
  });

  it("a trigger waits while too many of its turns run", async () => {
    const { heard, pass, taken, world } = await withTrigger(onWords);
    for (let start = 0; start < 4; start += 1) {
      await heard("deploy failed");
      await pass(2 * minute);
      for (const key of world.taken.keys()) world.open.add(key);
    }
    expect(taken()).toHaveLength(3);
    world.open.clear();
    await pass(2 * minute);
    expect(taken()).toHaveLength(4);
  });

  it.each([
    ["manager", "member", "member"],
    ["member", "manager", "member"],
    ["member", "guest", "guest"],
  ] as const)("the trigger of a %s caused by a %s runs as a %s", async (maker, causer, trust) => {
    const { heard, pass, taken, world } = await withTrigger(onWords);
    world.platform.people.set("ann", { trust: maker });
    world.platform.people.set("ben", { trust: causer });
    await heard("deploy failed");
    await pass(0);
    expect(taken()).toMatchObject([{ author: { id: "ann", trust } }]);
  });

  it("a paused trigger begins nothing, and that is not made up for", async () => {
    const { heard, pass, taken, service, view } = await withTrigger(onWords);
    const me = { author: ann, place: channel };
    await service.change(me, view.id, "pause");
    await heard("deploy failed");
    await service.change(me, view.id, "resume");
    await pass(5 * minute);
    expect(taken()).toEqual([]);
  });
});

describe("a reaction", () => {
  const react = ({ service, world }: Awaited<ReturnType<typeof withTrigger>>, more: object = {}) =>
    service.watch.reacted({
      ...{ place: { ...channel, thread: "7.7" }, reference: "r1", person: "ben", emoji: "eyes", added: true },
      ...{ at: world.clock.now(), key: "x1", ...more },
    });
  const withText = (more: { thread?: string } = {}) => {
    const world = createScheduleWorld();
    const said = { author: { name: "Cleo" }, text: "The invoice bug is back", link: "https://x" };
    const message = { ...said, ...more };
    Object.assign(world.platform, {
      actions: { access: async () => ({ write: true }), message: async () => message },
    });
    return world;
  };

  it.each(["eyes", "👀", ":eyes:", "tada 👀"])(
    "a reaction begins a turn that is told the message: %s",
    async (emoji) => {
      const trigger = await withTrigger({ on: "reaction", emoji }, withText());
      await react(trigger, { emoji: "👀" });
      await trigger.pass(0);
      expect(trigger.taken()).toMatchObject([
        {
          thread: "7.7",
          cause: { happened: expect.stringMatching(/reaction 👀.*by "Cleo".*The invoice bug is back/s) },
        },
      ]);
    },
  );

  it("a reaction to a reply begins a turn in the thread of the reply", async () => {
    const trigger = await withTrigger({ on: "reaction", emoji: "eyes" }, withText({ thread: "5.5" }));
    await react(trigger);
    await trigger.pass(0);
    expect(trigger.taken()).toMatchObject([{ thread: "5.5" }]);
  });

  it.each([
    ["that is taken away", { added: false }],
    ["of another kind", { emoji: "tada" }],
    ["of somebody else than asked for", { person: "cleo" }],
    ["of the bot itself", { person: "knack" }],
  ])("a reaction %s begins nothing", async (_name, more) => {
    const by = "person" in more && more.person === "knack" ? {} : { by: "ben" };
    const trigger = await withTrigger({ on: "reaction", emoji: "eyes", ...by }, withText());
    trigger.world.platform.people.set("knack", { standing: "bot" });
    await react(trigger, more);
    await trigger.pass(5 * minute);
    expect(trigger.taken()).toEqual([]);
  });
});

describe("a thread without an answer", () => {
  it("a thread without an answer begins a turn there after its time, once", async () => {
    const { heard, pass, taken } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("has anybody seen the keys?");
    await pass(hour);
    expect(taken()).toEqual([]);
    await pass(3 * hour);
    expect(taken()).toMatchObject([
      { thread: "1.0", cause: { happened: expect.stringContaining("seen the keys") } },
    ]);
  });

  it("a thread is left alone when somebody else answers, but not when the same person continues", async () => {
    const { heard, pass, taken } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("first question");
    await heard("second question");
    await heard("here they are", { in_thread: true, place: { ...channel, thread: "1.0" }, author: "cleo" });
    await heard("anybody?", { in_thread: true, place: { ...channel, thread: "2.0" } });
    await pass(3 * hour);
    expect(taken().map(({ thread }) => thread)).toEqual(["2.0"]);
  });

  it("a thread is watched only there and once if the trigger was made in it", async () => {
    const { pass, taken, service, heard } = await withTrigger({ on: "quiet", hours: 2, here: true });
    await heard("another thread");
    await pass(3 * hour);
    expect(taken()).toMatchObject([{ thread: channel.thread }]);
    expect(await service.list(channel.namespace, ann)).toEqual([]);
  });

  it("a thread is no longer watched when its trigger is gone", async () => {
    const { pass, taken, service, heard, view } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("a question");
    await service.change({ author: ann, place: channel }, view.id, "remove");
    await pass(3 * hour);
    expect(taken()).toEqual([]);
  });
});

describe("where only what is said to the bot is heard", () => {
  it.each<[string, TriggerCondition, boolean]>([
    ["messages", onWords, false],
    ["reactions", { on: "reaction", emoji: "eyes" }, false],
    ["threads without an answer", { on: "quiet", hours: 2, here: false }, false],
    ["this thread without an answer", { on: "quiet", hours: 2, here: true }, true],
    ["a webhook", { on: "webhook" }, true],
  ])(
    "a trigger on %s is made only if it can begin where the bot hears only what is said to it",
    async (_name, condition, isMade) => {
      const { service } = createScheduleWorld({ platform: false }).start();
      const wish = { what: "trigger", text: "say who is on call", condition } as const;
      const plan = await service.plan(
        { author: ann, place: { ...channel, namespace: "console:local:general" } },
        wish,
      );
      expect(plan.ok).toBe(isMade);
      if (!plan.ok) expect(plan.message).toContain("Use a schedule, a webhook");
    },
  );
});
