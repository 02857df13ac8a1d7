import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { oneLine } from "../said-text.ts";

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

export type FieldValue = string | number | boolean | string[];
type FieldAnswer = { ok: true; value: FieldValue } | { ok: false; problem: string };

/** The value of a person's answer for a field, or what is wrong with it, as a sentence. */
export function readFieldAnswer(field: FormField, said: string): FieldAnswer {
  return readers[field.kind](field, said.trim());
}

const readers: Record<FormField["kind"], (field: FormField, text: string) => FieldAnswer> = {
  boolean: readBoolean,
  number: readNumber,
  integer: readNumber,
  one: readOne,
  many: readMany,
  text: readText,
};

function readOne(field: FormField, text: string): FieldAnswer {
  const value = matchOption(field, text);
  return value === undefined ? notOne(field, text) : { ok: true, value };
}

function readBoolean(_field: FormField, text: string): FieldAnswer {
  if (/^(yes|y|true|on|ok|okay|sure|1)$/i.test(text)) return { ok: true, value: true };
  if (/^(no|n|false|off|0)$/i.test(text)) return { ok: true, value: false };
  return { ok: false, problem: "Please answer yes or no." };
}

function readNumber({ kind, least = -Infinity, most = Infinity }: FormField, text: string): FieldAnswer {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) return { ok: false, problem: `“${text}” is not a number.` };
  if (kind === "integer" && !Number.isInteger(value))
    return { ok: false, problem: "It must be a whole number." };
  if (value < least) return { ok: false, problem: `It must be at least ${least}.` };
  if (value > most) return { ok: false, problem: `It must be at most ${most}.` };
  return { ok: true, value };
}

function readMany(field: FormField, text: string): FieldAnswer {
  const parts = text.split(/[,;\n]/).map((part) => part.trim());
  const value: string[] = [];
  for (const part of parts.filter(Boolean)) {
    const found = matchOption(field, part);
    if (found === undefined) return notOne(field, part);
    if (!value.includes(found)) value.push(found);
  }
  const { least = 0, most = Infinity } = field;
  if (value.length < least) return { ok: false, problem: `Please choose at least ${least}.` };
  if (value.length > most) return { ok: false, problem: `Please choose at most ${most}.` };
  return { ok: true, value };
}

function matchOption({ options }: FormField, text: string): string | undefined {
  const wanted = text.toLowerCase();
  const named = options.find(
    ({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted,
  );
  const numbered = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  return (named ?? numbered)?.value;
}

function notOne({ options }: FormField, text: string): FieldAnswer {
  const some = options.slice(0, 20).map(({ label }) => label);
  return { ok: false, problem: `“${text.slice(0, 100)}” is none of: ${some.join(", ")}.` };
}

/** The formats MCP allows for texts. */
const formats: Record<string, { fits(text: string): boolean; problem: string }> = {
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
    problem: "That is not an e-mail address.",
  },
  uri: { fits: (text) => URL.canParse(text), problem: "That is not an address (URL)." },
  date: {
    fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
    problem: "Please write the date as 2026-01-31.",
  },
  "date-time": {
    fits: (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
    problem: "Please write the time as 2026-01-31T14:30:00Z.",
  },
};

function readText({ least = 0, most = Infinity, format = "" }: FormField, text: string): FieldAnswer {
  if (text.length < least) return { ok: false, problem: `It needs at least ${least} characters.` };
  if (text.length > most) return { ok: false, problem: `It may have at most ${most} characters.` };
  const wanted = formats[format];
  if (wanted !== undefined && !wanted.fits(text)) return { ok: false, problem: wanted.problem };
  return { ok: true, value: text };
}
