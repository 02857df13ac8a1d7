import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TriggerCondition } from "../../../../src/core/schedule.ts";
import { ann, channel, createScheduleWorld, hour, minute } from "../../../support/schedule-world.ts";

type World = ReturnType<typeof createScheduleWorld>;

async function withTrigger(condition: TriggerCondition, world = createScheduleWorld()) {
  const bot = world.start();
  const view = await bot.make({ what: "trigger", text: "say who is on call", condition });
  let count = 0;
  const heard = (text: string, more: object = {}) => {
    count += 1;
    return bot.service.watch.heard({
      ...{
        key: `m${count}`,
        place: { ...channel, thread: `${count}.0` },
        author: "ben",
        by_bot: false,
        text,
      },
      ...{ said_at: world.clock.now(), addressed: "none", in_thread: false, ...more },
    });
  };
  return { ...bot, world, view, heard, taken: () => [...world.taken.values()] };
}

const onWords: TriggerCondition = { on: "message", words: '"deploy failed"' };

describe("a message that matches", () => {
  it("begins a turn in its thread, as the maker, with what happened as data", async () => {
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
          caused_by: "ben",
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
  ])("%s begins nothing", async (_name, more) => {
    const { heard, pass, taken, world } = await withTrigger(onWords);
    world.platform.people.set("rob", { standing: "bot" });
    await heard("deploy failed", more);
    await pass(5 * minute);
    expect(taken()).toEqual([]);
  });

  it("counts once, however often it is delivered or edited", async () => {
    const { heard, pass, taken } = await withTrigger(onWords);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await heard("deploy failed", { key: "same", edited_at: delivery });
      await pass(2 * minute);
    }
    expect(taken()).toHaveLength(1);
  });

  it("begins one turn a minute at most; what comes meanwhile waits, and what is too much is counted", async () => {
    const { heard, pass, taken } = await withTrigger(onWords);
    await heard("deploy failed: first");
    await pass(0);
    for (let more = 0; more < 30; more += 1)
      await heard(`deploy failed: ${more}`, { place: { ...channel, thread: "t" } });
    await pass(30_000);
    expect(taken()).toHaveLength(1);
    await pass(31_000);
    expect(taken()).toHaveLength(2);
    expect(taken()[1]?.cause?.happened).toMatch(/deploy failed: 0.*deploy failed: 3.*26 more times/s);
    await pass(hour);
    expect(taken()).toHaveLength(2);
  });

  it("waits while too many of its turns run", async () => {
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
  ] as const)("of a %s caused by a %s runs as a %s", async (maker, causer, trust) => {
    const { heard, pass, taken, world } = await withTrigger(onWords);
    world.platform.people.set("ann", { trust: maker });
    world.platform.people.set("ben", { trust: causer });
    await heard("deploy failed");
    await pass(0);
    expect(taken()).toMatchObject([{ author: { id: "ann", trust } }]);
  });

  it("begins nothing while it is paused, and that is not made up for", async () => {
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
  const withText = () => {
    const world = createScheduleWorld();
    const message = { author: { name: "Cleo" }, text: "The invoice bug is back", link: "https://x" };
    Object.assign(world.platform, {
      actions: { access: async () => ({ write: true }), message: async () => message },
    });
    return world;
  };

  it("begins a turn that is told the message", async () => {
    const trigger = await withTrigger({ on: "reaction", emoji: "eyes 👀" }, withText());
    await react(trigger, { emoji: "👀" });
    await trigger.pass(0);
    expect(trigger.taken()).toMatchObject([
      {
        thread: "7.7",
        cause: { happened: expect.stringMatching(/reaction 👀.*by Cleo.*The invoice bug is back/s) },
      },
    ]);
  });

  it.each([
    ["that is taken away", { added: false }],
    ["of another kind", { emoji: "tada" }],
    ["of somebody else than asked for", { person: "cleo" }],
    ["of the bot itself", { person: "knack" }],
  ])("%s begins nothing", async (_name, more) => {
    const by = "person" in more && more.person === "knack" ? {} : { by: "ben" };
    const trigger = await withTrigger({ on: "reaction", emoji: "eyes", ...by }, withText());
    trigger.world.platform.people.set("knack", { standing: "bot" });
    await react(trigger, more);
    await trigger.pass(5 * minute);
    expect(trigger.taken()).toEqual([]);
  });
});

describe("a thread without an answer", () => {
  it("begins a turn there after its time, once", async () => {
    const { heard, pass, taken } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("has anybody seen the keys?");
    await pass(hour);
    expect(taken()).toEqual([]);
    await pass(3 * hour);
    expect(taken()).toMatchObject([
      { thread: "1.0", cause: { happened: expect.stringContaining("seen the keys") } },
    ]);
  });

  it("is left alone when somebody else answers, and not when the same person goes on", async () => {
    const { heard, pass, taken } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("first question");
    await heard("second question");
    await heard("here they are", { in_thread: true, place: { ...channel, thread: "1.0" }, author: "cleo" });
    await heard("anybody?", { in_thread: true, place: { ...channel, thread: "2.0" } });
    await pass(3 * hour);
    expect(taken().map(({ thread }) => thread)).toEqual(["2.0"]);
  });

  it("is watched here and once, where it was asked for in it", async () => {
    const { pass, taken, service, heard } = await withTrigger({ on: "quiet", hours: 2, here: true });
    await heard("another thread");
    await pass(3 * hour);
    expect(taken()).toMatchObject([{ thread: channel.thread }]);
    expect(await service.list(channel.namespace, ann)).toEqual([]);
  });

  it("is not watched any more when its trigger is gone", async () => {
    const { pass, taken, service, heard, view } = await withTrigger({ on: "quiet", hours: 2, here: false });
    await heard("a question");
    await service.change({ author: ann, place: channel }, view.id, "remove");
    await pass(3 * hour);
    expect(taken()).toEqual([]);
  });
});

describe("a webhook", () => {
  const secretOf = (world: World) =>
    /```\n(.+)\n```/.exec(
      world.platform.shown.findLast(({ only_for }) => only_for === "ann")?.message.markdown ?? "",
    )?.[1] ?? "";
  const request = (id: string, headers: Record<string, string>, body = '{"failed":"unit tests"}') => ({
    id,
    header: (name: string) => headers[name],
    body: new TextEncoder().encode(body),
  });
  const signed = (secret: string, at: number, body = '{"failed":"unit tests"}') => {
    const timestamp = String(Math.floor(at / 1000));
    const signature = createHmac("sha256", secret).update(`v1:${timestamp}:${body}`).digest("hex");
    return { "x-knack-timestamp": timestamp, "x-knack-signature": `v1=${signature}` };
  };

  it("tells its secret to its maker alone, and begins a turn in the channel itself", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    expect(view.address).toBe(`https://knack.example.com/hooks/${view.id}`);
    const secret = secretOf(world);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify(await world.due.list({}))).not.toContain(secret);
    expect(await service.hooks.take(request(view.id, signed(secret, world.clock.now())))).toBe("taken");
    await pass(0);
    expect(taken()).toMatchObject([
      {
        thread: `trigger.${view.id}`,
        cause: { in_channel: true, happened: expect.stringContaining("unit tests") },
      },
    ]);
  });

  it("takes the secret itself, too, and the same delivery once", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}`, "idempotency-key": "run 7" };
    expect(await service.hooks.take(request(view.id, headers))).toBe("taken");
    expect(await service.hooks.take(request(view.id, headers))).toBe("known");
    await pass(5 * minute);
    expect(taken()).toHaveLength(1);
  });

  it("is unknown to whoever has not signed it, and one that is not there answers alike", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const [secret, now] = [secretOf(world), world.clock.now()];
    const good = signed(secret, now);
    for (const [id, headers, body] of [
      [view.id, {}, undefined],
      [view.id, { authorization: "Bearer wrong" }, undefined],
      [view.id, { authorization: "Bearer " }, undefined],
      [view.id, signed("wrong", now), undefined],
      [view.id, signed(secret, now - 6 * minute), undefined],
      [view.id, { ...good, "x-knack-timestamp": "1" }, undefined],
      [view.id, good, "another body"],
      ["nothing", good, undefined],
      ["", good, undefined],
    ] as const)
      expect(await service.hooks.take(request(id, headers, body))).toBe("unknown");
  });

  it("has one secret: a new one ends the one before, and only its maker gets it", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const before = secretOf(world);
    const ben = { author: { ...ann, id: "ben" }, place: channel };
    expect(await service.newSecret(ben, view.id)).toMatchObject({ ok: false, status: 403 });
    await service.newSecret({ author: ann, place: channel }, view.id);
    const bearer = (secret: string) => request(view.id, { authorization: `Bearer ${secret}` });
    expect(await service.hooks.take(bearer(before))).toBe("unknown");
    expect(await service.hooks.take(bearer(secretOf(world)))).toBe("taken");
  });

  it("is flooded: what is too much is counted and said", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}` };
    const answers = [];
    for (let call = 0; call < 10; call += 1)
      answers.push(await service.hooks.take(request(view.id, headers, `${call}`)));
    expect(answers.filter((answer) => answer === "flooded")).toHaveLength(6);
    await pass(0);
    expect(taken()).toHaveLength(1);
    expect(taken()[0]?.cause?.happened).toMatch(/6 more times/);
  });

  it("takes any body, cut to what a model is told", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}` };
    await service.hooks.take(request(view.id, headers, `\u0000\u0001"\\${'"'.repeat(99_000)}`));
    await service.hooks.take({
      id: view.id,
      header: (name) => (headers as never)[name],
      body: new Uint8Array([255, 254, 0]),
    });
    await service.hooks.take(request(view.id, headers, ""));
    await pass(0);
    expect(taken()[0]?.cause?.happened).toMatch(/characters more.*an empty request/s);
    expect(taken()[0]?.cause?.happened?.length).toBeLessThan(20_000);
  });
});
