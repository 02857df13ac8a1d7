import { describe, expect, it } from "vitest";
import { ended, eventsOf, expectWholeTurn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };
const message = { ...place, text: "hello" };
const answer = { match: { userMessage: "hello" }, response: { content: "Hello, you." } };

describe("a bot that is told to stop", () => {
  const bot = useBot();

  it("a bot that is told to stop finishes its turn, exits with 0 and leaves queued turns to the next start", async () => {
    const { home, models, gate } = bot();
    await models.add([answer, { match: { userMessage: "and me?" }, response: { content: "You too." } }]);
    gate.close();
    const first = await home.start();
    const running = await first.client.submitTurn({ ...message, user: "ada" });
    const queued = await first.client.submitTurn({ ...place, text: "and me?", user: "ben" });
    await gate.reached(1);
    first.signal("SIGTERM");
    await first.says("Stopping after the running turns");
    gate.open();
    expect(await first.exited).toBe(0);
    expect(gate.requests).toHaveLength(1);

    const { client } = await home.start();
    const events = await stored(client, running.turn_id);
    expectWholeTurn(events);
    expect(eventsOf(events, "turn_finished")).toMatchObject([{ outcome: "completed", text: "Hello, you." }]);
    expect(eventsOf(events, "turn_resumed")).toEqual([]);
    expect((await ended(client, queued.turn_id)).text).toBe("You too.");
    expect(gate.requests).toHaveLength(2);
  });

  it("a bot that is told to stop ends at once at a second signal, and the turn is resumed", async () => {
    const { home, models, gate } = bot();
    await models.add([answer]);
    gate.close();
    const first = await home.start();
    const { turn_id } = await first.client.submitTurn(message);
    await gate.reached(1);
    first.signal("SIGINT");
    await first.says("Stopping after the running turns");
    expect(await first.terminate()).toBe(130);
    gate.open();

    const { client } = await home.start();
    expect((await ended(client, turn_id)).text).toBe("Hello, you.");
    expectWholeTurn(await stored(client, turn_id));
  });
});

describe("a bot whose turn takes longer than it may drain", () => {
  const bot = useBot({ config: "turns: { drain_seconds: 0.3 }" });

  it("a bot with long turns stops in time, continues them at the next start, and repeats an abandoned tool that only reads", async () => {
    const { home, models, gate, pages } = bot();
    const reading = { ...place, namespace: "console:local:reading" };
    const call = { name: "web-scraping", arguments: JSON.stringify({ url: `${pages.url}/slow` }) };
    await models.add([
      answer,
      { match: { userMessage: "read", hasToolResult: false }, response: { toolCalls: [call] } },
      { match: { toolResultContains: "the page called /slow" }, response: { content: "read it" } },
    ]);
    const first = await home.start();
    await first.client.call("skill.set", { ns: reading.namespace, id: "web-scraping", state: "pinned" });
    pages.close(({ path }) => path === "/slow");
    const tool = await first.client.submitTurn({ ...reading, text: "read" });
    await pages.reached(1, ({ path }) => path === "/slow");
    gate.close();
    const asking = await first.client.submitTurn(message);
    await gate.reached(2);
    const began = performance.now();
    expect(await first.terminate()).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    gate.open();
    pages.open();

    const { client } = await home.start();
    for (const [{ turn_id }, text] of [
      [asking, "Hello, you."],
      [tool, "read it"],
    ] as const) {
      expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text });
      const events = await stored(client, turn_id);
      expectWholeTurn(events);
      expect(eventsOf(events, "turn_resumed")).toHaveLength(1);
    }
    // No result of the call that was cut off is recorded.
    expect(eventsOf(await stored(client, tool.turn_id), "tool_finished")).toMatchObject([{ status: "ok" }]);
    expect(gate.requests).toHaveLength(4);
  });

  it("a bot's stop is not held up by listening clients", async () => {
    const { home } = bot();
    const first = await home.start();
    const opened = Promise.withResolvers<void>();
    const over = new AbortController();
    const watching = first.client
      .watchNamespace(place.namespace, over.signal, ({ state }) => {
        if (state === "open") opened.resolve();
        else over.abort();
      })
      [Symbol.asyncIterator]()
      .next();
    await opened.promise;
    const began = performance.now();
    expect(await first.terminate()).toBe(0);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await watching).toMatchObject({ done: true });
  });
});
