import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { refreshCatalogue } from "../../../../.ci/refresh-models.ts";
import { listedServers } from "../../../../src/models/catalogue/catalogue-format.ts";

const cost = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };
const chat = (id: string, more: object = {}) => ({
  [`chat:${id}`]: {
    ...{ id, reasoning: true, input: ["text", "image"], contextWindow: 200_000, maxTokens: 64_000, cost },
    ...more,
  },
});
const files = ["azure", ...listedServers.map((server) => (server === "gemini" ? "google" : server))];

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "knack-models-"));
  file = path.join(folder, "models.json");
  await mkdir(path.join(folder, "dist", "providers", "data"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ version: "9.9.9" }));
  for (const name of files) await offer(name, { api: chat(`${name}-model`) });
});
afterEach(() => rm(folder, { recursive: true }));

const offer = (name: string, models: unknown) =>
  writeFile(path.join(folder, "dist", "providers", "data", `${name}.json`), JSON.stringify(models));

const refresh = (day = "2026-11-23") => refreshCatalogue(folder, file, day);

async function written() {
  const { models, ...head } = JSON.parse(await readFile(file, "utf8"));
  return { models, head };
}

it("the refreshed catalogue has each model with its facts, one line each, and names its source", async () => {
  const tiers = [{ inputTokensAbove: 100_000, input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }];
  const thinkingLevelMap = { off: null, minimal: null, xhigh: "xhigh" };
  const compat = { supportsMidConvoToolChanges: true };
  const more = {
    thinkingLevelMap,
    compat,
    cost: { ...cost, tiers },
    name: "Rose",
    baseUrl: "https://x.example",
  };
  await offer("anthropic", {
    messages: chat("rose", more),
    other: chat("bare", { reasoning: false, input: ["text"] }),
  });
  const lines = await refresh();
  const { models, head } = await written();
  expect(head).toMatchObject({ source: "@earendil-works/pi-ai 9.9.9", date: "2026-11-23" });
  const price = { input: 1, output: 5, cached_input: 0.1, cache_write: 1.25 };
  expect(models.anthropic).toEqual({
    bare: {
      context: 200_000,
      output: 64_000,
      images: false,
      thinking: "none",
      efforts: [],
      in_place: [],
      price,
    },
    rose: {
      ...{ context: 200_000, output: 64_000, images: true, thinking: "always" },
      ...{ efforts: ["low", "medium", "high", "xhigh"], in_place: ["tools"] },
      price: {
        ...price,
        tiers: [{ above: 100_000, input: 2, output: 10, cached_input: 0.2, cache_write: 2.5 }],
      },
    },
  });
  expect((await readFile(file, "utf8")).split("\n").filter((line) => line.includes('"rose"'))).toHaveLength(
    1,
  );
  expect(lines).toContain("added: anthropic/rose");
});

it("the refreshed catalogue takes OpenAI's whole window from Azure where the source ends it at a dearer price", async () => {
  const tiers = [{ ...cost, inputTokensAbove: 200_000 }];
  await offer("openai", { api: { ...chat("cut", { cost: { ...cost, tiers } }), ...chat("small") } });
  await offer("azure", {
    api: { ...chat("cut", { contextWindow: 900_000 }), ...chat("small", { contextWindow: 900_000 }) },
  });
  await refresh();
  const { openai } = (await written()).models;
  expect([openai.cut.context, openai.small.context]).toEqual([900_000, 200_000]);
});

it("the refreshed catalogue has no price for what the source does not know, nor for what is free by name", async () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  await offer("openrouter", {
    api: {
      ...chat("auto", { cost: free }),
      ...chat("x/rose:free", { cost: free }),
      ...chat("x/rose:batch"),
      ...chat("x/rose", { cost: { ...free, input: 1 } }),
    },
  });
  await refresh();
  const { openrouter } = (await written()).models;
  expect(Object.keys(openrouter)).toEqual(["auto", "x/rose", "x/rose:free"]);
  const prices = ["auto", "x/rose", "x/rose:free"].map((name) => openrouter[name].price);
  expect(prices).toEqual([undefined, { input: 1, output: 0 }, { input: 0, output: 0 }]);
});

it("the refreshed catalogue leaves out and names broken models, and skips those that do not chat", async () => {
  await offer("xai", {
    api: {
      ...chat("fine"),
      ...chat("other"),
      ...chat("dear", { cost: { ...cost, input: "much" } }),
      ...chat("boundless", { contextWindow: 0 }),
      "image:painter": { id: "painter" },
    },
  });
  const lines = await refresh();
  expect(Object.keys((await written()).models.xai)).toEqual(["fine", "other"]);
  expect(lines.filter((line) => line.startsWith("left out"))).toEqual([
    expect.stringMatching(/^left out: xai\/dear: cost\.input: /),
    expect.stringMatching(/^left out: xai\/boundless: contextWindow: /),
  ]);
});

it("the refreshed catalogue says what was added and removed, and which prices and facts changed", async () => {
  await offer("groq", { api: { ...chat("old"), ...chat("dearer"), ...chat("wider"), ...chat("same") } });
  await refresh();
  const now = {
    ...chat("new"),
    ...chat("dearer", { cost: { ...cost, input: 3 } }),
    ...chat("wider", { contextWindow: 300_000 }),
    ...chat("same"),
  };
  await offer("groq", { api: now });
  const lines = await refresh("2026-11-30");
  expect(lines).toEqual([
    expect.stringMatching(/^\d+ models of @earendil-works\/pi-ai 9\.9\.9$/),
    "added: groq/new",
    "removed: groq/old",
    expect.stringMatching(/^price of groq\/dearer: \{"input":1,.* -> \{"input":3,/),
    expect.stringMatching(/^changed: groq\/wider: \{"context":200000,.* -> \{"context":300000,/),
  ]);
  expect((await written()).head.date).toBe("2026-11-30");
});

it.each([
  ["has no models", { api: {} }],
  ["has models in another form", { models: [{ id: "rose" }] }],
  ["is mostly broken", { api: { ...chat("fine"), ...chat("a", { cost: 1 }), ...chat("b", { cost: 1 }) } }],
])("the old catalogue is kept when a file of the source %s", async (_what, models) => {
  await refresh();
  const before = await readFile(file, "utf8");
  await offer("mistral", models);
  const failure = expect.objectContaining({
    code: "catalogue_source",
    message: expect.stringContaining("mistral.json is not as expected"),
  });
  await expect(refresh()).rejects.toEqual(failure);
  expect(await readFile(file, "utf8")).toBe(before);
});

it("the old catalogue is kept when a file of the source is gone", async () => {
  await refresh();
  const before = await readFile(file, "utf8");
  await rm(path.join(folder, "dist", "providers", "data", "google.json"));
  await expect(refresh()).rejects.toMatchObject({ code: "catalogue_source" });
  expect(await readFile(file, "utf8")).toBe(before);
});
