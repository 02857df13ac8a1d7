import { z } from "zod";
import { slugOf } from "../../src/base/file-kind.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { type Json, objectOf } from "../../src/core/values/json.ts";
import { fileRows, givenRows, type Rows } from "./read-rows.ts";
import { chartInWords, smallChart } from "./small-chart.ts";

/** Size of a single chart, pixels. */
const size = { width: 640, height: 420 };

export const skill = defineSkill({
  name: "chart_draw",
  title: "Drawing a chart",
  effect: "idempotent",
  parameters: z.object({
    spec: z
      .record(z.string(), z.unknown())
      .describe("Vega-Lite without data; titles with units; aggregate in it"),
    rows: z.array(z.record(z.string(), z.unknown())).max(5_000).optional().describe("the data"),
    file: z.string().min(1).max(1_000).optional().describe("or a table file of the thread"),
    sheet: z.string().max(200).optional(),
  }),
  output: z.object({
    files: z.array(z.string()),
    rows: z.number(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    notes: z.array(z.string()),
  }),
  async run({ spec: wanted, rows: given, file, sheet }, context) {
    const spec = wanted as Record<string, Json>;
    const rows = given ?? (file === undefined ? rowsWithin(spec) : undefined);
    if ((rows === undefined) === (file === undefined))
      throw new SkillFailure(
        "no_data",
        "Give either rows or file.",
        "Small data as rows, a file of the thread by its path.",
      );
    const load = async () =>
      file === undefined
        ? givenRows((rows ?? []) as Record<string, Json>[])
        : await fileRows(file, sheet, context);
    let loaded: Rows | undefined;
    await context.step("read data", async () => {
      loaded = await load();
      return loaded.rows.length;
    });
    // After a crash the step is not run again, and the log does not contain its rows.
    const read = loaded ?? (await load());
    context.progress(`Drawing ${read.rows.length.toLocaleString("en")} rows`);
    const drawn = await context.drawChart({ spec, rows: read.rows, ...size });
    if (!drawn.ok) throw new SkillFailure("not_drawn", drawn.problem, columnsHint(read));
    const name = fileName(spec);
    const svg = new TextEncoder().encode(drawn.svg);
    const words = { alt: chartInWords(spec, read.rows), chart: smallChart(spec, read.rows) };
    const files = await context.step("hand over", async () => [
      await context.file({ name: `${name}.png`, media_type: "image/png", data: drawn.png, ...words }),
      await context.file({ name: `${name}.svg`, media_type: "image/svg+xml", data: svg, ...words }),
    ]);
    return {
      files: files as string[],
      rows: read.rows.length,
      columns: read.columns,
      notes: [...read.notes, ...drawn.notes],
    };
  },
});

/** The data within a Vega-Lite specification. */
function rowsWithin({ data }: Record<string, Json>): Record<string, Json>[] | undefined {
  const { values } = objectOf(data ?? null);
  return Array.isArray(values) ? values.map(objectOf) : undefined;
}

function columnsHint({ columns }: Rows): string {
  const shown = columns.slice(0, 40).map(({ name, type }) => `${name} (${type})`);
  return `Columns: ${shown.join(", ")}.`;
}

/** A file name derived from the chart's title. */
function fileName({ title }: { [key: string]: Json }): string {
  const text = typeof title === "string" ? title : String(objectOf(title ?? null).text ?? "");
  return slugOf(text).toLowerCase().slice(0, 60) || "chart";
}
