import { text as readText } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { WantedImage } from "../../../src/core/image-maker.ts";
import { createImageMaker } from "../../../src/models/create-image-maker.ts";
import { startServer } from "../net/local-server.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString("base64");
const wanted: WantedImage = { prompt: "A cat", shape: "wide", count: 1 };
const signal = new AbortController().signal;
const clock = { sleep: async () => undefined };

/** Asks a server that answers these one after another. */
async function make(replies: { status?: number; body: unknown }[], given = wanted, server = "openai") {
  const seen: { path: string; body: string }[] = [];
  await using local = await startServer(async (request, response) => {
    seen.push({ path: request.url ?? "", body: await readText(request) });
    const { status = 200, body } = replies[Math.min(seen.length, replies.length) - 1] ?? { body: {} };
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const maker = createImageMaker(
    {
      images: "box/gpt-image-2.5-flare",
      providers: {
        box: { kind: "openai", server, apiKey: "secret-key", baseUrl: `${local.origin}/v1`, needsKey: false },
      },
      prices: { "box/gpt-image-2.5-flare": { input: 5, output: 30 } },
    },
    clock,
  );
  const made = await maker.make(given, signal).catch((error: unknown) => error as Error);
  return { made, seen };
}

describe("pictures of an OpenAI-compatible server", () => {
  it("are asked for by shape and number, and cost what the settings say", async () => {
    const { made, seen } = await make([
      {
        body: {
          data: [{ b64_json: png, revised_prompt: "A nice cat" }],
          usage: { input_tokens: 100, output_tokens: 1_000 },
        },
      },
    ]);
    expect(made).toMatchObject({
      images: [{ media_type: "image/png" }],
      model: "box/gpt-image-2.5-flare",
      revised_prompt: "A nice cat",
      usage: { cost_usd: 0.0305 },
    });
    expect(seen[0]?.path).toBe("/v1/images/generations");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ prompt: "A cat", n: 1, size: "1536x1024" });
  });

  it("are asked of xAI by ratio", async () => {
    const { seen } = await make([{ body: { data: [{ b64_json: png }] } }], wanted, "xai");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ aspect_ratio: "16:9" });
  });

  it("are changed where pictures come with the words", async () => {
    const from = [{ name: "a.png", media_type: "image/png", data: new Uint8Array([1, 2]) }];
    const { seen } = await make([{ body: { data: [{ b64_json: png }] } }], { ...wanted, from });
    expect(seen[0]?.path).toBe("/v1/images/edits");
    expect(seen[0]?.body).toContain('filename="a.png"');
  });

  it("are asked for once more after a failure that passes", async () => {
    const { made, seen } = await make([{ status: 503, body: {} }, { body: { data: [{ b64_json: png }] } }]);
    expect(seen).toHaveLength(2);
    expect(made).toMatchObject({ images: [{}] });
  });

  it.each([
    [400, { error: { message: "safety" } }, /may not be allowed/],
    [401, {}, /refused the key/],
    [200, { data: [] }, /sent none/],
    [200, { data: [{ b64_json: Buffer.from("<html>").toString("base64") }] }, /sent none/],
    [200, { nope: 1 }, /unreadable/],
  ])("fail in plain words without a key: %s %j", async (status, body, words) => {
    const { made } = await make([{ status, body }]);
    expect(String(made)).toMatch(words);
    expect(String(made)).not.toContain("secret-key");
  });
});
