import type { z } from "zod";
import { mapTexts } from "../base/record.ts";
import { valueAt } from "./layer.ts";
import { meanings } from "./meanings.ts";
import { type Config, configSchema } from "./schema.ts";

/** A key that can be set, with its meaning. */
export interface ConfigKey {
  /** e.g. `["model", "openai", "api_key"]` */
  path: readonly string[];
  meaning: string;
  /** The value, or all text within it, is never shown. */
  secret: boolean;
  schema: z.core.$ZodType;
}

/** Every key of the configuration, in the order of the schema. A record (e.g. `model.prices`) is one key. */
export function configKeys(): ConfigKey[] {
  return keysBelow(configSchema, []);
}

function keysBelow(schema: z.core.$ZodType, path: readonly string[]): ConfigKey[] {
  const shape = shapeOf(schema);
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([name, member]) => keysBelow(member, [...path, name]));
  const meaning = ownMeaning(path, schema) ?? "";
  return [{ path, meaning, secret: isSecret(schema), schema }];
}

/**
 * The keys that are set within a record whose entries are listed separately (`model.providers`): `model.providers.home.base_url`.
 * Empty for every other key, and if nothing is set.
 */
export function keysWithin({ path, schema }: ConfigKey, value: unknown): ConfigKey[] {
  const { def } = unwrap(schema)._zod;
  if (def.type !== "record" || (schema as z.ZodType).meta()?.each !== true) return [];
  return Object.entries(value ?? {}).flatMap(([name, entry]: [string, object]) =>
    keysBelow(def.valueType, [...path, name]).filter((key) => Object.hasOwn(entry, key.path.at(-1) ?? "")),
  );
}

/** Whether the schema, or the schema of a record's values, holds a secret. */
function isSecret(schema: z.core.$ZodType): boolean {
  const inner = unwrap(schema);
  if ((schema as z.ZodType).meta()?.secret === true) return true;
  return inner._zod.def.type === "record" && isSecret(inner._zod.def.valueType);
}

/** The members of the object schema at a path, or undefined where there is no such object. */
export function membersAt(path: readonly PropertyKey[]): string[] | undefined {
  let schema: z.core.$ZodType | undefined = configSchema;
  for (const segment of path) schema = schema && memberOf(schema, String(segment));
  return schema && Object.keys(shapeOf(schema) ?? {});
}

/** What the shipped file says about a key, or the schema about a member of what operators name. */
function ownMeaning(path: readonly PropertyKey[], schema: z.core.$ZodType): string | undefined {
  return meanings().get(path.join(".")) ?? (schema as z.ZodType).meta()?.description;
}

/** The meaning of a setting: that of the innermost key on the path that has one. */
export function meaningAt(path: readonly PropertyKey[]): string | undefined {
  let schema: z.core.$ZodType | undefined = configSchema;
  let meaning: string | undefined;
  for (const [at, segment] of path.entries()) {
    schema = memberOf(schema, String(segment));
    if (schema === undefined) break;
    meaning = ownMeaning(path.slice(0, at + 1), schema) ?? meaning;
  }
  return meaning;
}

function memberOf(schema: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  const inner = unwrap(schema);
  return inner._zod.def.type === "record" ? inner._zod.def.valueType : shapeOf(inner)?.[name];
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const { def } = unwrap(schema)._zod;
  return def.type === "object" ? def.shape : undefined;
}

/** The schema below defaults and optionality. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodTypes {
  const known = schema as z.core.$ZodTypes;
  const { def } = known._zod;
  return def.type === "default" || def.type === "prefault" || def.type === "optional"
    ? unwrap(def.innerType)
    : known;
}

/** Sources of values: `default`, `file config/knack.yaml:12:3`, `environment NAME`, `option --port`. */
export type ConfigSources = Readonly<Record<string, string>>;

const mask = "••••••";

/** Every key, dotted, with its value, `null` when it is not set, its source and its meaning. Secrets are masked, even within addresses. */
export function describeConfig(config: Config, sources: ConfigSources) {
  const keys = configKeys().flatMap((key) => {
    const within = keysWithin(key, valueAt(config, key.path));
    return within.length === 0 ? [key] : within;
  });
  return keys.map(({ path, meaning, secret }) => {
    const key = path.join(".");
    const masked = (text: string) => (secret ? mask : text.replace(/(:\/\/)[^/@\s]+@/g, `$1${mask}@`));
    const value = mapTexts(valueAt(config, path) ?? null, masked);
    return { key, value, source: sources[key] ?? "default", meaning };
  });
}
