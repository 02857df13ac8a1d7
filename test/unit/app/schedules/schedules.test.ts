import { describe, expect, it } from "vitest";
import type { Wish } from "../../../../src/core/ports/schedules.ts";
import { updateNamespace } from "../../../../src/core/skill/namespace-state.ts";
import {
  ann,
  channel,
  createScheduleWorld,
  hour,
  minute,
  wednesday,
} from "../../../support/skills/schedule-world.ts";

const reminder: Wish = { what: "reminder", text: "the invoice", at: "2026-11-26T09:00" };
const daily: Wish = { what: "task", text: "post what is open", cron: ["0 9 * * 1-5"] };
const day = 24 * hour;

const refusalOf = async (wish: Wish, who = ann, world = createScheduleWorld()) => {
  const plan = await world.start().service.plan({ author: who, place: channel }, wish);
  return plan.ok ? "" : plan.message;
};

describe("a reminder", () => {
  it("a reminder is said once at its time, as its maker's, and is then gone", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    const made = await bot.make(reminder);
    expect(made.next).toEqual(["Thu 2026-11-26 09:00 Europe/Berlin"]);
    await bot.pass(21 * hour);
    expect(world.taken.size).toBe(0);
    await bot.pass(2 * hour);
    expect([...world.taken.values()]).toMatchObject([
      {
        ...channel,
        author: { id: "ann", trust: "member" },
        cause: { kind: "schedule", id: made.id, says: "⏰ the invoice" },
        origin: { said_at: wednesday + 22 * hour },
      },
    ]);
    expect(await bot.service.list(channel.namespace, ann)).toEqual([]);
  });

  it("a reminder is said late when the bot was down, and says so", async () => {
    const world = createScheduleWorld();
    await world.start().make(reminder);
    world.clock.jump(2 * day);
    await world.start().pass(0);
    const [said] = world.taken.values();
    expect(said?.cause?.says).toMatch(/the invoice.*late.*Thu 2026-11-26 09:00/s);
  });

  it("a single reminder for oneself needs no approval; repeats and tasks do [plan-1]", async () => {
    const { service } = createScheduleWorld().start();
    const asks = async (wish: Wish) => {
      const plan = await service.plan({ author: ann, place: channel }, wish);
      return plan.ok && plan.value;
    };
    expect(await asks(reminder)).toMatchObject({ asks: false });
    expect(await asks({ ...reminder, at: undefined, cron: ["0 9 * * *"] })).toMatchObject({ asks: true });
    expect(await asks({ ...reminder, what: "task" })).toMatchObject({ asks: true });
    expect(await asks(daily)).toMatchObject({
      asks: true,
      question: expect.stringMatching(/every weekday at 09:00 \(Europe\/Berlin\).*Thu 2026-11-26.*Fri.*Mon/),
    });
  });
});

