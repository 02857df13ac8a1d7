import { z } from "zod";
import { meanSchema, type Requirements, requirementsSchema } from "../../core/skill/skill.ts";
import { asFields, type FieldReader } from "./field-reader.ts";

const list = z.array(z.string());
/** `requires`, `os`, `always` and `install` of a SKILL.md. */
export function readRequirements(reader: FieldReader): Requirements {
  const nested = reader.within("requires");
  const listOf = (name: string) => nested.read(name, "list", list);
  const os = reader.read("os", "list", list);
  const found = {
    bins: listOf("bins"),
    anyBins: listOf("anyBins"),
    env: listOf("env"),
    config: listOf("config"),
  };
  const nestedOs = listOf("os");
  const before = reader.diagnostics.length;
  const keys = nested.read("keys", "data", requirementsSchema.shape.keys);
  // Where it is unclear which keys the code must not have, it gets no variables.
  const isUnclear = reader.diagnostics.length > before;
  const env = isUnclear ? [] : [...(found.env ?? []), ...Object.keys(keys ?? {})];
  const means = (listOf("means") ?? []).flatMap((name) => meanSchema.safeParse(name).data ?? []);
  const always = reader.read("always", "flag", z.boolean()) === true;
  const install = (reader.read("install", "data", z.array(z.unknown())) ?? []).flatMap(readInstall);
  return requirementsSchema.parse({
    ...found,
    os: nestedOs ?? os,
    keys,
    env: [...new Set(env)],
    means: means.length === 0 ? undefined : means,
    always: always || undefined,
    install: install.length === 0 ? undefined : install,
  });
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
