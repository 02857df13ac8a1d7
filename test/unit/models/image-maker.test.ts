import { text as readText } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { WantedImage } from "../../../src/core/ports/services.ts";
import { createImageMaker, type ImageSettings } from "../../../src/models/openai/image-maker.ts";
import { createDownload } from "../../../src/net/create-download.ts";
import { startServer } from "../net/local-server.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString("base64");
const wanted: WantedImage = { prompt: "A cat", shape: "wide", count: 1 };
const signal = new AbortController().signal;
const clock = { sleep: async () => undefined };

/** Asks a server that answers these one after another. */
async function make(
  replies: { status?: number; body: unknown }[],
  given = wanted,
  server = "openai",
  prices: ImageSettings["prices"] = { "box/gpt-image-2.5-flare": { input: 5, output: 30 } },
  fetchImage: Parameters<typeof createImageMaker>[2] = createDownload({ allow: [] }),
) {
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
      prices,
    },
    clock,
    fetchImage,
  );
  const made = await maker.make(given, signal).catch((error: unknown) => error as Error);
  return { made, seen };
}

describe("pictures of an OpenAI-compatible server", () => {
  it("generated pictures are requested by shape and number, and cost what the settings say", async () => {
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

  it("generated pictures are requested from xAI by ratio", async () => {
    const { seen } = await make([{ body: { data: [{ b64_json: png }] } }], wanted, "xai");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ aspect_ratio: "16:9" });
  });

  it("generated pictures are edits where pictures come with the words", async () => {
    const from = [{ name: "a.png", media_type: "image/png", data: new Uint8Array([1, 2]) }];
    const { seen } = await make([{ body: { data: [{ b64_json: png }] } }], { ...wanted, from });
    expect(seen[0]?.path).toBe("/v1/images/edits");
    expect(seen[0]?.body).toContain('filename="a.png"');
  });

  it("generated pictures are edited by xAI in JSON, which says what it charged", async () => {
    const from = [{ name: "a.png", media_type: "image/png", data: new Uint8Array([1, 2]) }];
    const body = { data: [{ b64_json: png }], usage: { cost_in_usd_ticks: 600_000_000 } };
    const one = await make([{ body }], { ...wanted, from }, "xai", {});
    expect(one.seen[0]?.path).toBe("/v1/images/edits");
    const image = { type: "image_url", url: "data:image/png;base64,AQI=" };
    expect(JSON.parse(one.seen[0]?.body ?? "")).toMatchObject({ prompt: "A cat", image });
    expect(one.made).toMatchObject({ usage: { cost_usd: 0.06 } });
    const two = await make([{ body }], { ...wanted, from: [...from, ...from] }, "xai");
    expect(JSON.parse(two.seen[0]?.body ?? "")).toMatchObject({ images: [image, image] });
  });

  it("generated pictures are refused where they are too large to be posted", async () => {
    const body = { data: [{ url: "https://example.com/large.png" }] };
    const fetchLarge = async () => ({ ok: true as const, data: new Uint8Array(25_000_001) });
    const { made } = await make([{ body }], wanted, "openai", {}, fetchLarge);
    expect(String(made)).toMatch(/more than 25.0 MB/);
  });

  it.each([
    ["in its address", { url: `data:image/png;base64,${png}` }],
    ["with its type before it", { b64_json: `data:image/png;base64,${png}` }],
    ["and more than were asked for", { b64_json: png }],
  ])("generated pictures are taken as servers send them: %s", async (_name, one) => {
    const { made } = await make([{ body: { data: [one, { b64_json: png }] } }]);
    expect(made).toMatchObject({ images: [{ media_type: "image/png", data: Buffer.from(png, "base64") }] });
  });

  it("generated pictures are not fetched from private addresses that a server names", async () => {
    const { made } = await make([{ body: { data: [{ url: "http://127.0.0.1:1/secret.png" }] } }]);
    expect(String(made)).toMatch(/none that can be fetched/);
  });

  it("generated pictures are requested once more after a temporary failure", async () => {
    const { made, seen } = await make([{ status: 503, body: {} }, { body: { data: [{ b64_json: png }] } }]);
    expect(seen).toHaveLength(2);
    expect(made).toMatchObject({ images: [{}] });
  });

  it.each([
    [400, { error: { message: "safety" } }, /its rules, its format or its length/],
    [400, { error: { message: "no", code: "moderation_blocked" } }, /rules do not allow/],
    [401, {}, /refused the bot.s key/],
    [200, { data: [] }, /sent none/],
    [200, { data: [{ b64_json: Buffer.from("<html>").toString("base64") }] }, /none that can be shown/],
    [200, { nope: 1 }, /unreadable/],
  ])("generated pictures fail in plain words without a key: %s %j", async (status, body, words) => {
    const { made } = await make([{ status, body }]);
    expect(String(made)).toMatch(words);
    expect(String(made)).not.toContain("secret-key");
  });
});
