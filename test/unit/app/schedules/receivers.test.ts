import { expect, it } from "vitest";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { approve, forgetPerson } from "../../../support/bot/ask-app.ts";
import { eventually } from "../../../support/eventually.ts";
import { ann, createWorld, general, mia } from "../../../support/fakes/chat-world.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { follow } from "../../../support/follow.ts";
import { ada } from "../../../support/test-app.ts";

const ben: Author = { id: "U2BEN", name: "Ben", trust: "member" };
const direct = "fake:team:dm-U2BEN";
const day = 86_400_000;
const start = Date.parse("2026-11-25T08:10:00Z");

/** A channel in which a task of Ann's writes to Ben every day, and a bot that forgets nothing. */
async function createDaily() {
  const send = [{ call: "chat_send", with: { to: "U2BEN", text: "Three are open." } }] as const;
  const clock = createFakeClock(start);
  const world = createWorld(
    (request) => (request.messages.at(-1)?.role === "tool" ? "Told." : [...send]),
    { approval_ms: 3_600_000 },
    { clock },
  );
  const { app, platform } = world;
  for (const { id, name } of [ann, ben, mia]) platform.people.set(id, { name });
  app.startSchedules();
  const asker = { by: ann, namespace: general };
  const text = "tell Ben what is open";
  const input = { namespace: general, text, what: "task" as const, cron: ["0 9 * * *"] };
  const added = await app.app.run("schedule.add", { input, asker });
  if (!added.ok) throw new Error(added.message);
  const { id } = added.value;
  let runs = 0;
  const outcomeOf = async (turn: string) => {
    const asked: string[] = [];
    for await (const event of follow(app.app, turn)) {
      if (event.type === "turn_finished") return { turn, asked, end: event };
      if (event.type !== "approval_requested") continue;
      asked.push(event.tool);
      if (event.person !== undefined) return { turn, asked, card: event };
      await approve(app.app, event.approval_id, true, ann);
    }
    throw new Error("the turn did not end");
  };
  return {
    ...{ ...world, id, clock },
    /** Runs it once more, until something is asked of another person than Ann or it has ended. */
    async run() {
      runs += 1;
      // Ten minutes after nine in Berlin, where Ann is.
      clock.advance(day - ((clock.now() - start) % day));
      const turn = await clock.advanceUntil(
        eventually(async () => {
          const turns = (await app.log.list({ namespace: general, limit: 50 })).filter(
            ({ author }) => author.id === ann.id,
          );
          if (turns.length < runs) throw new Error("it has not begun");
          return turns[0]?.turn_id ?? "";
        }),
        1,
      );
      return clock.advanceUntil(outcomeOf(turn), 1);
    },
    command: async (text: string, by: Author) =>
      (await app.ask(text, { by, namespace: by === ben ? direct : general, key: `${text} ${by.id}` })).end
        .text,
    sent: () =>
      platform
        .visible()
        .filter(({ place }) => place.namespace === direct)
        .map(({ message }) => message),
    told: () =>
      platform
        .visible()
        .filter(({ place, message }) => place.namespace === direct && message.markdown.startsWith("Three"))
        .length,
    results: () => JSON.stringify(world.model.requests.at(-1)?.messages.at(-1)),
  };
}

it("a task writes to another person only once they have agreed, and asks them alone, once [plan-4]", async () => {
  const { run, sent, app, clock, id, command, results, told } = await createDaily();
  const first = await run();
  expect(first.card).toMatchObject({
    person: { id: "U2BEN", name: "Ben" },
    says: { deed: 'send "Benjamin Brown", "Ben" <@U2BEN> direct messages for "Ann" <@U1ANN>' },
    input: { task: "tell Ben what is open", when: expect.stringContaining("9:00") },
  });
  const card = await eventually(() => {
    const found = sent()[0];
    if (found === undefined) throw new Error("no card");
    return found;
  });
  expect(card.markdown).toMatch(
    /^\*\*"Ann" <@U1ANN>\*\* asks\.\n\*\*May I send you direct messages for "Ann" <@U1ANN>\?\*\*/,
  );
  expect(card.markdown).toMatch(
    /It is planned: every day at 09:00 .*\. I ask this once\.\n\nOnly you can decide\./,
  );
  expect(card.buttons?.map(({ label }) => label)).toEqual(["Accept", "Refuse", "Details"]);
  const { approval_id } = first.card ?? { approval_id: "" };
  for (const by of [ann, mia]) {
    const decided = await approve(app.app, approval_id, true, by);
    expect(decided).toMatchObject({ ok: false, message: expect.stringContaining("Only Ben") });
  }
  await approve(app.app, approval_id, true, ben);
  await clock.advanceUntil(app.events(first.turn), 1);
  const end = `\n\n*Sent for Ann*. \`/agent schedule refuse ${id}\` ends these messages.`;
  expect(sent().at(-1)?.markdown).toBe(`Three are open.${end}`);

  expect((await run()).asked).toEqual(["send"]);
  expect(told()).toBe(2);

  expect(await command(`/agent schedule refuse ${id}`, mia)).toContain(
    `No schedule or trigger ${id} has asked`,
  );
  expect(await command(`/agent schedule refuse ${id}`, ben)).toBe(`\`${id}\` no longer writes to you.`);
  expect((await run()).end).toMatchObject({ text: "Told." });
  expect(results()).toContain("has not agreed to messages of this schedule");
  expect(await command(`/agent schedule accept ${id}`, ben)).toBe(`\`${id}\` may write to you.`);
  await run();
  expect(told()).toBe(3);
});

it.each([
  ["refuses", /Ben\W+U2BEN\) refused messages of this schedule.*refused/],
  ["refuses by command while the question is open", /not agreed to messages.*approval_expired/],
  ["does not answer", /has not agreed to messages of this schedule in time.*approval_expired/],
])("nothing is sent to a person who %s, who is not asked again", async (how, reason) => {
  const { run, app, clock, results, told, command, id } = await createDaily();
  const { card, turn } = await run();
  if (how.includes("command"))
    expect(await clock.advanceUntil(command(`/agent schedule refuse ${id}`, ben), 1)).toContain("no longer");
  if (how === "refuses") await approve(app.app, card?.approval_id ?? "", false, ben);
  if (how !== "refuses") {
    const isWaiting = async () => expect((await app.log.get(turn))?.status).toBe("waiting");
    await clock.advanceUntil(eventually(isWaiting), 1);
    clock.advance(3_600_000);
  }
  await clock.advanceUntil(app.events(turn), 1);
  expect(results()).toMatch(reason);
  expect((await run()).asked).toEqual(["send"]);
  expect(told()).toBe(0);
});

it("a person who is forgotten is in no schedule of others, and would be asked again", async () => {
  const { run, app, clock } = await createDaily();
  const { card, turn } = await run();
  await approve(app.app, card?.approval_id ?? "", true, ben);
  await clock.advanceUntil(app.events(turn), 1);
  const asker = { by: ada, namespace: general };
  expect(await clock.advanceUntil(forgetPerson(app.app, ben.id, asker), 1)).toMatchObject({ ok: true });
  expect((await run()).card).toMatchObject({ person: { id: ben.id } });
});
