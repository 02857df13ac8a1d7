import { z } from "zod";
import { compareDecimals, decimal, ExactNumber } from "../../base/exact-number.ts";
import { isContainer } from "../../base/record.ts";
import { SkillFailure } from "../../core/skill/define-skill.ts";
import { canonicalJson, type Json } from "../../core/values/json.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { defineControl } from "../block.ts";
import { namesIn, resolve, type Variables } from "../substitute.ts";

const signs: Readonly<Record<string, string>> = {
  "=": "equals",
  "==": "equals",
  "!=": "not_equals",
  ">": "greater",
  ">=": "at_least",
  "<": "less",
  "<=": "at_most",
};

const operators = {
  equals: (a, b) => isEqual(a, b),
  not_equals: (a, b) => !isEqual(a, b),
  contains: (a, b) => holds(a, b),
  not_contains: (a, b) => !holds(a, b),
  starts_with: (a, b) => textOf(a).startsWith(textOf(b)),
  ends_with: (a, b) => textOf(a).endsWith(textOf(b)),
  greater: (a, b) => difference(a, b) > 0,
  at_least: (a, b) => difference(a, b) >= 0,
  less: (a, b) => difference(a, b) < 0,
  at_most: (a, b) => difference(a, b) <= 0,
  exists: (a) => a !== undefined,
  missing: (a) => a === undefined,
  empty: (a) => isEmpty(a),
  not_empty: (a) => !isEmpty(a),
} satisfies Record<string, (value: Json | undefined, to: Json | undefined) => boolean>;
type Operator = keyof typeof operators;

const withoutTo = new Set<Operator>(["exists", "missing", "empty", "not_empty"]);

/** A test of values: one comparison, or several combined. */
type Test =
  | { all: Test[] }
  | { any: Test[] }
  | { not: Test }
  | { value: Json; is: Operator; to?: Json | undefined };

const comparisonSchema = z
  .object({
    value: jsonSchema,
    is: z
      .string()
      .transform((is) => signs[is] ?? is)
      .pipe(z.enum(Object.keys(operators) as [Operator, ...Operator[]])),
    to: jsonSchema.optional(),
  })
  .strict()
  .refine(({ is, to }) => withoutTo.has(is) || to !== undefined, "it has nothing it compares with: add `to`");

const wantedForm = `expected {value: "\${name}", is: equals, to: 5}, or several as {all: […]}, {any: […]} or {not: …}; \`is\` is one of ${Object.keys(operators).join(", ")}`;

const testSchema: z.ZodType<Test> = z.lazy(() =>
  z.union(
    [
      z.object({ all: z.array(testSchema).min(1) }).strict(),
      z.object({ any: z.array(testSchema).min(1) }).strict(),
      z.object({ not: testSchema }).strict(),
      comparisonSchema,
    ],
    wantedForm,
  ),
);

/**
 * Whether the test is true. A value that is exactly one `${path}` keeps its type, and is missing if the path has no value. Numbers and
 * text that is a number compare as numbers with all digits; two texts compare literally. `greater`, `less` and similar operators are
 * for numbers and ISO dates.
 * @throws SkillFailure `not_comparable`
 */
function isTrue(test: Test, variables: Variables): boolean {
  if ("all" in test) return test.all.every((each) => isTrue(each, variables));
  if ("any" in test) return test.any.some((each) => isTrue(each, variables));
  if ("not" in test) return !isTrue(test.not, variables);
  const to = test.to === undefined ? undefined : resolve(test.to, variables);
  return operators[test.is](resolve(test.value, variables), to);
}

/** The test in words: `${count} at least 5`. */
function describeTest(test: Test): string {
  if ("all" in test) return test.all.map(describeTest).join(" and ");
  if ("any" in test) return `(${test.any.map(describeTest).join(" or ")})`;
  if ("not" in test) return `not (${describeTest(test.not)})`;
  const to = withoutTo.has(test.is) ? "" : ` ${textOf(test.to)}`;
  return `${textOf(test.value)} ${test.is.replaceAll("_", " ")}${to}`;
}

/** The variables that it uses. */
function namesInTest(test: Test): string[] {
  return namesIn(test as unknown as Json);
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (isNumber(a) || isNumber(b)) {
    const [first, second] = [numberOf(a), numberOf(b)];
    return first !== undefined && first === second;
  }
  if (typeof a === "boolean" || typeof b === "boolean") return textOf(a) === textOf(b);
  return canonicalJson(a) === canonicalJson(b);
}

function holds(whole: Json | undefined, part: Json | undefined): boolean {
  if (part === undefined) return false;
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part));
  if (isContainer(whole)) return Object.hasOwn(whole, textOf(part));
  return textOf(whole).includes(textOf(part));
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return isContainer(value) && Object.keys(value).length === 0;
}

function difference(a: Json | undefined, b: Json | undefined): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first !== undefined && second !== undefined) return compareDecimals(first, second);
  const [earlier, later] = [timeOf(a), timeOf(b)];
  if (earlier !== undefined && later !== undefined) return earlier - later;
  const shown = [a, b].map((value) => (value === undefined ? "nothing" : textOf(value).slice(0, 100)));
  throw new SkillFailure(
    "not_comparable",
    `${shown.join(" and ")} cannot be compared: greater and less are for two numbers or two dates (2026-01-31).`,
  );
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** A number, or text that is a number, with all digits in the form of `decimal`. */
function numberOf(value: Json | undefined): string | undefined {
  if (isNumber(value)) return decimal(String(value));
  return typeof value === "string" ? decimal(value.trim().replace(/^\+/, "")) : undefined;
}

/** ISO 8601 dates, with or without a time; ms since the epoch. */
function timeOf(value: Json | undefined): number | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}(T|$)/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const branch = z.array(z.unknown()).nullish();
// biome-ignore lint/suspicious/noThenProperty: it is a key of the file format, and its value is never a function.
const config = z.object({ if: testSchema, then: branch, else: branch });

/** Continues with one of two lists of steps. The result is that of its last step, or null if the list is empty. */
export const condition = defineControl({
  config,
  summary: (made) => `Checking whether ${short(describeTest(made.if))}`,
  branches: (made) => [
    ["then", made.then ?? []],
    ["else", made.else ?? []],
  ],
  async run(made, { variables, record, run }) {
    const chosen = isTrue(made.if, variables) ? "then" : "else";
    await record(chosen);
    return run(chosen);
  },
  describe(made, { variables, later }) {
    const words = describeTest(made.if);
    const isOpen = namesInTest(made.if).some((name) => later.has(name));
    return {
      if: words,
      goes_on_with: isOpen ? "known when it runs" : isTrue(made.if, variables) ? "then" : "else",
    };
  },
});

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
