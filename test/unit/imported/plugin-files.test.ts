import { cpSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { eligibility } from "../../../src/core/skill/eligibility.ts";
import { checkArguments } from "../../../src/core/turn/check-call.ts";
import { createHostFacts } from "../../../src/skills/host-facts.ts";
import {
  fixtures,
  handlerOf,
  importedFixture,
  pluginOf,
  temporaryFolder,
  useSandbox,
  writeFiles,
  writeSkill,
} from "./imported-fixture.ts";

useSandbox();

const facts = createHostFacts({ env: {}, config: {}, capabilities: [] });

/** A skill whose plugin.json is this text. */
async function skillWith(text: string | Record<string, unknown>, settings: Record<string, string> = {}) {
  const root = temporaryFolder();
  const json = typeof text === "string" ? text : JSON.stringify(text);
  writeFiles(root, { "thing/plugin.json": json, "thing/handler.js": handlerOf("return 1;") });
  const { skills, diagnostics } = importedFixture({ root, settingsOf: () => settings });
  const [skill] = await skills();
  return { skill, diagnostics: await diagnostics(), reasons: skill && eligibility(skill, facts) };
}

describe("a folder of AnythingLLM skills", () => {
  it("a folder of AnythingLLM skills is found by the next message when it is copied in", async () => {
    const { root, skills } = importedFixture();
    expect(await skills()).toEqual([]);
    cpSync(fixtures, root, { recursive: true });
    const found = await skills();
    expect(found.map(({ id, kind, version, enabled }) => ({ id, kind, version, enabled }))).toEqual([
      { id: "open-meteo-weather", kind: "imported", version: "1.0.0", enabled: true },
      { id: "page-digest", kind: "imported", version: "2.1.0", enabled: true },
      { id: "send-note", kind: "imported", version: "1.0.0", enabled: true },
    ]);
    expect(found[0]).toMatchObject({
      examples: [
        { prompt: "What is the weather in Tokyo?", call: '{"latitude": 35.6895, "longitude": 139.6917}' },
      ],
      about: { homepage: "https://github.com/tester", license: "MIT" },
      active: false,
    });
  });

  it("a folder of AnythingLLM skills keeps the others when one cannot be read", async () => {
    const { root, skills, diagnostics } = importedFixture();
    writeSkill(root, "good", {});
    writeFiles(root, {
      "bad/plugin.json": "no json at all",
      "bad/handler.js": "",
      "empty/plugin.json": "{}",
    });
    expect((await skills()).map(({ id }) => id)).toEqual(["good"]);
    const found = (await diagnostics()).map(({ path: file, code }) => [path.relative(root, file), code]);
    expect(found).toEqual(
      expect.arrayContaining([
        ["bad/plugin.json", "invalid_json"],
        ["empty/plugin.json", "missing_code"],
      ]),
    );
  });

  it("a plugin.json does not replace a SKILL.md in the same folder", async () => {
    const { root, skills } = importedFixture();
    writeSkill(root, "both", {
      files: { "SKILL.md": "---\nname: both\ndescription: A guide\n---\nRead it.\n" },
    });
    expect((await skills()).map(({ kind }) => kind)).toEqual(["document"]);
  });
});

describe("a plugin.json", () => {
  it("a long plugin.json is read as it is, without a repair that may take minutes", async () => {
    const long = JSON.stringify({
      active: true,
      hubId: "thing",
      name: "T",
      description: "d ".repeat(15_000),
    });
    expect((await skillWith(long)).skill?.name).toBe("T");
    const withComma = await skillWith(`${long.slice(0, -1)},}`);
    expect(withComma.skill?.name).toBe("T");
    expect(withComma.diagnostics.map(({ code }) => code)).toContain("repaired_json");
    const broken = await skillWith(long.replace('"name"', "'name'"));
    expect(broken.skill).toBeUndefined();
    expect(broken.diagnostics.map(({ code }) => code)).toEqual(["invalid_json"]);
  });

  it.each([
    [
      "with comments and trailing commas",
      '{\n// mine\n"active": true, "hubId": "thing", "name": "T", /* x */ "description": "d",}',
    ],
    [
      "with text around it",
      'Here it is:\n```json\n{"active": true, "hubId": "thing", "description": "d"}\n```\nEnjoy!',
    ],
    ["with a byte order mark", '\uFEFF{"active": true, "hubId": "thing", "description": "d"}'],
  ])("a plugin.json %s is read", async (_, text) => {
    const { skill } = await skillWith(text);
    expect(skill).toMatchObject({ id: "thing", description: "d", enabled: true });
  });

  it.each([
    ["without an entrypoint", {}, true],
    ["without parameters in its entrypoint", { entrypoint: { file: "handler.js" } }, true],
    ["with a list of none", { entrypoint: { params: {} } }, false],
  ])("a skill %s takes any arguments unless it says which", async (_how, more, ok) => {
    const { skill } = await skillWith({ active: true, hubId: "thing", description: "d", ...more });
    const given = { arg1: [1], arg2: null };
    const [tool] = skill?.tools ?? [];
    expect(await tool?.validate(given)).toMatchObject(ok ? { ok, value: given } : { ok });
  });

  it.each([
    ["no entrypoint", { entrypoint: undefined }, "missing_entrypoint", "has no entrypoint"],
    [
      "another file as its entrypoint",
      { entrypoint: { file: "main.js" } },
      "entrypoint_file",
      "handler.js is run",
    ],
    ["no description", { description: "" }, "missing_description", "no description"],
    ["no hubId", { hubId: undefined }, "missing_hub_id", "loaded as thing"],
    ["a hubId that leads elsewhere", { hubId: "../../etc" }, "missing_hub_id", "loaded as thing"],
    [
      "parameters of an unknown type",
      { entrypoint: { params: { a: { type: "colour" } } } },
      "invalid_parameter",
      "colour",
    ],
    [
      "a parameter that is a number",
      { entrypoint: { params: { a: 1 } } },
      "invalid_parameter",
      "The parameter a",
    ],
    ["parameters that are a list", { entrypoint: { params: ["a"] } }, "invalid_parameter", "no parameters"],
    ["examples that are none", { examples: "many" }, "invalid_examples", "left out"],
  ])("a plugin.json with %s is loaded and says so", async (_, more, code, message) => {
    const { skill, diagnostics } = await skillWith(pluginOf("thing", more));
    expect(skill?.id).toBe("thing");
    expect(skill?.tools).toHaveLength(1);
    expect(diagnostics).toEqual([
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    ]);
  });

  it("a plugin.json is known by its hubId when the folder has another name", async () => {
    const { skill, diagnostics } = await skillWith(pluginOf("weather"));
    expect(skill?.id).toBe("weather");
    expect(diagnostics).toEqual([expect.objectContaining({ code: "name_differs", severity: "warning" })]);
  });

  it.each([[false], [undefined], ["false"], [0]])(
    "a plugin.json whose active is %j is listed, switched off",
    async (active) => {
      const { skill, reasons } = await skillWith(pluginOf("thing", { active }));
      expect(skill?.enabled).toBe(false);
      expect(reasons).toEqual([expect.stringMatching(/active is not true in .*thing/)]);
    },
  );
});

describe("the parameters of a skill", () => {
  const params = {
    city: { type: "string", description: "Where", required: true },
    days: { type: "int", default: 3, required: true },
    unit: { type: "string", enum: ["C", "F"] },
    tags: { type: "array" },
    note: "Anything else",
  };

  it("a skill's parameters are shown to models with choices, defaults and what is required", async () => {
    const { skill } = await skillWith(pluginOf("thing", { entrypoint: { file: "handler.js", params } }));
    expect(skill?.tools[0]?.parameters).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "Where" },
        days: { type: "integer", description: "", default: 3 },
        unit: { type: "string", description: "", enum: ["C", "F"] },
        tags: { type: "array", description: "", items: {} },
        note: { type: "string", description: "Anything else" },
      },
      required: ["city"],
      additionalProperties: false,
    });
  });

  it.each<[string, unknown, unknown]>([
    ["apply defaults", { city: "Bern" }, { ok: true, value: { city: "Bern", days: 3 } }],
    ["take null for left out", { city: "Bern", unit: null }, { ok: true, value: { city: "Bern", days: 3 } }],
    ["need what is required", {}, { ok: false, message: "city is required (string)" }],
    ["have types", { city: true }, { ok: false, message: "city must be of the type string, not boolean" }],
    ["take a number for a text", { city: 4711 }, { ok: true, value: { city: "4711", days: 3 } }],
    ["have choices", { city: "Bern", unit: "K" }, { ok: false, message: 'unit must be one of "C", "F"' }],
    [
      "are all there is",
      { city: "Bern", dayz: 1 },
      {
        ok: false,
        message: "unknown parameter dayz, did you mean days? (known: city, days, unit, tags, note)",
      },
    ],
    ["are an object", ["Bern"], { ok: false, message: "the arguments must be an object" }],
  ])("a skill's parameters %s", async (_, input, result) => {
    const { skill } = await skillWith(pluginOf("thing", { entrypoint: { file: "handler.js", params } }));
    const [tool] = skill?.tools ?? [];
    expect(tool && (await checkArguments(tool, input))).toEqual(result);
  });

  it("a skill's parameters may be written as a whole JSON Schema", async () => {
    const whole = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const { skill } = await skillWith(pluginOf("thing", { entrypoint: { params: whole } }));
    expect(skill?.parameters).toEqual([{ name: "city", type: "string", description: "", required: true }]);
  });
});

describe("a setup argument", () => {
  const required = (more = {}) =>
    pluginOf("thing", { setup_args: { API_KEY: { type: "string", required: true, ...more } } });

  it.each([
    ["without a value", {}],
    ["left empty in a form", { value: "" }],
    ["with a default for the form alone", { input: { type: "text", default: "x" } }],
  ])(
    "a required setup argument, %s, keeps the skill from being used and says where to set it",
    async (_, more) => {
      const { reasons } = await skillWith(required(more));
      expect(reasons).toEqual([
        expect.stringMatching(/API_KEY has no value; set skills\.env\.thing\.API_KEY .*plugin\.json/),
      ]);
    },
  );

  it.each([
    ["its value", { value: "v" }, {}],
    ["its default", { default: "d" }, {}],
    ["a value of false", { value: false }, {}],
    ["a setting of the operator", {}, { API_KEY: "s" }],
  ])("a required setup argument is given by %s", async (_, more, settings) => {
    expect((await skillWith(required(more), settings)).reasons).toEqual([]);
  });
});
