import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../../src/config/schema.ts";
import { createModels, type ModelsSettings } from "../../../../src/models/create-models.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { tellOfInternalWork } from "../../../../src/wiring/tell-at-start.ts";
import { collect, requestOf } from "../collect.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";

const models = (settings: Partial<ModelsSettings> = {}) =>
  createModels({ choice: "anthropic/claude-sonnet-5-5", ...settings }, systemClock);

describe("the model for small work", () => {
  it.each<[string, Partial<ModelsSettings>, string]>([
    ["of the same provider", {}, "anthropic/claude-haiku-5-5"],
    ["of the same provider", { choice: "openai/gpt-6.1-sol" }, "openai/gpt-6-luna"],
    ["the same, where it is the small one", { choice: "openai/gpt-6-luna" }, "openai/gpt-6-luna"],
    ["the same, where it is not wanted", { small: "off" }, "anthropic/claude-sonnet-5-5"],
    ["the one that is named", { small: "openai/gpt-5.4-mini" }, "openai/gpt-5.4-mini"],
    ["none, where there is no model that writes", { choice: "offline" }, "offline"],
    [
      "the same, at a server nobody knows",
      { choice: "local/big", providers: { local: { kind: "openai", baseUrl: "http://127.0.0.1:1/v1" } } },
      "local/big",
    ],
    [
      "the same, where people name their deployments themselves",
      {
        choice: "work/gpt-6.1-sol",
        providers: { work: { kind: "openai", baseUrl: "https://x.openai.azure.com/openai/v1" } },
      },
      "work/gpt-6.1-sol",
    ],
  ])("the model for small work is %s: %j", (_, settings, expected) => {
    const all = models(settings);
    expect(all.small(all.main).id).toBe(expected);
  });

  it("the model for small work goes with the model of the channel", () => {
    const all = models();
    expect(all.small(all.named("openai/gpt-6.1-terra")).id).toBe("openai/gpt-6-luna");
  });
});

describe("the start of a bot behind a gateway", () => {
  const gateway = { api_key: "key", base_url: "https://gateway.example" };
  const told = (choice: string, small: string, anthropic: object) => {
    const lines: string[] = [];
    const note = (_fields: object, line: string) => void lines.push(line);
    const logger = { debug: note, info: note, warn: note, error: note };
    tellOfInternalWork(configSchema.parse({ model: { choice, small, anthropic } }), logger);
    return lines;
  };

  it("the start of a bot behind a gateway tells which model does the internal work", () => {
    expect(told("anthropic/claude-sonnet-5-5", "auto", gateway)).toEqual([
      "anthropic/claude-sonnet-5-5 also does the internal work, such as summaries: which models its server has is unknown. Set KNACK_MODEL_SMALL to a small one, e.g. anthropic/claude-haiku-5-5, or to off.",
    ]);
  });

  it.each([
    ["it is configured", "anthropic/claude-sonnet-5-5", "off", gateway],
    ["the model is the small one", "anthropic/claude-haiku-5-5", "auto", gateway],
    ["no vendor has the model", "anthropic/our-model", "auto", gateway],
    ["the vendor is asked itself", "anthropic/claude-sonnet-5-5", "auto", {}],
    ["there is no model", "offline", "auto", {}],
  ] as const)(
    "the start of a bot says nothing of internal work where %s",
    (_why, choice, small, providers) => {
      expect(told(choice, small, providers)).toEqual([]);
    },
  );
});

describe("a model that people choose", () => {
  it.each([
    ["anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5"],
    ["openai/gpt-6-luna", "openai/gpt-6-luna"],
    ["claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"],
  ])("a model that people choose is %s", (name, expected) => {
    expect(models().choose(name)).toMatchObject({ ok: true, name: expected });
  });

  it("a chosen model that nobody knows is reported as such", () => {
    expect(models().choose("anthropic/claude-nextyear-9")).toMatchObject({ ok: true });
    const local = { local: { kind: "openai", baseUrl: "http://127.0.0.1:1/v1" } } as const;
    expect(models({ providers: local }).choose("local/anything")).toMatchObject({
      ok: true,
      note: expect.stringContaining("`knack models`"),
    });
  });

  it("a chosen model that ends soon is reported as such", () => {
    expect(models().choose("anthropic/claude-sonnet-4-5")).toMatchObject({
      ok: true,
      note: "It ends on 2026-11-30.",
    });
  });

  it.each([
    ["nowhere/model", "Known providers: openai, anthropic."],
    ["gpt-6-luna", "write provider/model"],
    ["openai/", "write provider/model"],
    ["", "write provider/model"],
  ])("a chosen model cannot be one of a missing provider: %j", (name, words) => {
    expect(models().choose(name)).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });

  it.each([
    ["anthropic/claude-haiku-5-5", true],
    ["openai/gpt-6-luna", true],
    ["openai/gpt-6-astra", false],
    ["anthropic2/x", false],
  ])("a model may be chosen only if it is allowed: %s", (name, ok) => {
    const allowed = ["anthropic/*", "openai/gpt-6-luna"];
    const all = models({ allowed });
    expect(all.choose(name).ok).toBe(ok);
    if (!ok)
      expect(all.choose(name)).toMatchObject({
        message: expect.stringContaining("anthropic/*, openai/gpt-6-luna"),
      });
  });
});

