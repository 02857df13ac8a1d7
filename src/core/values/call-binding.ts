/**
 * What a decision about a call for good is bound to: the tool as it is, and its arguments. "Always here" is bound to every argument
 * that is not known to be free text, so that an argument with an unknown name makes the decision narrower. "Never" is bound to the
 * destination alone, so that it refuses more than "always here" allows.
 */
import { z } from "zod";
import { sha256 } from "../../base/sha256.ts";
import { destinationsIn, type ReadArguments } from "./call-arguments.ts";
import { canonicalJson, type Json } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";

const valuesSchema = z.record(z.string(), jsonSchema);

export const bindingSchema = z.object({
  /** Empty for tools of the agent itself. */
  skill_id: z.string(),
  tool: z.string(),
  /** Names the tool, or the code it runs, as it is now. */
  definition: z.string(),
  /** Arguments that have to be the same, by their paths, and what else the decision depends on. */
  values: valuesSchema,
  /** Arguments that are open because the tool says so (`Tool.open`); absent where there are none. */
  open: z.array(z.string()).optional(),
  /** What "never" is bound to instead of `values`; absent where it is the same. */
  refuses: valuesSchema.optional(),
});
/** What "always here" and "never" are bound to: a call that differs in any of it asks again. */
export type Binding = z.infer<typeof bindingSchema>;

/** Whether two bindings mean the same calls. */
export function isSameBinding(one: Binding, other: Binding): boolean {
  const callsOf = ({ skill_id, tool, definition, values }: Binding) =>
    canonicalJson([skill_id, tool, definition, values]);
  return callsOf(one) === callsOf(other);
}

/** What "never" to a call of this binding is bound to. */
export function refusalOf({ open: _, refuses, ...binding }: Binding): Binding {
  return { ...binding, values: refuses ?? binding.values };
}

/** What a call is bound by, beside its own arguments. */
interface Bound {
  args: ReadArguments;
  open?: readonly string[] | undefined;
  /** Further values, e.g. the hosts that it asks for. */
  more?: Binding["values"] | undefined;
}

/** What decisions for good about a call are bound to; undefined where its arguments are more than can be kept. */
export async function bindCall(
  names: Pick<Binding, "skill_id" | "tool" | "definition">,
  input: Json,
  { args, open = [], more }: Bound,
): Promise<Binding | undefined> {
  const destinations = destinationsIn(input);
  const kept = await keptValues(args.bound);
  if (destinations === undefined || kept === undefined) return undefined;
  // All that hosts were read from is bound already; people are told them in plain words.
  const values = { ...more, ...kept };
  const refuses = { ...destinations, ...more };
  const left = open.filter((name) => name in args.free);
  return {
    ...names,
    values,
    ...(left.length === 0 ? {} : { open: left }),
    ...(canonicalJson(refuses) === canonicalJson(values) ? {} : { refuses }),
  };
}

/** Characters of JSON of one value that is kept as it is; of a longer one its length and SHA-256 are. */
const maxKeptCharacters = 500;
/** Characters of JSON of all values; more are kept as one. */
const maxKeptValues = 4_000;

/** Values as a binding keeps them. Undefined for what is nested too deeply to be written. */
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

/** No path of an argument is written like this one. */
async function hashed(path: string, text: string): Promise<[string, Json]> {
  return [`${path} (${text.length} characters)`, await sha256(text)];
}
