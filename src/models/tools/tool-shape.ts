import { objectOf } from "../../core/values/json.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { fingerprint } from "../../core/values/told.ts";
import { plainSchema, rootRules } from "./plain-schema.ts";
import { isSendable } from "./sendable-schema.ts";

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
export function shapeTool(tool: ToolDefinition, { names, items }: ToolRules): ToolShape {
  const { parameters } = tool;
  const renamed = new Map<string, string>();
  const isName = (name: string) => !names || allowed.test(name);
  if (isSendable(parameters, isName, items)) return { definition: tool, renamed };
  const nameOf = (name: string) => {
    if (isName(name)) return name;
    const sent = `${baseOf(name)}_${fingerprint(name)}`;
    renamed.set(name, sent);
    return sent;
  };
  const schema = objectOf(parameters);
  const description = [tool.description, rootRules(schema)].filter(Boolean).join("\n");
  return { definition: { ...tool, description, parameters: plainSchema(schema, nameOf) }, renamed };
}

/** Maximum characters of a name before the suffix, which makes it unique: no key of a free-form object looks like it. */
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