describe("what repeats", () => {
  it("a repeating task runs at each of its times in the channel, over a weekend and a clock change", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    const { id } = await bot.make(daily);
    await bot.pass(6 * day);
    const runs = [...world.taken.values()];
    expect(runs.map(({ origin }) => new Date(origin?.said_at ?? 0).toISOString().slice(5, 16))).toEqual([
      "11-26T08:00",
      "11-27T08:00",
      "11-30T08:00",
      "12-01T08:00",
    ]);
    expect(runs[0]).toMatchObject({ thread: `schedule.${id}`, cause: { in_channel: true } });
  });

  it.each([
    ["0 9 * * 1#1", "on Mon 2026-12-07 09:00, Mon 2027-01-04 09:00, Mon 2027-02-01 09:00 and so on"],
    ["@daily", "on Thu 2026-11-26 00:00, Fri 2026-11-27 00:00, Sat 2026-11-28 00:00 and so on"],
    ["*/20 9 * * *", "on Thu 2026-11-26 09:00, Thu 2026-11-26 09:20, Thu 2026-11-26 09:40 and so on"],
  ])("a repeating task is shown by its next times where words fail: %s", async (cron, times) => {
    const { when } = await createScheduleWorld()
      .start()
      .make({ ...daily, cron: [cron] });
    expect(when).toBe(`${times}, cron ${cron} (Europe/Berlin)`);
  });

  it("a repeating task keeps its time of day when the clock changes", async () => {
    const world = createScheduleWorld();
    world.clock.jump(Date.parse("2026-03-28T00:00Z") - wednesday);
    const bot = world.start();
    await bot.make({ ...daily, cron: ["30 2 * * *"] });
    await bot.pass(3 * day - 1);
    expect(
      [...world.taken.values()].map(({ origin }) =>
        new Date(origin?.said_at ?? 0).toISOString().slice(5, 16),
      ),
    ).toEqual(["03-28T01:30", "03-29T01:00", "03-30T00:30"]);
  });

  it("a repeating task does the latest missed run if it is recent, and reports the rest", async () => {
    const world = createScheduleWorld();
    await world.start().make({ ...daily, cron: ["0 * * * *"] });
    world.clock.jump(5 * hour + 20 * minute);
    await world.start().pass(0);
    expect([...world.taken.values()].map(({ text, cause }) => [text, cause?.says])).toEqual([
      ["post what is open", undefined],
    ]);
    expect([...world.taken.values()][0]?.cause?.because).toMatch(
      /late, planned for Wed 2026-11-25 16:00, 4 earlier times were missed/,
    );
  });

  it("a repeating task that is too late is not run but reported, with its next time", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily);
    world.clock.jump(day + 3 * hour);
    await bot.pass(0);
    expect([...world.taken.values()].map(({ cause }) => cause?.says)).toEqual([
      expect.stringMatching(/not running at Thu 2026-11-26 09:00.*not done.*Next: Fri 2026-11-27 09:00/),
    ]);
    await bot.pass(day);
    expect(world.taken.size).toBe(2);
  });

  it("a repeating task runs nothing twice when the clock is set back", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily);
    await bot.pass(23 * hour);
    world.clock.jump(-2 * hour);
    await bot.pass(3 * hour);
    expect(world.taken.size).toBe(1);
  });

  it("a repeating task notices within a minute that the clock was set forward", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily);
    await bot.pass(0);
    world.clock.jump(22 * hour);
    await bot.pass(minute);
    expect(world.taken.size).toBe(1);
  });
});

describe("what cannot be planned", () => {
  it.each<[string, Wish, RegExp]>([
    ["every second", { ...daily, cron: ["* * * * * *"] }, /do not support seconds/],
    ["every minute", { ...daily, cron: ["* * * * *"] }, /at least 5 minutes apart.*1 minute/],
    ["the 31st of February", { ...daily, cron: ["0 9 31 2 *"] }, /never runs/],
    ["nonsense", { ...daily, cron: ["soon"] }, /not a valid cron pattern/],
    [
      "a time that is over",
      { ...reminder, at: "2026-11-25T09:00" },
      /has passed: it is Wed 2026-11-25 11:00/,
    ],
    ["a time that is none", { ...reminder, at: "later" }, /is not a valid time/],
    ["the next century", { ...reminder, at: "2126-11-25T09:00" }, /ten years/],
    ["both", { ...reminder, cron: ["0 9 * * *"] }, /exactly one of `at`.*`in`.*`cron`/],
    ["neither", { ...reminder, at: undefined }, /exactly one of `at`.*`in`.*`cron`/],
    ["a zone that is none", { ...reminder, zone: "Mars/Olympus" }, /not a time zone/],
    ["a tool that is not there", { ...daily, tools: ["send_mial"] }, /no tool send_mial here.*send_mail/],
    ["no text", { ...reminder, text: "  " }, /text is empty/],
    ["a long text", { ...reminder, text: "x".repeat(4_001) }, /4001 characters/],
    ["any message", { what: "trigger", text: "x", condition: { on: "message", words: "*" } }, /Name words/],
  ])("a schedule for this is refused: %s", async (_name, wish, message) => {
    const world = createScheduleWorld();
    world.tools.set("send_mail", "d1");
    expect(await refusalOf(wish, ann, world)).toMatch(message);
  });

  it("a guest cannot plan, and neither can a turn begun by a schedule [plan-6]", async () => {
    expect(await refusalOf(reminder, { ...ann, trust: "guest" })).toMatch(/Guests/);
    const cause = { kind: "schedule", id: "x", because: "" } as const;
    const plan = await createScheduleWorld()
      .start()
      .service.plan({ author: ann, place: channel, cause }, reminder);
    expect(plan).toMatchObject({ ok: false, message: expect.stringMatching(/cannot plan further ones/) });
  });

  it("a person and a channel cannot have more schedules than their maximum", async () => {
    const world = createScheduleWorld({ own: { per_person: 2, per_channel: 3 } });
    const bot = world.start();
    await bot.make(reminder, { key: "1" });
    await bot.make(reminder, { key: "2" });
    await expect(bot.make(reminder, { key: "3" })).rejects.toThrow(/You have 2.*the maximum is 2/);
    await bot.make(reminder, { key: "4", author: { ...ann, id: "ben" } });
    await expect(bot.make(reminder, { key: "5", author: { ...ann, id: "cleo" } })).rejects.toThrow(
      /the maximum is 3/,
    );
    await bot.make(reminder, { key: "6", place: { ...channel, namespace: "fake:T1:other" } });
  });
});

