import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import type { Wish } from "../../../../src/core/ports/schedules.ts";
import { ann, channel, createScheduleWorld, hour, minute } from "../../../support/skills/schedule-world.ts";

const daily: Wish = { what: "task", text: "post what is open", cron: ["0 9 * * 1-5"] };
const day = 24 * hour;

describe("who made it", () => {
  it("the maker of a schedule is looked up when it runs, with the rights of that time [plan-2]", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily, { author: { ...ann, trust: "operator" } });
    world.platform.people.set("ann", { name: "Ann", trust: "manager" });
    await bot.pass(23 * hour);
    expect([...world.taken.values()][0]?.author.trust).toBe("manager");
  });

  it.each<[string, (world: ReturnType<typeof createScheduleWorld>) => void, RegExp]>([
    [
      "has left",
      ({ platform }) =>
        platform.fail("person", new PlatformError("gone", "Ann is not there any more."), { times: 9 }),
      /not there any more/,
    ],
    ["is a guest now", ({ platform }) => void platform.people.set("ann", { trust: "guest" }), /Guests/],
    [
      "may not use the bot any more",
      ({ platform }) => void platform.people.set("ann", { standing: "bot" }),
      /do not answer bots/,
    ],
    [
      "is in an archived channel",
      ({ platform }) =>
        void Object.assign(platform, {
          actions: { access: async () => ({ namespace: "", name: "", open: true, write: false }) },
        }),
      /no longer write/,
    ],
    [
      "is in a channel without the bot",
      ({ platform }) => void Object.assign(platform, { actions: { access: async () => undefined } }),
      /no longer read/,
    ],
  ])("a schedule whose maker %s is paused, which is reported once", async (_name, change, because) => {
    const world = createScheduleWorld();
    const bot = world.start();
    const { id } = await bot.make(daily);
    change(world);
    await bot.pass(4 * day);
    expect([...world.taken.values()].map(({ cause }) => cause?.says)).toEqual([
      expect.stringMatching(because),
    ]);
    expect(await bot.service.list(channel.namespace, ann)).toMatchObject([
      { id, paused: expect.stringMatching(because), next: [] },
    ]);
  });

  it("a schedule whose maker cannot be looked up runs when the platform is back", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily);
    world.platform.fail("person", new PlatformError("unavailable", "away"), { times: 3 });
    await bot.pass(22 * hour);
    expect(world.taken.size).toBe(0);
    await bot.pass(20 * minute);
    expect(world.taken.size).toBe(1);
  });

  it("only its maker and managers may change a schedule", async () => {
    const { service, ...bot } = createScheduleWorld().start();
    const { id } = await bot.make(daily);
    const by = (name: string, trust: "member" | "manager") => ({
      author: { id: name, name, trust },
      place: channel,
    });
    expect(await service.change(by("ben", "member"), id, "remove")).toMatchObject({ ok: false, status: 403 });
    expect(
      await service.change(
        { ...by("ann", "member"), place: { ...channel, namespace: "fake:T1:other" } },
        id,
        "remove",
      ),
    ).toMatchObject({ status: 404 });
    expect(await service.change(by("cleo", "manager"), id, "pause")).toMatchObject({
      ok: true,
      value: { paused: "cleo paused it." },
    });
    expect(await service.change(by("ann", "member"), id, "remove")).toMatchObject({ ok: true });
    expect(await service.list(channel.namespace, ann)).toEqual([]);
  });
});
