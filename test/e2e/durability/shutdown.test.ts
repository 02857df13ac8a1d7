import { describe, expect, it } from "vitest";
import { ended, eventsOf, expectWholeTurn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };
const message = { ...place, text: "hello" };
const answer = { match: { userMessage: "hello" }, response: { content: "Hello, you." } };

describe("a bot that is told to stop", () => {
  const bot = useBot();

  it.each(["SIGTERM", "SIGINT"] as const)(
    "a bot that is told to stop finishes its turn after %s, then exits with 0",
    async (signal) => {
      const { home, models, gate } = bot();
      await models.add([answer]);
      gate.close();
      const first = await home.start();
      const { turn_id } = await first.client.submitTurn(message);
      await gate.reached(1);
      first.signal(signal);
      await first.says("Stopping after the running turns");
      gate.open();
      expect(await first.exited).toBe(0);

      const { client } = await home.start();
      const events = await stored(client, turn_id);
      expectWholeTurn(events);
      expect(eventsOf(events, "turn_finished")).toMatchObject([
        { outcome: "completed", text: "Hello, you." },
      ]);
      expect(eventsOf(events, "turn_resumed")).toEqual([]);
      expect(gate.requests).toHaveLength(1);
    },
  );

  it("a bot that is told to stop leaves queued turns to the next start", async () => {
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

    const { client } = await home.start();
    expect(await client.call("turn.show", { id: running.turn_id })).toMatchObject({
      status: "finished",
      text: "Hello, you.",
    });
    expect((await ended(client, queued.turn_id)).text).toBe("You too.");
  });

  it("a bot that is told to stop ends at once at a second signal, and the turn is resumed", async () => {
    const { home, models, gate } = bot();
    await models.add([answer]);
    gate.close();
    const first = await home.start();
    const { turn_id } = await first.client.submitTurn(message);
    await gate.reached(1);
    first.signal("SIGTERM");
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

  it("a bot with a long turn stops in time, and the turn continues at the next start", async () => {
    const { home, models, gate } = bot();
    await models.add([answer]);
    gate.close();
    const first = await home.start();
    const { turn_id } = await first.client.submitTurn(message);
    await gate.reached(1);
    const began = performance.now();
    expect(await first.terminate()).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    gate.open();

    const { client } = await home.start();
    expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: "Hello, you." });
    const events = await stored(client, turn_id);
    expectWholeTurn(events);
    expect(eventsOf(events, "turn_resumed")).toHaveLength(1);
  });

  it("a bot with a long turn records no result of an abandoned tool, and runs it again if it only reads", async () => {
    const { home, models, gate, pages } = bot();
    const call = { name: "web-scraping", arguments: JSON.stringify({ url: `${pages.url}/slow` }) };
    await models.add([
      { match: { userMessage: "read", hasToolResult: false }, response: { toolCalls: [call] } },
      { match: { toolResultContains: "the page called /slow" }, response: { content: "read it" } },
    ]);
    pages.close(({ path }) => path === "/slow");
    const first = await home.start();
    await first.client.call("skill.set", { ns: place.namespace, id: "web-scraping", state: "pinned" });
    const { turn_id } = await first.client.submitTurn({ ...place, text: "read" });
    await pages.reached(1, ({ path }) => path === "/slow");
    expect(await first.terminate()).toBe(0);
    pages.open();

    const { client } = await home.start();
    expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: "read it" });
    const events = await stored(client, turn_id);
    expectWholeTurn(events);
    expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok" }]);
    expect(gate.requests).toHaveLength(2);
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
