import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { configKeys } from "../../../src/config/config-keys.ts";
import { variableFor } from "../../../src/config/environment.ts";
import { configSchema } from "../../../src/config/schema.ts";

const text = await readFile(new URL("../../../config/knack.yaml", import.meta.url), "utf8");

function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutNulls(item)]));
}

it("the shipped configuration shows exactly the defaults of the schema", () => {
  expect(withoutNulls(parse(text))).toEqual(configSchema.parse({}));
});

it("the shipped configuration shows every setting with its meaning and its variable", () => {
  const prose = text.replaceAll(/\s*\n\s*# /g, " ");
  const shown: unknown = parse(text);
  for (const { path, meaning } of configKeys()) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], shown);
    expect(parent, path.join(".")).toHaveProperty([path.at(-1) ?? ""]);
    expect(meaning, path.join(".")).not.toBe("");
    expect(prose).toContain(`${meaning}.`);
    const variable = variableFor(path);
    if (variable !== undefined) expect(prose).toContain(`Environment: ${variable}.`);
  }
});
