import { describe, expect, it } from "vitest";
import type { Submit } from "../../../../src/app/turns/submit.ts";
import { type DueEntries, triggerSchema, type Wish } from "../../../../src/core/ports/schedules.ts";
import { toJson } from "../../../../src/core/values/json.ts";
import {
  ann,
  channel,
  createScheduleWorld,
  hour,
  minute,
  wednesday,
} from "../../../support/skills/schedule-world.ts";

/** The bot dies at its n-th write, before or after it happened; from then on nothing of it works. */
function createMortal(world: ReturnType<typeof createScheduleWorld>, dies: { at: number; after: boolean }) {
  let writes = 0;
  let dead = false;
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (dead) throw new Error("dead");
    dead = writes === dies.at;
    if (!dead) return work();
    if (dies.after) await work();
    throw new Error("died");
  };
  const submit: Submit = (submission) => write(() => world.submit(submission));
  const { due } = world;
  const entries: DueEntries = {
    ...due,
    add: (entry) => write(() => due.add(entry)),
    change: (id, change) => write(() => due.change(id, change)),
    remove: (id) => write(() => due.remove(id)),
  };
  return { due: entries, submit, survived: () => !dead };
}

const reminder: Wish = { what: "reminder", text: "the invoice", at: "2026-11-26T09:00" };
const daily: Wish = { what: "task", text: "post what is open", cron: ["0 9 * * *"] };
const failing: Wish = { ...daily, tools: ["send_mail"] };
const onWords: Wish = {
  what: "trigger",
  text: "say who is on call",
  condition: { on: "message", words: "failed" },
};

type World = ReturnType<typeof createScheduleWorld>;
type Bot = ReturnType<World["start"]>;

/** What a bot lives through, and what has to have been taken in the end, however often it died. */
const lives: [
  string,
  { before?(world: World): void; wish: Wish; hours: number; taken: number; left: number },
][] = [
  ["a reminder", { wish: reminder, hours: 23, taken: 1, left: 0 }],
  ["a daily task over two days", { wish: daily, hours: 47, taken: 2, left: 1 }],
  [
    "a task whose tool has changed",
    { before: ({ tools }) => void tools.set("send_mail", "d1"), wish: failing, hours: 23, taken: 1, left: 1 },
  ],
  [
    "a message that matches",
    {
      wish: onWords,
      hours: 1,
      taken: 1,
      left: 1,
    },
  ],
];

/** Lives on until so many hours after the beginning. A platform delivers a message again to a bot that died. */
async function live(world: World, bot: Bot, wish: Wish, hours: number, key = "m1"): Promise<void> {
  if (wish === onWords)
    await bot.service.watch.heard({
      ...{ key, place: { ...channel, thread: "5.5" }, author: "ben", by_bot: false, text: "it failed" },
      ...{ said_at: wednesday, addressed: "none", in_thread: false },
    });
  await bot.pass(wednesday + hours * hour - world.clock.now());
}

describe.each(lives)("%s", (_name, { before, wish, hours, taken, left }) => {
  it.each([true, false])(
    "a scheduled action happens once whenever the bot dies (after the write: %s) [record-1]",
    async (after) => {
      let deaths = 0;
      for (let at = 1; ; at += 1) {
        const world = createScheduleWorld();
        before?.(world);
        await world.start().make(wish);
        if (wish === failing) world.tools.set("send_mail", "d2");
        const mortal = createMortal(world, { at, after });
        await live(world, world.start(mortal), wish, hours);
        if (mortal.survived()) break;
        deaths += 1;
        const next = world.start();
        await live(world, next, wish, hours);
        expect([at, world.taken.size]).toEqual([at, taken]);
        const kept = (await world.due.list({})).filter(({ kind }) => kind !== "seen_event");
        expect(kept.length).toBe(left);
        if (wish !== onWords) continue;
        // The next event has a turn of its own, whatever was stored of the one before.
        await live(world, next, wish, hours + 1, "m2");
        expect([at, world.taken.size]).toEqual([at, taken + 1]);
      }
      expect(deaths).toBeGreaterThan(1);
    },
  );
});

describe("a job whose bot died", () => {
  it.each([true, false])(
    "a thread is told once that its job ended, whenever the next bot dies (after the write: %s)",
    async (after) => {
      let deaths = 0;
      for (let at = 1; ; at += 1) {
        const world = createScheduleWorld();
        const condition = { on: "job", language: "bash", alive_until: wednesday };
        const place = { thread: "5.5", maker: ann, made_at: wednesday, on_platform: true };
        const value = toJson(triggerSchema.parse({ what: "trigger", text: "Go on.", condition, ...place }));
        const { namespace } = channel;
        await world.due.add({ id: "job", namespace, kind: "trigger", due_at: wednesday, value });
        const mortal = createMortal(world, { at, after });
        await world.start(mortal).pass(hour);
        if (mortal.survived()) break;
        deaths += 1;
        await world.start().pass(hour);
        const told = [...world.taken.values()].map(({ cause }) => cause?.says);
        expect([at, ...told]).toEqual([at, expect.stringContaining("ended when I was restarted")]);
      }
      expect(deaths).toBeGreaterThan(1);
    },
  );
});

/** Lives until the goal has ended; each of its turns takes less than half a minute. */
async function liveForGoal(world: World, bot: Bot): Promise<void> {
  for (let passed = 0; passed < 8 * minute; passed += minute / 2) {
    await bot.pass(minute / 2);
    for (const [id, { cause }] of world.taken)
      if (cause?.says === undefined) world.answers.set(id, `Goal continues: after ${cause?.because}`);
  }
}

describe("a goal of three turns", () => {
  it.each([true, false])(
    "a goal has each of its turns once, and says once that it ended, whenever the bot dies (after the write: %s)",
    async (after) => {
      let deaths = 0;
      for (let at = 1; ; at += 1) {
        const world = createScheduleWorld();
        await world.start().service.goals.set({ author: ann, place: channel }, "peace", 3, "k1");
        const mortal = createMortal(world, { at, after });
        await liveForGoal(world, world.start(mortal));
        if (mortal.survived()) break;
        deaths += 1;
        await liveForGoal(world, world.start());
        const causes = [...world.taken.values()].map(({ cause }) => cause?.says ?? cause?.because);
        expect([at, ...causes]).toEqual([
          ...[at, "turn 1 of 3", "turn 2 of 3", "turn 3 of 3"],
          expect.stringMatching(/after 3 of 3 turns/),
        ]);
      }
      expect(deaths).toBeGreaterThan(3);
    },
  );
});
