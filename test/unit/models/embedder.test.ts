import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createEmbedder, type EmbeddingSettings } from "../../../src/models/openai/embedder.ts";
import { recordingClock } from "./recording-clock.ts";
import { sendJson, startWireServer, type WireServer } from "./wire-server.ts";

const signal = new AbortController().signal;
let server: WireServer;
afterEach(() => server.stop());

/** A server that answers with what `answer` makes of each request's texts, and a bot that uses it. */
async function embedder(
  answer: (texts: string[], response: ServerResponse, request: number) => void,
  settings: Partial<EmbeddingSettings> = {},
) {
  let requests = 0;
  server = await startWireServer((response, { input }) => answer(input as string[], response, ++requests));
  const reported: unknown[] = [];
  const clock = recordingClock();
  const here = {
    kind: "openai",
    apiKey: "sk-vectors",
    baseUrl: `${server.url}/v1`,
    server: "openai",
  } as const;
  const made = createEmbedder(
    { embeddings: "openai/some-model", providers: { openai: here, mistral: here }, ...settings },
    clock,
    (error) => reported.push(error),
  );
  return { embed: (texts: string[], stop = signal) => made.embed(texts, stop), made, reported, clock };
}

/** A vector for each text, the last first: its number of characters, and 1. */
const vectors = (texts: string[], response: ServerResponse) =>
  sendJson(response, {
    data: texts.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse(),
    usage: { prompt_tokens: 10 * texts.length, total_tokens: 10 * texts.length },
  });

describe("vectors of texts", () => {
  it("vectors have length 1, the order of the texts, the key and the plainest format", async () => {
    const { embed, made } = await embedder(vectors);
    const found = await embed(["four", ""]);
    expect(made.model).toBe("openai/some-model");
    expect(found?.model).toBe("openai/some-model");
    expect(found?.vectors.map((vector) => vector[0])).toEqual([
      expect.closeTo(4 / Math.sqrt(17), 5),
      expect.closeTo(1 / Math.sqrt(2), 5),
    ]);
    expect(server.bodies).toEqual([{ model: "some-model", input: ["four", "-"], encoding_format: "float" }]);
    expect(server.headers[0]?.authorization).toBe("Bearer sk-vectors");
  });

  it("vectors are requested in batches that servers take, with long texts cut", async () => {
    const { embed } = await embedder(vectors);
    const found = await embed(["x".repeat(50_000), ...Array.from({ length: 140 }, () => "short")]);
    expect(found?.vectors).toHaveLength(141);
    expect(found?.usage.input_tokens).toBe(1_410);
    const inputs = server.bodies.map(({ input }) => input as string[]);
    expect(inputs.map((input) => input.length)).toEqual([64, 64, 13]);
    expect(inputs[0]?.[0]).toHaveLength(6_000);
  });

  it("vectors of models that allow it are shortened", async () => {
    const long = (texts: string[], response: ServerResponse) =>
      sendJson(response, { data: texts.map(() => ({ embedding: Array.from({ length: 1_536 }, () => 1) })) });
    const { embed } = await embedder(long, { embeddings: "openai/text-embedding-3-small" });
    const [vector] = (await embed(["a"]))?.vectors ?? [];
    expect([vector?.length, vector?.[0]]).toEqual([768, expect.closeTo(1 / Math.sqrt(768), 5)]);
  });

  it.each<[string, Partial<EmbeddingSettings>, number | undefined]>([
    ["by the price of the settings", { prices: { "openai/some-model": { input: 2, output: 0 } } }, 0.00002],
    ["not where it is unknown", {}, undefined],
  ])("vectors are priced: %s", async (_name, settings, cost) => {
    const { embed } = await embedder(vectors, settings);
    expect((await embed(["a"]))?.usage.cost_usd).toEqual(cost);
  });
});

describe("a failure", () => {
  it("a temporary failure is tried again after the time the server names", async () => {
    const { embed, clock, reported } = await embedder((texts, response, request) => {
      if (request === 1) response.setHeader("retry-after", "3");
      if (request < 3) sendJson(response, { error: { message: "slow down" } }, 429);
      else vectors(texts, response);
    });
    expect((await embed(["a"]))?.vectors).toHaveLength(1);
    expect([clock.sleeps, reported]).toEqual([[3_000, 1_000], []]);
  });

  it("a lasting failure answers nothing and is reported once, until it has worked again", async () => {
    let isDown = true;
    const { embed, reported } = await embedder((texts, response) =>
      isDown
        ? sendJson(response, { error: { message: "Incorrect key sk-vectors" } }, 401)
        : vectors(texts, response),
    );
    expect([await embed(["a"]), await embed(["a"])]).toEqual([undefined, undefined]);
    expect(reported).toEqual([expect.objectContaining({ code: "unauthorized" })]);
    expect(String(reported[0])).not.toContain("sk-vectors");
    isDown = false;
    expect(await embed(["a"])).toBeDefined();
    isDown = true;
    await embed(["a"]);
    expect(reported).toHaveLength(2);
  });

  it.each<[string, unknown, string]>([
    ["too few vectors", { data: [] }, "bad_response"],
    ["no numbers", { data: [{ index: 0, embedding: "AAAA" }] }, "bad_response"],
    ["no direction", { data: [{ index: 0, embedding: [0, 0] }] }, "bad_response"],
    ["a page", "<html>", "unavailable"],
  ])("a server that sends %s gives no vectors, and is reported", async (_name, answer, code) => {
    const { embed, reported } = await embedder((_texts, response) => sendJson(response, answer));
    expect(await embed(["a"])).toBeUndefined();
    expect(reported).toEqual([expect.objectContaining({ code })]);
  });

  it("a stopped embedding rejects with the stop and is not reported", async () => {
    const { embed, reported } = await embedder(vectors);
    await expect(embed(["a"], AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(reported).toEqual([]);
  });

  it("vectors that are switched off answer nothing and ask no server", async () => {
    const { made, embed } = await embedder(vectors, { embeddings: "off" });
    expect([made.model, await embed(["a"])]).toEqual([undefined, undefined]);
    expect(server.bodies).toEqual([]);
  });
});
