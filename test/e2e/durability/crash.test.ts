import { expect, it } from "vitest";
import { emptyTurnView, foldTurn } from "../../../src/core/log/turn-view.ts";
import { ended, eventsOf, expectWholeTurn, stored, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };
const sentence = "The answer to everything is forty-two, as everybody knows by now.";

const bot = useBot();

it("a killed bot answers a message of which only the acceptance had gone out", async () => {
  const { home, models } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
  const first = await home.start();
  const { turn_id } = await first.client.submitTurn({ ...place, text: "hello" });
  await first.kill();

  const { client } = await home.start();
  expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: sentence });
  expectWholeTurn(await stored(client, turn_id));
});

it("a killed bot asks the model again if it died before the first answer", async () => {
  const { home, models, gate } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
  gate.close();
  const first = await home.start();
  const { turn_id } = await first.client.submitTurn({ ...place, text: "hello" });
  await gate.reached(1);
  await first.kill();
  gate.open();

  const { client } = await home.start();
  expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: sentence });
  const events = await stored(client, turn_id);
  expectWholeTurn(events);
  expect(eventsOf(events, "turn_started")).toHaveLength(1);
  expect(eventsOf(events, "turn_resumed")).toHaveLength(1);
  expect(
    (await client.call("thread.show", { ns: place.namespace, thread: place.thread })).turns,
  ).toHaveLength(1);
});

it("a killed bot answers what was queued behind the killed turn, in order, and no second delivery of it", async () => {
  const { home, models, gate } = bot();
  const people = ["ada", "ben", "cleo"];
  await models.add(
    people.map((user) => ({
      match: { userMessage: `I am ${user}` },
      response: { content: `Good day, ${user}.` },
    })),
  );
  gate.close();
  const first = await home.start();
  const said = people.map((user) => ({ ...place, user, key: `message-of-${user}`, text: `I am ${user}` }));
  const turns: string[] = [];
  for (const message of said) turns.push((await first.client.submitTurn(message)).turn_id);
  await gate.reached(1);
  await first.kill();
  const before = gate.requests.length;
  gate.open();

  const { client } = await home.start();
  for (const [index, turn] of turns.entries()) {
    expect((await ended(client, turn)).text).toBe(`Good day, ${people[index]}.`);
    expectWholeTurn(await stored(client, turn));
  }
  const asked = gate.requests.slice(before).map(({ body }) => lastUserText(body));
  expect(asked).toEqual(said.map(({ text }) => text));

  for (const [index, message] of said.entries()) {
    expect((await client.submitTurn(message)).turn_id).toBe(turns[index]);
  }
  await client
    .submitTurn({ ...place, text: "I am ada", user: "dora" })
    .then((last) => ended(client, last.turn_id));
  expect(gate.requests.length - before).toBe(people.length + 1);
  expect(
    (await client.call("thread.show", { ns: place.namespace, thread: place.thread })).turns,
  ).toHaveLength(people.length + 1);
});

it("a streamed answer is shown once to a client that stays connected through the crash", async () => {
  const { home, models } = bot();
  const slow = { latency: 60, chunkSize: 4 };
  await models.add([{ match: { userMessage: "hello" }, response: { content: sentence }, ...slow }]);
  const first = await home.start();
  const { turn_id } = await first.client.submitTurn({ ...place, text: "hello" });
  const shown: string[] = [];
  let view = emptyTurnView(turn_id);
  let restarts = 0;
  const signal = AbortSignal.timeout(30_000);
  for await (const event of first.client.turnEvents(turn_id, { signal })) {
    view = foldTurn(view, event);
    shown.push(view.text);
    if (restarts > 0 || view.text.length < 10) continue;
    restarts += 1;
    await first.kill();
    await home.start({ port: Number(new URL(first.url).port) });
  }
  expect(restarts).toBe(1);
  expect(view).toMatchObject({ status: "finished", outcome: "completed", text: sentence });
  expect(shown.filter((text) => !sentence.startsWith(text))).toEqual([]);
});

it.each(["model_message", "turn_finished"] as const)(
  "a bot killed on %s neither asks nor answers again",
  async (stage) => {
    const { home, models, gate } = bot();
    await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
    const first = await home.start();
    const message = { ...place, text: "hello", key: "message-1" };
    const { turn_id } = await first.client.submitTurn(message);
    await until(first.client, turn_id, stage);
    await first.kill();

    const { client, url } = await home.start();
    const end = await ended(client, turn_id);
    expect(end).toMatchObject({ outcome: "completed", text: sentence });
    expect((await client.submitTurn(message)).turn_id).toBe(turn_id);
    const rest = await fetch(`${url}/api/v1/turns/${turn_id}/events?after=${end.seq}`, {
      signal: AbortSignal.timeout(5_000),
    });
    expect(rest.status).toBe(204);
    expectWholeTurn(await stored(client, turn_id));
    expect(gate.requests).toHaveLength(1);
  },
);

it("a killed bot keeps a question open over the crash, and continues with its answer", async () => {
  const { home, models, gate } = bot();
  await models.add([
    {
      match: { userMessage: "Book a table", hasToolResult: false },
      response: {
        toolCalls: [{ name: "ask_user", arguments: JSON.stringify({ question: "For how many?" }) }],
      },
    },
    { match: { toolResultContains: "for six" }, response: { content: "Booked for six." } },
  ]);
  const first = await home.start();
  const { turn_id } = await first.client.submitTurn({ ...place, text: "Book a table" });
  const { question_id } = await until(first.client, turn_id, "question_asked");
  await first.kill();

  const { client } = await home.start();
  expect(await client.call("turn.show", { id: turn_id })).toMatchObject({ status: "waiting" });
  expect((await client.call("turn.answer", { id: turn_id, question_id, text: "for six" })).answered).toBe(
    true,
  );
  expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: "Booked for six." });
  const events = await stored(client, turn_id);
  expectWholeTurn(events);
  expect(eventsOf(events, "question_asked")).toHaveLength(1);
  expect(gate.requests).toHaveLength(2);
});

it("a killed bot gives up politely on a turn that it never survives, and answers the next", async () => {
  const { home, models, gate } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
  gate.close(({ body }) => lastUserText(body) === "poison");
  let running = await home.start();
  const { turn_id } = await running.client.submitTurn({ ...place, text: "poison", user: "ada" });
  const next = await running.client.submitTurn({ ...place, text: "hello", user: "ben" });
  for (let crashes = 1; crashes <= 5; crashes += 1) {
    await gate.reached(crashes);
    await running.kill();
    running = await home.start();
  }
  const { client } = running;
  const end = await ended(client, turn_id);
  expect(end.outcome).toBe("failed");
  expect(end.text).toContain("interrupted 5 times");
  expect(end.text).toContain("Try again");
  expectWholeTurn(await stored(client, turn_id));
  expect((await ended(client, next.turn_id)).text).toBe(sentence);
});

/** What the person said last in a request to OpenAI's chat completions, without the line that says who and when. */
function lastUserText(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
  const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return said.slice(said.indexOf("\n") + 1);
}
