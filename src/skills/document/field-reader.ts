import type { z } from "zod";
import { isRecord } from "../../base/record.ts";
import { caution, type Diagnostic } from "../../core/skill/skill.ts";
import { repairJson } from "./repair-yaml.ts";

export type Fields = Record<string, unknown>;

/** How to parse a value that was written as text. */
export type FieldShape = "text" | "number" | "flag" | "list" | "data";

/**
 * Reads fields of frontmatter by name from several layers; the first one that has the field wins. Names may be written with _ or -, and
 * values as text (`metadata` of the standard holds text only). A value of the wrong type is reported and left out.
 */
export class FieldReader {
  readonly layers: readonly Fields[];
  readonly diagnostics: Diagnostic[];
  /** Of the file, for messages. */
  readonly #path: string;

  constructor(layers: readonly Fields[], path: string, diagnostics: Diagnostic[]) {
    this.layers = layers;
    this.#path = path;
    this.diagnostics = diagnostics;
  }

  read<Schema extends z.ZodType>(
    name: string,
    shape: FieldShape,
    schema: Schema,
  ): z.output<Schema> | undefined {
    const written = lookUp(this.layers, name);
    if (written === undefined) return undefined;
    const parsed = schema.safeParse(understand(written, shape));
    if (parsed.success) return parsed.data;
    const problem = parsed.error.issues[0]?.message ?? "wrong type";
    this.caution("wrong_type", `${name} is left out: ${problem}. Write ${expected[shape]}.`);
    return undefined;
  }

  /** Reports something that is loaded nevertheless. */
  caution(code: string, message: string): void {
    this.diagnostics.push(caution(this.#path, code, message));
  }

  /** Reads the fields within a field of this name, in every layer that has it. */
  within(name: string): FieldReader {
    const blocks = this.layers.map((layer) => asFields(layer[name])).filter((block) => block !== undefined);
    return new FieldReader(blocks, this.#path, this.diagnostics);
  }
}

const expected: Record<FieldShape, string> = {
  text: "text",
  number: "a number",
  flag: "true or false",
  list: "a list, or words separated by commas",
  data: "it as the documentation shows",
};

function lookUp(layers: readonly Fields[], name: string): unknown {
  const values = layers.map((layer) => layer[name] ?? layer[name.replaceAll("_", "-")]);
  return values.find((value) => value !== undefined && value !== null);
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
