import { z } from "zod";
import {
  type Diagnostic,
  meanSchema,
  type Requirements,
  requirementsSchema,
} from "../../core/skill/skill.ts";
import { asFields, createFieldReader, type FieldReader, type Fields } from "./field-reader.ts";

const list = z.array(z.string());
const names = ["bins", "anyBins", "env", "config", "os"] as const;

/** `requires`, `os`, `always` and `install` of a SKILL.md. */
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
  const before = diagnostics.length;
  const keys = nested.read("keys", "data", requirementsSchema.shape.keys);
  if (keys !== undefined) found.keys = keys;
  // Where it is unclear which keys the code must not have, it gets no variables.
  const given = diagnostics.length > before ? [] : [...(found.env ?? []), ...Object.keys(keys ?? {})];
  if (given.length > 0 || found.env !== undefined) found.env = [...new Set(given)];
  const means = (nested.read("means", "list", list) ?? []).flatMap(
    (name) => meanSchema.safeParse(name).data ?? [],
  );
  if (means.length > 0) found.means = means;
  if (reader.read("always", "flag", z.boolean()) === true) found.always = true;
  const install = (reader.read("install", "data", z.array(z.unknown())) ?? []).flatMap(readInstall);
  if (install.length > 0) found.install = install;
  return requirementsSchema.parse(found);
}

/** A name as package managers accept it; anything else is not shown to people. */
const packageName = /^@?[\w./@:+~-]{1,200}$/;

/** By OpenClaw's kinds of installation: the field that names the package, and how it is installed. */
const kinds: Readonly<Record<string, { field: string; command: string }>> = {
  brew: { field: "formula", command: "brew install" },
  node: { field: "package", command: "npm install -g" },
  go: { field: "module", command: "go install" },
  pip: { field: "package", command: "pip install" },
  apt: { field: "package", command: "apt-get install" },
  uv: { field: "package", command: "uv tool install" },
  download: { field: "url", command: "download" },
};

/** One entry of OpenClaw's `install`; one that does not fit in a line is left out. */
function readInstall(written: unknown): NonNullable<Requirements["install"]> {
  const entry = asFields(written) ?? {};
  const kind = Object.hasOwn(kinds, String(entry.kind)) ? kinds[String(entry.kind)] : undefined;
  const name = kind === undefined ? undefined : entry[kind.field];
  if (kind === undefined || typeof name !== "string" || !packageName.test(name)) return [];
  const texts = (value: unknown) => list.safeParse(value).data ?? [];
  return [{ bins: texts(entry.bins), os: texts(entry.os), command: `${kind.command} ${name}` }];
}
