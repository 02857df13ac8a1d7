import { expect, it } from "vitest";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createLife, mortal } from "../../../crash-points/life.ts";
import { approve, forgetPerson } from "../../../support/bot/ask-app.ts";
import { eventually } from "../../../support/eventually.ts";
import { ann, createWorld, general, mia } from "../../../support/fakes/chat-world.ts";
import { createFakeClock, type FakeClock } from "../../../support/fakes/fake-clock.ts";
import { ada, type TestAppOptions } from "../../../support/test-app.ts";

const ben: Author = { id: "U2BEN", name: "Ben", trust: "member" };
const direct = "fake:team:dm-U2BEN";
const hour = 3_600_000;
const bens = "Ben";

const createClock = () => createFakeClock(Date.parse("2026-11-25T08:10:00Z"));

/** Ann asks for a reminder of 9:00 tomorrow in Berlin; it is now 9:10. */
async function askFor(input: object, text = "Remind Ben tomorrow at 9 of the price list") {
  const asking = createBot(input, text, { clock: createClock() });
  const turn = await asking.say("t1");
  return { ...asking, ...followed(asking, turn) };
}

function createBot(input: object, text: string, stores: { clock: FakeClock } & TestAppOptions) {
  const { clock } = stores;
  const add = {
    call: "invoke_skill",
    with: {
      skill_id: "schedule#add",
      params: { text: "the price list", at: "2026-11-26T09:00", for: "Ben", ...input },
    },
  };
  const world = createWorld(
    (request) => (request.messages.at(-1)?.role === "tool" ? "Done." : [add]),
    { approval_ms: hour },
    { ...stores, max_duration_ms: 24 * hour },
  );
  const { app, platform, model } = world;
  for (const { id, name } of [ann, ben, mia]) platform.people.set(id, { name });
  app.startSchedules();
  const say = (thread: string) =>
    app.say(text, {
      ...{ by: ann, namespace: general, thread },
      origin: { said_at: clock.now(), files: [], in_thread: false },
    });
  const messages = (namespace: string) =>
    platform.visible().flatMap(({ place, message }) => (place.namespace === namespace ? [message] : []));
  const command = async (words: string, by = ben) =>
    (await clock.advanceUntil(app.ask(words, { by, namespace: by === ben ? direct : general }), 1)).end.text;
  return {
    ...{ ...world, clock, say, messages, command },
    result: () => JSON.stringify(model.requests.at(-1)?.messages.at(-1)),
    list: () => command("/agent schedule"),
    shows: (namespace: string, words: string) =>
      clock.advanceUntil(
        platform.until(() => messages(namespace).find(({ markdown }) => markdown.includes(words))),
        20,
      ),
  };
}

function followed({ app, clock }: ReturnType<typeof createBot>, turn: string) {
  return {
    turn,
    end: () => clock.advanceUntil(app.until(turn, "turn_finished"), 1),
    /** What is asked first of the person who decides it. */
    asked: () => clock.advanceUntil(app.until(turn, "approval_requested"), 1),
  };
}

type Asking = Awaited<ReturnType<typeof askFor>>;

/** Ben decides about the card. */
async function decide(asking: Asking, agrees: boolean): Promise<void> {
  const { approval_id, person } = await asking.asked();
  expect(person).toMatchObject({ id: ben.id });
  expect(await approve(asking.app.app, approval_id, agrees, ann)).toMatchObject({ ok: false });
  expect(await approve(asking.app.app, approval_id, agrees, ben)).toMatchObject({ ok: true });
  await asking.end();
}

it("asks the receiver alone, once, and reminds them in their direct messages in the asker's name [plan-4]", async () => {
  const asking = await askFor({});
  await asking.asked();
  const card = await asking.shows(direct, "May I");
  expect(card.markdown).toMatch(
    /^\*\*"Ann" <@U1ANN>\*\* asks\.\n\*\*May I remind you of this for "Ann" <@U1ANN>\?\*\*\n> the price list\n/,
  );
  await decide(asking, true);
  expect(asking.result()).toContain(`reminder for ${bens}, who agreed, on Thu 2026-11-26 09:00`);
  expect(await asking.list()).toContain("the price list (Ann for Ben)");
  asking.clock.advance(24 * hour);
  await asking.shows(direct, "⏰ **Ann** asked me to remind you: the price list");
  expect(await asking.list()).toContain("Nothing is planned here.");
});

it.each([
  ["refuses", /Ben\W+U2BEN\) refused the reminder, so nothing was planned.*refused/],
  ["does not answer", /has not agreed to the reminder in time, so nothing was planned.*approval_expired/],
])("plans nothing for a receiver who %s, and says which", async (how, reason) => {
  const asking = await askFor({});
  await asking.asked();
  if (how === "refuses") await decide(asking, false);
  else {
    await asking.clock.advanceUntil(
      eventually(async () => expect((await asking.app.log.get(asking.turn))?.status).toBe("waiting")),
      1,
    );
    asking.clock.advance(hour);
    await asking.end();
  }
  expect(asking.result()).toMatch(reason);
  expect(await asking.command("/agent schedule", ann)).toContain("Nothing is planned here.");
});

