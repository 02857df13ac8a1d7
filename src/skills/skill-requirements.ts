import { z } from "zod";
import { type Diagnostic, type Requirements, requirementsSchema } from "../core/skill.ts";
import { asFields, createFieldReader, type FieldReader, type Fields } from "./field-reader.ts";

const list = z.array(z.string());
const names = ["bins", "anyBins", "env", "config", "os"] as const;

/** `requires` and `os` of a SKILL.md. A skill marked `always` (OpenClaw) needs the right system only. */
export function readRequirements(
  reader: FieldReader,
  layers: readonly Fields[],
  path: string,
  diagnostics: Diagnostic[],
): Requirements {
  const blocks = layers.map((layer) => asFields(layer.requires)).filter((block) => block !== undefined);
  const nested = createFieldReader(blocks, path, diagnostics);
  const os = reader.read("os", "list", list);
  const found: Partial<Requirements> = os === undefined ? {} : { os };
  for (const name of names) {
    const value = nested.read(name, "list", list);
    if (value !== undefined) found[name] = value;
  }
  const always = reader.read("always", "flag", z.boolean()) === true;
  return requirementsSchema.parse(always ? { os: found.os } : found);
}
