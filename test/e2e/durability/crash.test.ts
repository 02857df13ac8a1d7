import { beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import { emptyTurnView, foldTurn } from "../../../src/core/log/turn-view.ts";
import { stores } from "../support/stores.ts";
import { ended, eventsOf, expectWholeTurn, stored, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const sentence = "The answer to everything is forty-two, as everybody knows by now.";
const placeOf = (channel: string) => ({ namespace: `console:local:${channel}`, thread: "t1" });
const stages = ["model_message", "turn_finished"] as const;

describe.each(stores)("a bot on $name that was killed while it worked in several channels", (store) => {
  const bot = useBot({ shared: true, store });
  const people = ["ada", "ben", "cleo"];
  const queued = people.map((user) => ({
    ...placeOf("queue"),
    ...{ user, key: `message-of-${user}`, text: `I am ${user}` },
  }));
  const staged = (stage: string) => ({ ...placeOf(stage), text: `hello ${stage}`, key: stage });
  const inQueue: string[] = [];
  const turns: Record<string, string> = {};
  let question_id: string;
  let client: ApiClient;
  let url: string;
  /** What the model is asked after the kill. */
  let before: number;
  const requestsOf = (text: string) =>
    bot().gate.requests.filter(({ body }) => lastUserText(body).includes(text));

  beforeAll(async () => {
    const { home, models, gate } = bot();
    await models.add([
      { match: { userMessage: "hello" }, response: { content: sentence } },
      ...people.map((user) => ({
        match: { userMessage: `I am ${user}` },
        response: { content: `Good day, ${user}.` },
      })),
      {
        match: { userMessage: "Book a table", hasToolResult: false },
        response: {
          toolCalls: [{ name: "ask_user", arguments: JSON.stringify({ question: "For how many?" }) }],
        },
      },
      { match: { toolResultContains: "for six" }, response: { content: "Booked for six." } },
    ]);
    const held = ["hello held", "I am ada"];
    gate.close(({ body }) => held.includes(lastUserText(body)));
    const { client: first, kill } = await home.start();
    const submit = async (channel: string, message: { text: string }) => {
      const { turn_id } = await first.submitTurn({ ...placeOf(channel), ...message });
      turns[channel] = turn_id;
      return turn_id;
    };
    await submit("held", { text: "hello held" });
    for (const message of queued) inQueue.push((await first.submitTurn(message)).turn_id);
    await gate.reached(held.length, ({ body }) => held.includes(lastUserText(body)));
    const asked = await until(first, await submit("question", { text: "Book a table" }), "question_asked");
    ({ question_id } = asked);
    await until(first, await submit("turn_finished", staged("turn_finished")), "turn_finished");
    // The kill comes right after both.
    const last = await submit("model_message", staged("model_message"));
    await Promise.all([until(first, last, "model_message"), submit("accepted", { text: "hello accepted" })]);
    await kill();
    before = gate.requests.length;
    gate.open();
    ({ client, url } = await home.start());
  });

  /** The events of a turn that ended with the sentence. */
  async function endedWell(channel: string) {
    const turn = turns[channel] ?? "";
    const end = await ended(client, turn);
    expect(end).toMatchObject({ outcome: "completed", text: sentence });
    const events = await stored(client, turn);
    expectWholeTurn(events);
    return { turn, end, events };
  }

  it("a killed bot answers a message of which only the acceptance had gone out", async () => {
    await endedWell("accepted");
  });

  it("a killed bot asks the model again if it died before the first answer", async () => {
    const { events } = await endedWell("held");
    expect(eventsOf(events, "turn_started")).toHaveLength(1);
    expect(eventsOf(events, "turn_resumed")).toHaveLength(1);
    const { namespace: ns, thread } = placeOf("held");
    expect((await client.call("thread.show", { ns, thread })).turns).toHaveLength(1);
    expect(requestsOf("hello held")).toHaveLength(2);
  });

  it("a killed bot answers what was queued behind the killed turn, in order, and no second delivery of it", async () => {
    const { gate } = bot();
    for (const [index, turn] of inQueue.entries()) {
      expect((await ended(client, turn)).text).toBe(`Good day, ${people[index]}.`);
      expectWholeTurn(await stored(client, turn));
    }
    const asked = gate.requests.slice(before).map(({ body }) => lastUserText(body));
    expect(asked.filter((text) => text.startsWith("I am"))).toEqual(queued.map(({ text }) => text));

    for (const [index, message] of queued.entries())
      expect((await client.submitTurn(message)).turn_id).toBe(inQueue[index]);
    const last = await client.submitTurn({ ...placeOf("queue"), text: "I am ada", user: "dora" });
    await ended(client, last.turn_id);
    expect(requestsOf("I am")).toHaveLength(1 + people.length + 1);
    const { namespace: ns, thread } = placeOf("queue");
    expect((await client.call("thread.show", { ns, thread })).turns).toHaveLength(people.length + 1);
  });

  it.each(stages)("a bot killed on %s neither asks nor answers again", async (stage) => {
    const { turn, end } = await endedWell(stage);
    expect((await client.submitTurn(staged(stage))).turn_id).toBe(turn);
    const rest = await fetch(`${url}/api/v1/turns/${turn}/events?after=${end.seq}`, {
      signal: AbortSignal.timeout(5_000),
    });
    expect(rest.status).toBe(204);
    expect(requestsOf(`hello ${stage}`)).toHaveLength(1);
  });

  it("a killed bot keeps a question open over the crash, and continues with its answer", async () => {
    const id = turns.question ?? "";
    expect(await client.call("turn.show", { id })).toMatchObject({ status: "waiting" });
    expect((await client.call("turn.answer", { id, question_id, text: "for six" })).answered).toBe(true);
    expect(await ended(client, id)).toMatchObject({ outcome: "completed", text: "Booked for six." });
    const events = await stored(client, id);
    expectWholeTurn(events);
    expect(eventsOf(events, "question_asked")).toHaveLength(1);
    expect(requestsOf("Book a table")).toHaveLength(2);
  });
});

describe("a client of a bot that is killed", () => {
  const bot = useBot();

  it("a streamed answer is shown once to a client that stays connected through the crash", async () => {
    const { home, models } = bot();
    const slow = { latency: 60, chunkSize: 4 };
    await models.add([{ match: { userMessage: "hello" }, response: { content: sentence }, ...slow }]);
    const first = await home.start();
    const { turn_id } = await first.client.submitTurn({ ...placeOf("general"), text: "hello" });
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
});

/** What the person said last in a request to OpenAI's chat completions, without the line that says who and when. */
function lastUserText(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
  const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return said.slice(said.indexOf("\n") + 1);
}
