import type { z } from "zod";
import { isRecord } from "../../base/record.ts";
import type { Diagnostic } from "../../core/skill/skill.ts";
import { caution } from "../diagnose.ts";
import { repairJson } from "./repair-yaml.ts";

export type Fields = Record<string, unknown>;

/** How to parse a value that was written as text. */
export type FieldShape = "text" | "number" | "flag" | "list" | "data";

export type FieldReader = ReturnType<typeof createFieldReader>;

/**
 * Reads fields of frontmatter by name from several layers; the first one that has the field wins. Names may be written with _ or -, and
 * values as text (`metadata` of the standard holds text only). A value of the wrong type is reported and left out.
 */
export function createFieldReader(layers: readonly Fields[], path: string, diagnostics: Diagnostic[]) {
  return {
    read<Schema extends z.ZodType>(
      name: string,
      shape: FieldShape,
      schema: Schema,
    ): z.output<Schema> | undefined {
      const written = lookUp(layers, name);
      if (written === undefined) return undefined;
      const parsed = schema.safeParse(understand(written, shape));
      if (parsed.success) return parsed.data;
      const problem = parsed.error.issues[0]?.message ?? "wrong type";
      diagnostics.push(
        caution(path, "wrong_type", `${name} is left out: ${problem}. Write ${expected[shape]}.`),
      );
      return undefined;
    },
  };
}

const expected: Record<FieldShape, string> = {
  text: "text",
  number: "a number",
  flag: "true or false",
  list: "a list, or words separated by commas",
  data: "it as the documentation shows",
};

function lookUp(layers: readonly Fields[], name: string): unknown {
  for (const layer of layers) {
    const value = layer[name] ?? layer[name.replaceAll("_", "-")];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

const readings: Record<FieldShape, (text: string) => unknown> = {
  text: (text) => text,
  number: (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : text),
  flag: (text) => (text === "true" ? true : text === "false" ? false : text),
  list: (text) => (text.startsWith("[") ? (repairJson(text) ?? text) : commaSeparated(text)),
  data: (text) => repairJson(text) ?? text,
};

function understand(value: unknown, shape: FieldShape): unknown {
  if (typeof value === "string") return readings[shape](value.trim());
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return shape === "text" && isPlain ? String(value) : value;
}

function commaSeparated(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A mapping, or a mapping written as JSON text; undefined for anything else. */
export function asFields(value: unknown): Fields | undefined {
  const data = typeof value === "string" ? repairJson(value) : value;
  return isRecord(data) ? (data as Fields) : undefined;
}
