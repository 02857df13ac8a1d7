import { fingerprint } from "../../core/values/address.ts";
import { type Json, type JsonSchema, objectOf } from "../../core/values/json.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { modernSchema } from "./modern-schema.ts";
import { plainRoot } from "./root-choices.ts";
import { propertyNames } from "./schema-walk.ts";

/** A vendor's requirements for tools. */
export interface ToolRules {
  /** Whether names of properties are `[a-zA-Z0-9_.-]{1,64}`. https://platform.claude.com/docs/en/agents-and-tools/tool-use */
  names: boolean;
  /** Whether every array has `items`, and the root `properties`. https://platform.openai.com/docs/guides/function-calling */
  items: boolean;
}

/** Models of Anthropic, on any server. */
const anthropic = /claude|anthropic/i;

/** The requirements for a model that is called through a vendor's API. */
export function toolRules(form: "anthropic" | "openai", model: string): ToolRules {
  return { names: form === "anthropic" || anthropic.test(model), items: form === "openai" };
}

/** A tool in the shape that a vendor accepts. */
export interface ToolShape {
  /** The same object if nothing had to change. */
  definition: ToolDefinition;
  /** The vendor's names of properties, by the tool's own names; empty if none had to change. */
  renamed: ReadonlyMap<string, string>;
}

const allowed = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The tool in the shape that a vendor accepts. Calls are still checked against the original schema. */
export function shapeTool(tool: ToolDefinition, rules: ToolRules): ToolShape {
  const { parameters } = tool;
  const renamed = rules.names ? vendorNames(parameters) : new Map<string, string>();
  const nameOf = rules.names ? (name: string) => renamed.get(name) ?? name : undefined;
  const modern = modernSchema(parameters, { items: rules.items, nameOf });
  const { schema, words } = plainRoot(modern, rules.items);
  const before = JSON.stringify(parameters);
  if (JSON.stringify(schema) === before) return { definition: tool, renamed };
  const description = [tool.description, ...words].filter(Boolean).join("\n");
  return { definition: { ...tool, description, parameters: withoutDraft(schema) }, renamed };
}

/** A changed schema no longer follows the draft that it names. */
function withoutDraft({ $schema, ...rest }: JsonSchema): JsonSchema {
  const isCurrent = typeof $schema === "string" && $schema.includes("2020-12");
  return isCurrent ? { $schema, ...rest } : rest;
}

/** Unique names that do not depend on the order of the schema. */
function vendorNames(schema: Json): Map<string, string> {
  const names = propertyNames(objectOf(schema));
  const foreign = [...names].filter((name) => !allowed.test(name)).toSorted();
  const taken = new Set([...names].filter((name) => allowed.test(name)));
  const bases = foreign.map(baseOf);
  return new Map(
    foreign.map((name, index) => {
      const base = bases[index] ?? "";
      const isOwn = bases.indexOf(base) === bases.lastIndexOf(base);
      let sent = isOwn ? base : `${base}_${fingerprint(name)}`;
      for (let more = 1; taken.has(sent); more += 1)
        sent = `${base}_${fingerprint(`${name}${"#".repeat(more)}`)}`;
      taken.add(sent);
      return [name, sent];
    }),
  );
}

/** Maximum characters of a name before the suffix that makes it unique. */
const maxBase = 50;

/** Removes marks from letters; a name without any valid character becomes `field`. */
function baseOf(name: string): string {
  const plain = name
    .slice(0, 1_000)
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "");
  const words = plain.split(/[^a-zA-Z0-9_.-]+/).filter(Boolean);
  return words.join("_").slice(0, maxBase) || "field";
}
