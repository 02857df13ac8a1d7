import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { abilitiesOf } from "../../../../src/models/anthropic/models.ts";
import {
  catalogueSchema,
  type ListedServer,
  listedServers,
} from "../../../../src/models/catalogue/catalogue-format.ts";
import {
  retirements,
  smallModels,
  smallModelsOfVendors,
} from "../../../../src/models/catalogue/hand-kept.ts";
import { modelFacts, smallModelFor } from "../../../../src/models/catalogue/model-facts.ts";
import { openAiFamily } from "../../../../src/models/openai/family.ts";
import { type ServerKind, serverKindOf } from "../../../../src/models/server-kind.ts";

const file = new URL("../../../../src/models/catalogue/models.json", import.meta.url);
const { models, source, notice } = catalogueSchema.parse(JSON.parse(await readFile(file, "utf8")));

type Case = [ServerKind | undefined, string, number | undefined, number | undefined, number | undefined];

describe("a window, output tokens and minutes in the cache", () => {
  const listed: Case[] = [
    ["anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, 5],
    ["anthropic", "claude-sonnet-4-5-20250929", 200_000, 64_000, 5],
    ["anthropic", "claude-opus-4.8", 1_000_000, 128_000, 5],
    ["anthropic", "claude-opus-4-5@20251101", 200_000, 64_000, 5],
    ["openrouter", "anthropic/claude-fable-5-2", 1_000_000, 128_000, 5],
    ["openrouter", "claude-sonnet-5.5", 1_000_000, 128_000, 5],
    ["openrouter", "openai/gpt-6.1-terra:nitro", 1_050_000, 128_000, 30],
    ["openai", "gpt-6-astra", 1_050_000, 128_000, 30],
    ["openai", "GPT-6-Luna", 1_050_000, 128_000, 30],
    ["openai", "openai/gpt-5-mini-2025-08-07", 400_000, 128_000, 5],
    ["azure", "gpt-5.6-luna", 1_050_000, 128_000, 30],
    ["groq", "openai/gpt-oss-120b", 131_072, 65_536, undefined],
    ["groq", "gpt-oss-120b", 131_072, 65_536, undefined],
    ["gemini", "models/gemini-3.8-flash", 1_048_576, 65_536, undefined],
    ["mistral", "mistral-large", 262_144, 262_144, undefined],
    [undefined, "gpt-4o-mini", 128_000, 16_384, 5],
  ];
  const ofFamily: Case[] = [
    ["anthropic", "claude-opus-6", 1_000_000, 128_000, 5],
    ["anthropic", "claude-next", 200_000, 64_000, 5],
    ["anthropic", "claude-3-haiku-20240307", 200_000, 4096, 5],
    ["openai", "gpt-7-sol", 1_050_000, 128_000, 30],
    ["openai", "gpt-5.1-chat-latest", 128_000, 16_384, 5],
    ["openrouter", "google/gemini-9-flash", 1_048_576, 65_536, undefined],
  ];
  const unknown: Case[] = [
    ["openai", "sunflower", undefined, undefined, undefined],
    ["ollama", "llama3.3:70b", undefined, undefined, undefined],
    ["vllm", "openai/gpt-oss-120b", undefined, undefined, undefined],
    ["ollama", "claude-sonnet-5-5", undefined, undefined, undefined],
    [undefined, "openai/gpt-oss-120b", undefined, undefined, undefined],
    [undefined, "gemma-4-31b-it", undefined, undefined, undefined],
    [undefined, "constructor", undefined, undefined, undefined],
  ];
  it.each([...listed, ...ofFamily, ...unknown])(
    "the window, output tokens and cache minutes are known at %s, of %s: %s, %s, %s",
    (server, name, window, output, minutes) => {
      const facts = modelFacts(server, name);
      expect([facts.window, facts.output]).toEqual([window, output]);
      expect(facts.cache_ms).toBe(minutes === undefined ? undefined : minutes * 60_000);
    },
  );
});

it.each([
  ["anthropic", "claude-fable-5-2", "always", true],
  ["anthropic", "claude-haiku-5-5", "adaptive", true],
  ["anthropic", "claude-haiku-4-5", "switchable", true],
  ["openai", "o3-mini", "always", false],
  ["openai", "gpt-4.1", "none", true],
  ["openai", "gpt-7-sol", undefined, undefined],
] as const)("the model at %s, %s thinks: %s, and takes pictures: %s", (server, name, thinking, images) => {
  expect(modelFacts(server, name)).toEqual(
    expect.objectContaining(thinking === undefined ? {} : { thinking, images }),
  );
  expect(modelFacts(server, name).images).toBe(images);
});

it.each([
  ["openai", "gpt-6.1-sol", ["low", "medium", "high", "xhigh", "max"]],
  ["openai", "gpt-6.1-terra", ["none", "low", "medium", "high", "xhigh", "max"]],
  ["openai", "gpt-4.1", []],
  ["deepseek", "deepseek-flash", ["low", "high", "max"]],
  ["together", "moonshotai/Kimi-K3", []],
  ["gemini", "gemini-2.5-flash", undefined],
  ["openai", "gpt-7-luna", ["none", "low", "medium", "high", "xhigh", "max"]],
  ["groq", "sunflower", undefined],
] as const)("the model at %s, %s knows the efforts %j", (server, name, efforts) => {
  expect(modelFacts(server, name).efforts).toEqual(efforts);
});

describe("a price", () => {
  it.each([
    ["openai", "gpt-5-mini-2025-08-07", 0.25],
    ["azure", "gpt-5-mini", 0.25],
    ["openrouter", "anthropic/claude-sonnet-5.5", 2],
    ["openrouter", "google/gemma-4-31b-it:free", 0],
    // A variant that is not listed costs something else than its model.
    ["openrouter", "openai/gpt-6.1-terra:nitro", undefined],
    // What these cost is another model's price.
    ["openrouter", "openrouter/auto", undefined],
    ["openai", "gpt-7-sol", undefined],
    ["ollama", "gpt-oss:20b", undefined],
    // Proxies pass requests on to the vendor.
    [undefined, "gpt-5-mini", 0.25],
    [undefined, "deepseek-flash", undefined],
  ] as const)("the price is known at %s, of %s: %s", (server, name, input) => {
    expect(modelFacts(server, name).price?.input).toBe(input);
  });
});

describe("the end of a model", () => {
  it.each([
    ["anthropic", "claude-sonnet-4-5", "2026-11-30", "claude-sonnet-5-5"],
    ["anthropic", "claude-sonnet-4-5-20250929", "2026-11-30", "claude-sonnet-5-5"],
    ["anthropic", "claude-sonnet-4-20250514", "2026-06-15", "claude-sonnet-4-6"],
    ["anthropic", "claude-sonnet-4-6", undefined, undefined],
    ["openai", "gpt-4o-2024-05-13", "2026-10-23", "gpt-5.6-sol"],
    ["openai", "gpt-4o-2024-08-06", "2027-01-14", "gpt-6-luna"],
    ["openai", "gpt-5.4-mini", undefined, undefined],
    ["azure", "gpt-5", undefined, undefined],
    ["openrouter", "anthropic/claude-sonnet-4.5", undefined, undefined],
    ["vllm", "gpt-5", undefined, undefined],
  ] as const)("the end of a model is known at %s, of %s: %s, then %s", (server, name, retires, successor) => {
    const facts = modelFacts(server, name);
    expect([facts.retires, facts.successor]).toEqual([retires, successor]);
  });
});

it.each([
  ["anthropic", "claude-sonnet-5-5", "claude-haiku-5-5"],
  ["anthropic", "claude-haiku-5.5", undefined],
  ["openai", "gpt-6.1-terra", "gpt-6-luna"],
  ["azure", "gpt-6.1-sol", "gpt-6-luna"],
  ["openrouter", "anthropic/claude-opus-5.5", "anthropic/claude-haiku-5.5"],
  ["openrouter", "anthropic/claude-haiku-5.5", undefined],
  ["openrouter", "moonshotai/kimi-k3", undefined],
  ["gemini", "gemini-3.8-flash", "gemini-3.5-flash-lite"],
  ["xai", "grok-4.7", undefined],
  ["ollama", "llama", undefined],
  [undefined, "gpt-6.1-terra", undefined],
] as const)("the small model at %s, next to %s is %s", (server, name, small) => {
  expect(smallModelFor(server, name)).toBe(small);
});

it.each([
  ["api.openai.com", "openai", "openai"],
  ["eu.api.openai.com", undefined, "openai"],
  ["127.0.0.1:11434", "openai", undefined],
  ["127.0.0.1:11434", "ollama", "ollama"],
  ["proxy.example.com", "anthropic", undefined],
  ["mine.openai.azure.com", "openai", "azure"],
  ["OpenRouter.ai:443", undefined, "openrouter"],
  ["api.openai.com.example.com", undefined, undefined],
] as const)("the server at %s, told to be %s, is %s", (host, told, kind) => {
  expect(serverKindOf(host, told)).toBe(kind);
});

/** Names in `retirements` that the catalogue does not list. */
const unlisted: Readonly<Partial<Record<ListedServer, readonly string[]>>> = {
  anthropic: ["claude-opus-4-1", "claude-sonnet-4", "claude-sonnet-4-0", "claude-opus-4", "claude-opus-4-0"],
  openai: ["gpt-3.5-turbo"],
  xai: ["grok-3", "grok-4-0709", "grok-4-fast-reasoning", "grok-4-1-fast-reasoning", "grok-code-fast-1"],
};

describe("what is kept by hand", () => {
  it.each(listedServers)(
    "manual entries about %s are about models it lists, or that are known to be gone",
    (server) => {
      const ends = (retirements[server] ?? []).flatMap((end) => end.models);
      const isListed = (name: string) => Object.hasOwn(models[server], name);
      const small = smallModels[server];
      expect(ends.filter((name) => !isListed(name)).toSorted()).toEqual(
        [...(unlisted[server] ?? [])].toSorted(),
      );
      expect(small === undefined || isListed(small)).toBe(true);
      expect((retirements[server] ?? []).filter((end) => !isListed(end.successor))).toEqual([]);
    },
  );

  it("manual entries name small models of OpenRouter that it lists", () => {
    for (const name of Object.values(smallModelsOfVendors)) expect(models.openrouter).toHaveProperty([name]);
  });

  it("manual entries about system messages in the middle match the source", () => {
    for (const [name, { in_place }] of Object.entries(models.anthropic)) {
      const { inline, effortChange } = abilitiesOf(name, true);
      const kept = [...(inline ? ["tools"] : []), ...(effortChange ? ["effort"] : [])];
      expect([name, kept]).toEqual([name, in_place]);
    }
  });

  it("manual entries about the efforts of Claude match the source", () => {
    for (const [name, { efforts }] of Object.entries(models.anthropic)) {
      if (efforts !== undefined) expect([name, abilitiesOf(name, true).efforts]).toEqual([name, efforts]);
    }
  });

  it("manual entries about the efforts of OpenAI's families match the source", () => {
    const differ = Object.entries(models.openai).filter(([name, { efforts }]) => {
      const family = openAiFamily(name);
      return family !== undefined && JSON.stringify(family.efforts) !== JSON.stringify(efforts);
    });
    // Variants that never rest, which their names do not tell.
    expect(differ.map(([name]) => name)).toEqual(["gpt-5.3-codex-spark", "gpt-5.6-cyber"]);
  });
});

it("the catalogue keeps the license of its source", () => {
  expect(source).toMatch(/^@earendil-works\/pi-ai \d/);
  expect(notice).toContain("Copyright (c) 2025 Mario Zechner");
});
