import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";
import { oneLine } from "./said-text.ts";

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];
type Property = Properties[string];

/** What a field accepts, and its name in a chat. */
interface FieldOption {
  value: string;
  label: string;
}

/** A field of a form that a server wants filled in (MCP 2025-11-25, elicitation). */
export interface FormField {
  name: string;
  /** The label that people see; the name unless the server gives another. */
  label: string;
  description: string;
  kind: "text" | "number" | "integer" | "boolean" | "one" | "many";
  required: boolean;
  options: readonly FieldOption[];
  default?: string | number | boolean | string[] | undefined;
  /** Minimum and maximum: of characters, of the number, or of choices. */
  least?: number | undefined;
  most?: number | undefined;
  format?: string | undefined;
}

export function formFields({
  requestedSchema,
}: Pick<ElicitRequestFormParams, "requestedSchema">): FormField[] {
  const required = new Set(requestedSchema.required ?? []);
  return Object.entries(requestedSchema.properties).map(([name, property]) => ({
    name,
    label: oneLine(property.title ?? name, 100) || name,
    description: oneLine(property.description ?? "", 300),
    required: required.has(name),
    ...kindOf(property),
    ...(property.default === undefined ? {} : { default: property.default }),
  }));
}

type Kind = Pick<FormField, "kind" | "options" | "least" | "most" | "format">;

function kindOf(property: Property): Kind {
  switch (property.type) {
    case "boolean":
      return { kind: "boolean", options: [option("true", "Yes"), option("false", "No")] };
    case "number":
    case "integer":
      return { kind: property.type, options: [], least: property.minimum, most: property.maximum };
    case "array":
      return {
        kind: "many",
        options: choicesOf(property.items),
        least: property.minItems,
        most: property.maxItems,
      };
    case "string": {
      const options = choicesOf(property);
      if (options.length > 0) return { kind: "one", options };
      if (!("minLength" in property || "maxLength" in property || "format" in property)) {
        return { kind: "text", options };
      }
      const { minLength, maxLength, format } = property;
      return { kind: "text", options, least: minLength, most: maxLength, format };
    }
    default:
      return property satisfies never;
  }
}

/** The values of all notations of a choice: `enum`, `enum` with `enumNames`, `oneOf`, `anyOf`. */
function choicesOf(schema: object): FieldOption[] {
  if ("enum" in schema && Array.isArray(schema.enum)) {
    const names = "enumNames" in schema && Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, index) => option(String(value), String(names[index] ?? value)));
  }
  const titled = "oneOf" in schema ? schema.oneOf : "anyOf" in schema ? schema.anyOf : [];
  if (!Array.isArray(titled)) return [];
  return titled.map((each: { const: string; title: string }) => option(each.const, each.title));
}

function option(value: string, label: string): FieldOption {
  return { value, label: oneLine(label, 100) || value };
}

/** Words that occur only in names of fields for secrets. */
const secretWords =
  /\b(password|passwd|pwd|passphrase|passcode|secret|secrets|token|credential|credentials|cvv|cvc|pin|otp|(api|access|private|secret) ?key)\b/i;

/** Whether a field asks for something that must not be written into a chat: passwords, tokens, keys. */
export function asksForSecret({ name, label }: FormField): boolean {
  return [name, label].some((text) =>
    secretWords.test(text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ")),
  );
}
