import { z } from "zod";

type Block = Record<string, unknown>;

const words = z.string().min(1);
const plainCell = z.discriminatedUnion("type", [
  z.object({ type: z.literal("raw_text"), text: words }),
  z.object({ type: z.literal("raw_number"), text: words, value: z.number() }),
]);
const cell = z.union([plainCell, z.object({ type: z.literal("rich_text"), elements: z.array(z.unknown()) })]);

/** docs.slack.dev/reference/block-kit/blocks/data-table-block: a header of plain cells, then 1 to 100 rows of the same length. */
const tableSchema = z
  .object({
    caption: words,
    page_size: z.number().int().min(1).max(100).optional(),
    row_header_column_index: z.number().int().min(0).max(19).optional(),
    rows: z.tuple([z.array(plainCell).min(1).max(20)]).rest(z.array(cell)),
  })
  .refine(({ rows }) => rows.length >= 2 && rows.length <= 101, "must have 2 to 101 rows")
  .refine(({ rows }) => rows.every(({ length }) => length === rows[0].length), "rows differ in length")
  .refine(({ rows }) => charactersOf(rows.flat()) <= 10_000, "too many characters");

function charactersOf(cells: readonly object[]): number {
  return cells
    .map((each) => ("text" in each ? String(each.text).length : JSON.stringify(each).length))
    .reduce((sum, length) => sum + length, 0);
}

const label = z.string().min(1).max(20);
const point = z.object({ label, value: z.number() });
const seriesSchema = z
  .object({
    type: z.enum(["line", "bar", "area"]),
    series: z
      .array(z.object({ name: label, data: z.array(point) }))
      .min(1)
      .max(6),
    axis_config: z.object({
      categories: z.array(label).min(1).max(20),
      x_label: z.string().max(50).optional(),
      y_label: z.string().max(50).optional(),
    }),
  })
  .refine(({ series }) => new Set(series.map(({ name }) => name)).size === series.length, "same names")
  .refine(
    ({ series, axis_config: { categories } }) =>
      series.every(({ data }) => data.map((each) => each.label).join("\n") === categories.join("\n")),
    "a value for every category",
  );
const pieSchema = z.object({
  type: z.literal("pie"),
  segments: z
    .array(point.extend({ value: z.number().positive() }))
    .min(1)
    .max(6),
});

/** docs.slack.dev/reference/block-kit/blocks/data-visualization-block: the page says 6 series and segments, other sources 12. */
const chartSchema = z.object({ title: z.string().min(1).max(50), chart: z.union([seriesSchema, pieSchema]) });

const check = (schema: z.ZodType) => (block: Block, at: string, problems: string[]) => {
  const read = schema.safeParse(block);
  for (const { path, message } of read.error?.issues ?? [])
    problems.push(`${message} [json-pointer:${[at, ...path].join("/")}]`);
};

export const checkDataTable = check(tableSchema);
export const checkChart = check(chartSchema);
