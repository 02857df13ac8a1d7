import { beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import { ended, eventsOf, expectWholeTurn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const namespace = "console:local:general";
const sentence = "The answer to everything is forty-two.";
const config = "model: { retries: 1 }";

const wires = [
  {
    wire: "OpenAI's",
    env: (url: string) => ({
      KNACK_MODEL: "openai/gpt-5-mini",
      OPENAI_API_KEY: "sk-test-0123456789",
      OPENAI_BASE_URL: `${url}/v1`,
    }),
    keyName: "OPENAI_API_KEY",
  },
  {
    wire: "Anthropic's",
    env: (url: string) => ({
      KNACK_MODEL: "anthropic/claude-sonnet-4-5",
      ANTHROPIC_API_KEY: "sk-test-0123456789",
      ANTHROPIC_BASE_URL: url,
    }),
    keyName: "ANTHROPIC_API_KEY",
  },
];

describe.each(wires)("a bot whose model speaks $wire protocol", ({ env, keyName }) => {
  const bot = useBot({ config, env: ({ gate }) => env(gate.url), shared: true });
  let client: ApiClient;
  beforeAll(async () => {
    client = (await bot().home.start()).client;
    await client.call("skill.set", { ns: namespace, id: "web-scraping", state: "pinned" });
  });

  /** Says something in a thread of its own and waits for the end. */
  async function ask(text: string) {
    const { turn_id } = await client.submitTurn({ namespace, thread: text.replace("?", ""), text });
    const live = await Array.fromAsync(client.turnEvents(turn_id, { signal: AbortSignal.timeout(30_000) }));
    const end = await ended(client, turn_id);
    expectWholeTurn(await stored(client, turn_id));
    return { end, live, turn: await client.call("turn.show", { id: turn_id }) };
  }

  it("a bot runs the tool its model asks for and answers from the result", async () => {
    const { models, pages, gate } = bot();
    const call = { name: "web-scraping", arguments: JSON.stringify({ url: `${pages.url}/weather` }) };
    const usage = { prompt_tokens: 11, completion_tokens: 7 };
    await models.add([
      { match: { userMessage: "weather?", hasToolResult: false }, response: { toolCalls: [call], usage } },
      { match: { toolResultContains: "the page called /weather" }, response: { content: sentence, usage } },
    ]);
    const { end, live, turn } = await ask("weather?");
    expect(end).toMatchObject({ outcome: "completed", text: sentence });
    expect(eventsOf(live, "tool_finished")).toMatchObject([{ status: "ok", tool: "web-scraping" }]);
    expect(turn.usage).toMatchObject({ input_tokens: 22, output_tokens: 14 });
    expect(gate.requests.filter(({ body }) => body.includes("weather?"))).toHaveLength(2);
  });

  it("a bot runs two calls at once and gives their results back in the order of the calls", async () => {
    const { models, pages } = bot();
    const toolCalls = ["/slow", "/quick"].map((path) => ({
      name: "web-scraping",
      arguments: JSON.stringify({ url: pages.url + path }),
    }));
    await models.add([
      { match: { userMessage: "both", hasToolResult: false }, response: { toolCalls } },
      { match: { userMessage: "both", hasToolResult: true }, response: { content: sentence } },
    ]);
    pages.close(({ path }) => path === "/slow");
    const opened = pages
      .reached(1, ({ path }) => path === "/quick")
      .then(() => pages.reached(1, ({ path }) => path === "/slow"))
      .then(() => pages.open());
    const [{ end }] = await Promise.all([ask("both"), opened]);
    expect(end).toMatchObject({ outcome: "completed", text: sentence });
    const asked = (await models.requests()).at(-1)?.body.messages as { role: string; content: unknown }[];
    const results = asked.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
    expect(results).toEqual([
      expect.stringContaining("the page called /slow"),
      expect.stringContaining("the page called /quick"),
    ]);
  });

  it("a bot declares the text of a cut stream void and shows the answer once", async () => {
    const cut = { truncateAfterChunks: 9, latency: 5, chunkSize: 4 };
    const answer = { content: sentence };
    await bot().models.add([
      { match: { userMessage: "cut", sequenceIndex: 0 }, response: answer, ...cut },
      { match: { userMessage: "cut", sequenceIndex: 1 }, response: answer },
    ]);
    const { end, live } = await ask("cut");
    expect(end).toMatchObject({ outcome: "completed", text: sentence });
    const kinds = live.map(({ type }) => type);
    expect(kinds.indexOf("text_reset")).toBeGreaterThan(kinds.indexOf("text_delta"));
    const valid = live.slice(kinds.lastIndexOf("text_reset"));
    expect(
      eventsOf(valid, "text_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe(sentence);
  });

  it("a bot names the variable of a refused key, and shows no part of it", async () => {
    const error = { message: "Incorrect API key: sk-test-0123456789", type: "authentication_error" };
    await bot().models.add([{ match: { userMessage: "refused" }, response: { error, status: 401 } }]);
    const { end, live } = await ask("refused");
    expect(end.outcome).toBe("failed");
    expect(end.text).toContain(keyName);
    expect(eventsOf(live, "error")).toMatchObject([{ code: "unauthorized" }]);
    expect(JSON.stringify(live)).not.toContain("0123456789");
  });
});
