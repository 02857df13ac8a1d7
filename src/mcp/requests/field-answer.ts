import type { FormField } from "./form-field.ts";

export type FieldValue = string | number | boolean | string[];
export type FieldAnswer = { ok: true; value: FieldValue } | { ok: false; problem: string };

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
