/**
 * The scope of a standing decision about calls: the tool in its current form, and its arguments. "Always here" is bound to every argument
 * that is not known to be free text, so an argument with an unknown name makes the decision narrower. "Never" is bound to the destination
 * only, so it refuses more than "always here" allows.
 */
import { z } from "zod";
import { isContainer } from "../../base/record.ts";
import { sha256 } from "../../base/sha256.ts";
import { destinationsIn, isDestination, type ReadArguments } from "./call-arguments.ts";
import { canonicalJson, type Json, type JsonSchema } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";

const valuesSchema = z.record(z.string(), jsonSchema);

export const bindingSchema = z.object({
  /** Empty for the agent's own tools. */
  skill_id: z.string(),
  tool: z.string(),
  /** Identifies the tool, or the code it runs, in its current form. */
  definition: z.string(),
  /** Arguments that have to be equal, by path, and other values that the decision depends on. */
  values: valuesSchema,
  /** Arguments that may differ because the tool says so (`Tool.open`); absent if there are none. */
  open: z.array(z.string()).optional(),
  /** Set if no value says where the call goes or to whom: the decision then only names the tool. */
  nowhere: z.literal(true).optional(),
  /** Of a decision that was made: the free text on its card, as `printsOf` it. */
  seen: z.record(z.string(), z.string()).optional(),
  /** The values that "never" is bound to; absent if they equal `values`. */
  refuses: valuesSchema.optional(),
  /** The kind of plan whose turns alone "always here" covers: the one that began the turn in which it is given. */
  plan: z.enum(["schedule", "trigger"]).optional(),
});
/** The scope of "always here" and "never": a call that differs in any of these asks again. */
export type Binding = z.infer<typeof bindingSchema>;

/** Whether two bindings cover the same calls. */
export function isSameBinding(one: Binding, other: Binding): boolean {
  const callsOf = ({ skill_id, tool, definition, values }: Binding) =>
    canonicalJson([skill_id, tool, definition, values]);
  return callsOf(one) === callsOf(other);
}

/** The scope of "never" for a call with this binding. */
export function refusalOf({ skill_id, tool, definition, values, refuses = values }: Binding): Binding {
  return { skill_id, tool, definition, values: refuses };
}

/** Further parts of a binding, in addition to the call's own arguments. */
interface Bound {
  args: ReadArguments;
  /** As `leadsNowhere` says of them. */
  nowhere: boolean;
  open?: readonly string[] | undefined;
  /** Additional values, e.g. the requested hosts. */
  more?: Binding["values"] | undefined;
}

/** The scope of standing decisions about a call; undefined if its arguments are too large to be kept. */
export async function bindCall(
  names: Pick<Binding, "skill_id" | "tool" | "definition">,
  input: Json,
  { args, nowhere, open = [], more }: Bound,
): Promise<Binding | undefined> {
  const destinations = destinationsIn(input);
  const kept = await keptValues(args.bound);
  if (destinations === undefined || kept === undefined) return undefined;
  // The arguments that the hosts were read from are bound already; people see the hosts in plain words.
  const values = { ...more, ...kept };
  const refuses = { ...destinations, ...more };
  const left = open.filter((name) => name in args.free);
  return {
    ...names,
    values,
    open: left.length === 0 ? undefined : left,
    nowhere: nowhere || undefined,
    refuses: canonicalJson(refuses) === canonicalJson(values) ? undefined : refuses,
  };
}

/**
 * Whether a call has free text, and none of its other arguments says where it goes or to whom: numbers, flags and the choices of its schema
 * do not. Numbers and flags that are written as texts do only where the name of the argument says so.
 */
export function leadsNowhere({ bound, free }: ReadArguments, schema: JsonSchema): boolean {
  if (Object.keys(free).length === 0) return false;
  const isPlace = ([name, value]: [string, Json]): boolean => {
    if (isContainer(value))
      return Object.entries(value).some(([key, each]) => isPlace([`${name}.${key}`, each]));
    if (typeof value !== "string" || value.trim() === "" || hasChoice(schema, value)) return false;
    return (
      isDestination(name) ||
      (/\p{L}/u.test(value) && !/^\s*(?:true|false|yes|no|on|off|null)\s*$/i.test(value))
    );
  };
  return !Object.entries(bound).some(isPlace);
}

/** Whether a schema names a value among its choices, at whatever depth. */
function hasChoice(schema: unknown, value: string): boolean {
  if (!isContainer(schema)) return false;
  return Object.entries(schema).some(
    ([key, each]) =>
      (key === "enum" && Array.isArray(each) && each.includes(value)) ||
      (key === "const" && each === value) ||
      hasChoice(each, value),
  );
}

/** The SHA-256 of each text, by path. */
export async function printsOf(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const prints = Object.entries(texts).map(async ([path, text]) => [path, await sha256(text)] as const);
  return Object.fromEntries(await Promise.all(prints));
}

/** Maximum JSON characters of one value that is kept unchanged. Of a longer value, its length and SHA-256 are kept. */
const maxKeptCharacters = 500;
/** Maximum JSON characters of all values; beyond that they are kept as one hash. */
const maxKeptValues = 4_000;

/** Values in the form that a binding keeps. Undefined for values that are nested too deeply to be written. */
export async function keptValues(bound: Record<string, Json>): Promise<Binding["values"] | undefined> {
  try {
    const kept: [string, Json][] = [];
    for (const [path, value] of Object.entries(bound)) {
      const text = canonicalJson(value);
      kept.push(text.length > maxKeptCharacters ? await hashed(path, text) : [path, value]);
    }
    const all = canonicalJson(Object.fromEntries(kept));
    return Object.fromEntries(all.length > maxKeptValues ? [await hashed("all but free text", all)] : kept);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The key differs from the path of every argument. */
async function hashed(path: string, text: string): Promise<[string, Json]> {
  return [`${path} (${text.length} characters)`, await sha256(text)];
}
