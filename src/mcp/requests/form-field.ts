import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { z } from "zod";
import { oneLine } from "../../base/markdown-text.ts";
import type { JsonSchema } from "../../core/values/json.ts";

type Property = ElicitRequestFormParams["requestedSchema"]["properties"][string];

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
  required: boolean;
  /** As the server describes its value. */
  property: Property;
  options: readonly FieldOption[];
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
    property,
    options: optionsOf(property),
  }));
}

function optionsOf(property: Property): FieldOption[] {
  if (property.type === "boolean") return [option("true", "Yes"), option("false", "No")];
  return choicesOf(property.type === "array" ? property.items : property);
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

export type FieldValue = string | number | boolean | string[];
type FieldAnswer = { ok: true; value: FieldValue } | { ok: false; problem: string };

/** The value of a person's answer for a field, or what is wrong with it, as a sentence. */
export function readFieldAnswer(field: FormField, said: string): FieldAnswer {
  const text = said.trim();
  const value = readValue(field, text);
  const shown = `“${text.slice(0, 100)}”`;
  if (value === undefined) {
    const some = field.options.slice(0, 20).map(({ label }) => label);
    const why = some.length === 0 ? "not a number" : `none of: ${some.join(", ")}`;
    return { ok: false, problem: `${shown} is ${why}.` };
  }
  const { error } = z.fromJSONSchema(field.property as JsonSchema).safeParse(value);
  if (error === undefined) return { ok: true, value };
  return { ok: false, problem: `${shown} does not fit. ${error.issues[0]?.message}.` };
}

/** Undefined for what is neither an option nor a number, where one is wanted. */
function readValue({ property, options }: FormField, text: string): FieldValue | undefined {
  switch (property.type) {
    case "number":
    case "integer":
      return text === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
    case "array": {
      const parts = text.split(/[,;\n]/).flatMap((part) => part.trim() || []);
      const chosen = parts.map((part) => matchOption(options, part));
      return chosen.includes(undefined)
        ? undefined
        : [...new Set(chosen.filter((each) => each !== undefined))];
    }
    case "boolean": {
      const chosen = matchOption(options, text);
      return chosen && chosen === "true";
    }
    default:
      return options.length === 0 ? text : matchOption(options, text);
  }
}

function matchOption(options: readonly FieldOption[], text: string): string | undefined {
  const wanted = text.toLowerCase();
  const named = options.find(
    ({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted,
  );
  const numbered = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  return (named ?? numbered)?.value;
}