describe("a pause", () => {
  it("a pause is not made up for afterwards", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    const { id } = await bot.make(daily);
    const me = { author: ann, place: channel };
    await bot.service.change(me, id, "pause");
    await bot.pass(2 * day);
    await bot.service.change(me, id, "resume");
    await bot.pass(0);
    expect(world.taken.size).toBe(0);
    await bot.pass(3 * day);
    expect(world.taken.size).toBe(1);
  });

  it("a pause of the bot in the channel holds what falls due", async () => {
    const world = createScheduleWorld();
    const bot = world.start();
    await bot.make(daily);
    await updateNamespace(world.store, channel.namespace, ({ settings }) => {
      settings.paused = { by: "cleo", at: 0 };
    });
    await bot.pass(22 * hour + 10 * minute);
    expect(world.taken.size).toBe(0);
    await updateNamespace(world.store, channel.namespace, ({ settings }) => {
      delete settings.paused;
    });
    await bot.pass(2 * minute);
    expect(world.taken.size).toBe(1);
  });
});

describe("tools of a task", () => {
  const task: Wish = { ...daily, tools: ["send_mail", "read_file"] };
  const withMail = () => {
    const world = createScheduleWorld();
    world.tools.set("send_mail", "d1");
    return world;
  };

  it("a task's tools are approved with it, and count only for it, unchanged [plan-3]", async () => {
    const world = withMail();
    const bot = world.start();
    const { id, tools } = await bot.make(task);
    expect(tools).toEqual(["send_mail"]);
    expect(await bot.service.granted(id)).toEqual([
      { tool: "send_mail", skill_id: "mail", definition: "d1" },
    ]);
    expect(await bot.service.granted("another")).toEqual([]);
  });

  it.each<[string, (tools: Map<string, string>) => void, RegExp]>([
    ["has changed", (tools) => tools.set("send_mail", "d2"), /send_mail that it uses has changed/],
    ["is gone", (tools) => tools.delete("send_mail"), /send_mail that it uses no longer exists/],
  ])("a task with a tool that %s is paused, which is reported", async (_name, change, because) => {
    const world = withMail();
    const bot = world.start();
    await bot.make(task);
    change(world.tools);
    await bot.pass(23 * hour);
    expect([...world.taken.values()].map(({ cause }) => cause?.says)).toEqual([
      expect.stringMatching(because),
    ]);
  });
});

describe("in the web chat", () => {
  it("a reminder in the web chat is a turn in its thread, with its maker's rights", async () => {
    const world = createScheduleWorld({ platform: false });
    const bot = world.start();
    const place = { namespace: "console:local:general", thread: "t1" };
    await bot.make(reminder, { place, author: { ...ann, trust: "operator" } });
    await bot.pass(day);
    const [said] = world.taken.values();
    expect(said).toMatchObject({
      ...place,
      author: { trust: "operator" },
      cause: { says: "⏰ the invoice" },
    });
    expect(said?.origin).toBeUndefined();
  });
});