it.each([
  ["nobody", { for: "Benn" }, /nobody called \W+Benn.*Ben\W+U2BEN\W+Benjamin Brown/],
  ["one of several", { for: "Will" }, /Will\W+may be one of several/],
  ["a bot", { for: "CI" }, /Bots are not written to/],
  ["a group", { for: "oncall" }, /Only one person can be reminded, not a group/],
  ["a task", { what: "task" }, /Only reminders can be for somebody else/],
  ["the asker", { for: "Ann" }, /Planned as \w+, reminder on/],
])("needs one other person: %s", async (_what, input, reason) => {
  const asking = await askFor(input);
  await asking.end();
  expect(asking.result()).toMatch(reason);
  expect(asking.messages(direct)).toEqual([]);
});

it("asks the asker first where their message does not name the receiver", async () => {
  const asking = await askFor({}, "Remind my boss tomorrow at 9 of the price list");
  const first = await asking.asked();
  expect(first).toMatchObject({ person: undefined, input: { for: '"Ben" (U2BEN)', text: "the price list" } });
  expect(asking.messages(direct)).toEqual([]);
});

it.each([
  ["the command of the card", (id: string) => `/agent schedule refuse ${id}`],
  ["removing it from their list", (id: string) => `/agent schedule remove ${id}`],
])("a receiver ends it with %s, and the asker is told [plan-4]", async (_how, command) => {
  const asking = await askFor({});
  await decide(asking, true);
  const id = /`(\w{8})`/.exec(await asking.list())?.[1] ?? "";
  expect(await asking.command(`/agent schedule remove ${id}`, { ...ben, id: "U4DORA" })).toContain(
    "Only Ann",
  );
  await asking.command(command(id));
  await asking.shows(general, `I paused “the price list”: ${bens} does not want it.`);
  expect(await asking.list()).toContain("Nothing is planned here.");
});

it.each([
  ["the receiver may not use the bot", "person", /“the price list”: Ben: /],
  ["the asker may no longer write here", "access", /They or I can no longer write/],
])("pauses in words when %s", async (_why, what, words) => {
  const asking = await askFor({});
  await decide(asking, true);
  if (what === "person") asking.platform.people.set(ben.id, { name: "Ben", standing: "bot" });
  else
    asking.chat.rooms.splice(0, 1, {
      namespace: general,
      name: "general",
      members: ["U1ANN"],
      archived: true,
    });
  asking.clock.advance(24 * hour);
  const { markdown } = await asking.shows(general, "I paused");
  expect(markdown).toMatch(words);
  expect(asking.messages(direct).filter((each) => each.markdown.startsWith("⏰"))).toEqual([]);
});

it("forgets a reminder with its receiver", async () => {
  const asking = await askFor({});
  await decide(asking, true);
  const asker = { by: ada, namespace: general };
  await asking.clock.advanceUntil(forgetPerson(asking.app.app, ben.id, asker), 1);
  expect(await asking.command("/agent schedule", ann)).toContain("Nothing is planned here.");
});

it.each(["before", "after"] as const)(
  "plans once if the bot dies %s the agreed plan is stored",
  async (when) => {
    const clock = createClock();
    const log = createMemoryTurnLog(clock);
    const store = createMemoryKeyValue();
    const life = createLife({ point: 0, when });
    const [mortalLog, due] = [mortal(life, "log", log, []), mortal(life, "due", log.due, ["add"])];
    const text = "Remind Ben tomorrow at 9";
    const first = createBot({}, text, { ...{ clock, store, due, log: mortalLog, owner: "first" } });
    const turn = await first.say("t1");
    const { approval_id } = await followed(first, turn).asked();
    expect(await approve(first.app.app, approval_id, true, ben)).toMatchObject({ ok: true });
    await clock.advanceUntil(life.death, 1);
    const second = createBot({}, text, { ...{ clock, store, due: log.due, log, owner: "second" } });
    await clock.advanceUntil(second.app.until(turn, "turn_finished"), 100);
    const plans = await log.due.list({ namespace: general });
    expect(plans.map(({ value }) => value)).toMatchObject([
      { text: "the price list", receivers: { U2BEN: true } },
    ]);
  },
);

it("asks nobody about more than a few things at once", async () => {
  const asking = await askFor({});
  const turns = [asking.turn];
  for (const thread of ["t2", "t3", "t4"]) {
    await asking.clock.advanceUntil(asking.app.until(turns.at(-1) ?? "", "turn_waiting"), 1);
    turns.push(await asking.say(thread));
  }
  await asking.clock.advanceUntil(asking.app.until(turns.at(-1) ?? "", "turn_finished"), 1);
  expect(asking.result()).toContain(`${bens} has not decided yet about 3 other requests`);
});
