import { z } from "zod";
import { parseExactly } from "../../base/exact-number.ts";
import { SkillFailure } from "../../core/skill/define-skill.ts";
import type { Json } from "../../core/values/json.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { defineControl } from "../block.ts";
import { namesIn, resolve, type Variables } from "../substitute.ts";

/** Maximum iterations of one loop, whatever a file says. */
const maxTurns = 1_000;

const variableName = (preset: string) =>
  z
    .string()
    .nullish()
    .transform((name) => name?.trim() || preset);

const config = z
  .object({
    over: jsonSchema.nullish(),
    count: z.union([z.number(), z.string()]).nullish(),
    item: variableName("item"),
    index: variableName("index"),
    max_items: z
      .number()
      .int()
      .min(1)
      .max(maxTurns)
      .nullish()
      .transform((max) => max ?? 100),
    steps: z.array(z.unknown()).min(1, "it has no steps"),
  })
  .refine(
    ({ over, count }) => (over ?? count ?? undefined) !== undefined,
    "it needs `over` (a list) or `count`",
  );
type Loop = z.output<typeof config>;

/** Runs steps once for each item of a list, or a number of times. The result is the list of the iterations' results. */
export const loop = defineControl({
  config,
  summary: ({ over, count }) => (over == null ? `Repeating ${count} times` : "Going through a list"),
  branches: ({ steps }) => [["steps", steps]],
  turns: ({ max_items }) => max_items,
  sets: ({ item, index }) => [item, index],
  async run(made, { variables, record, run }) {
    const items = itemsOf(made, variables);
    await record(items.length);
    const results: Json[] = [];
    for (const [at, item] of items.entries()) {
      const set = new Map<string, Json>([
        [made.item, item],
        [made.index, at],
      ]);
      const ran = await run("steps", { turn: at + 1, set });
      if (ran.kind !== "result") return ran;
      results.push(ran.result);
    }
    return { kind: "result", result: results };
  },
  describe(made, { variables, later }) {
    const given = made.over ?? made.count ?? null;
    const isOpen = namesIn(given).some((name) => later.has(name));
    const times = isOpen ? "known when it runs" : itemsOf(made, variables).length;
    return { over: given, times, at_most: made.max_items, item: made.item, index: made.index };
  },
});

/** @throws SkillFailure `not_a_list`, `too_many_items` */
function itemsOf({ over, count, max_items }: Loop, variables: Variables): Json[] {
  const given = over ?? count ?? null;
  const value = resolve(given, variables);
  const items = over == null ? counted(value, max_items) : listOf(value);
  if (items === undefined) {
    const wanted = over == null ? "a number of 0 or more" : "a list";
    const message = `${JSON.stringify(value ?? given).slice(0, 200)} is not ${wanted}.`;
    throw new SkillFailure("not_a_list", message, "Check which variable the loop goes over.");
  }
  const length = typeof items === "number" ? items : items.length;
  if (length > max_items) {
    const message = `The loop would have ${length} iterations, and at most ${max_items} are allowed.`;
    throw new SkillFailure("too_many_items", message, `Set its max_items, up to ${maxTurns}.`);
  }
  return typeof items === "number" ? [] : items;
}

/** A list, or text that is a JSON list: arguments are text. */
function listOf(value: Json | undefined): Json[] | undefined {
  if (typeof value !== "string") return Array.isArray(value) ? value : undefined;
  try {
    return listOf(parseExactly(value) as Json);
  } catch {
    // Text that is not JSON is not a list; the caller reports it.
    return undefined;
  }
}

/** The numbers from 1 to a count, or the count itself if it is too large. */
function counted(value: Json | undefined, max: number): Json[] | number | undefined {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0) return undefined;
  return count > max ? count : Array.from({ length: count }, (_, at) => at + 1);
}