describe("what is proposed", () => {
  const names = (settings: Partial<ModelsSettings>) =>
    models(settings)
      .proposals()
      .map(({ name }) => name);
  const providers = {
    openai: { kind: "openai", needsKey: true },
    anthropic: { kind: "anthropic", needsKey: true, apiKey: "sk-a" },
    work: { kind: "openai", server: "azure", baseUrl: "https://x.openai.azure.com/openai/v1" },
    box: { kind: "openai", server: "ollama", baseUrl: "http://127.0.0.1:1/v1" },
  } as const;

  it("proposed models begin with the configured ones, and have the models of reachable providers", () => {
    const proposed = names({ providers, failover: ["box/qwen3"], small: "work/mini" });
    expect(proposed.slice(0, 3)).toEqual(["anthropic/claude-sonnet-5-5", "box/qwen3", "work/mini"]);
    expect(proposed).toContain("anthropic/claude-haiku-5-5");
    expect(proposed.filter((name) => name.startsWith("openai/"))).toEqual([]);
    expect(proposed.filter((name) => name.startsWith("work/"))).toEqual(["work/mini"]);
  });

  it("proposed models have their prices, as configured before as listed", () => {
    const prices = { "anthropic/claude-haiku-5-5": { input: 7, output: 9 } };
    const of = (name: string) =>
      models({ providers, prices })
        .proposals()
        .find((each) => each.name === name)?.description;
    expect(of("anthropic/claude-sonnet-5-5")).toBe("$2 in, $10 out per million tokens");
    expect(of("anthropic/claude-haiku-5-5")).toBe("$7 in, $9 out per million tokens");
  });

  it("proposed models do not include one that does not write", () => {
    expect(names({ choice: "offline", providers: {} })).not.toContain("offline");
  });

  it("proposed models do not include one that may not be chosen", () => {
    const allowed = ["anthropic/claude-haiku*"];
    expect(names({ providers, allowed }).every((name) => name.startsWith("anthropic/claude-haiku"))).toBe(
      true,
    );
    expect(names({ providers, allowed })).not.toEqual([]);
  });
});

it("a model of a removed provider fails when it is asked, and says why", async () => {
  const taken = models().named("gone/model");
  expect(taken.id).toBe("gone/model");
  expect((await collect(taken, requestOf("hi"))).error).toMatchObject({
    code: "not_configured",
    message: expect.stringContaining("gone/model"),
  });
});

it.each([
  ["is asked if a named model refuses", undefined, true],
  ["is not, if that model is asked alone", { alone: true as const }, false],
])("a fallback %s", async (_what, how, isAsked) => {
  const refuse = (response: ServerResponse) => sendJson(response, { error: { message: "no" } }, 401);
  const [named, fallback] = await Promise.all([startWireServer(refuse), startWireServer(refuse)]);
  const at = ({ url }: WireServer) => ({ kind: "openai", baseUrl: `${url}/v1`, apiKey: "k" }) as const;
  const providers = { named: at(named), fallback: at(fallback) };
  const all = models({ choice: "named/x", failover: ["fallback/y"], providers });
  const { error } = await collect(all.named("named/x", how), requestOf("hi"));
  await Promise.all([named.stop(), fallback.stop()]);
  expect(error).toBeDefined();
  expect(named.bodies.length).toBeGreaterThan(0);
  expect(fallback.bodies.length > 0).toBe(isAsked);
});

it("a model is created once, however often it is named", () => {
  const all = models();
  expect(all.named("openai/gpt-6-luna")).toBe(all.named("openai/gpt-6-luna"));
});
