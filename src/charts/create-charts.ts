import { Slots } from "../base/slots.ts";
import type { ChartRow, Charts, Drawn, WantedChart } from "../core/ports/services.ts";
import { runSealed, type SealedEnd } from "../process/sealed-process.ts";
import { type DrawAnswer, type DrawLimits, type DrawRequest, defaultLimits } from "./draw-request.ts";

const entry = new URL("./inside/draw-process.ts", import.meta.url);
/** Maximum size of a picture and its SVG, bytes. */
const maxAnswerBytes = 40_000_000;
/** Pictures that are drawn at the same time; each may use up to the memory limit. */
const concurrent = 2;
/** Maximum rows that are passed on unchanged. */
const maxUnchangedRows = 5_000;

/** Draws in processes of their own, so that a hostile specification costs limited time and memory, and nothing else. */
export function createCharts(changed: Partial<DrawLimits> = {}): Charts {
  const limits = { ...defaultLimits, ...changed };
  const slots = new Slots(concurrent);
  const { memoryBytes, timeoutMs } = limits;
  const drawn = async (asked: DrawRequest, signal: AbortSignal): Promise<Drawn> => {
    const request = JSON.stringify(asked);
    const run = { entry, request, env: { TZ: "UTC" }, timeoutMs, maxAnswerBytes } as const;
    return outcome(await slots.run(signal, () => runSealed(run, signal)), limits);
  };
  return {
    async draw(chart, signal) {
      const { spec, rows } = chart;
      if (rows.length > limits.rows)
        return refuse(
          `${rows.length.toLocaleString("en")} rows are too many, ${limits.rows.toLocaleString("en")} at most. Aggregate them first, or take a sample.`,
        );
      if (JSON.stringify(spec).length > limits.characters)
        return refuse("The specification is too long. Give the data apart from it.");
      return await drawn({ kind: "chart", memoryBytes, ...chart, rows: neededOf(rows, spec) }, signal);
    },
    async picture(svg, signal, width) {
      if (svg.length > limits.characters) return refuse("The SVG is too long; make it simpler.");
      return await drawn({ kind: "svg", memoryBytes, svg, width }, signal);
    },
  };
}

/** Rows with the columns that a specification mentions; the first row keeps all of them, for messages that list columns. */
function neededOf(rows: readonly ChartRow[], spec: WantedChart["spec"]): readonly ChartRow[] {
  if (rows.length <= maxUnchangedRows) return rows;
  const text = JSON.stringify(spec);
  const isMentioned = (name: string) => text.includes(JSON.stringify(name).slice(1, -1));
  const names = Object.keys(rows[0] ?? {}).filter(isMentioned);
  const [first = {}, ...others] = rows;
  return [first, ...others.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])))];
}

function refuse(problem: string): Drawn {
  return { ok: false, problem };
}

function outcome(end: SealedEnd, { timeoutMs, memoryBytes }: DrawLimits): Drawn {
  if ("failed" in end) {
    const advice = "and was stopped. Make it simpler, or aggregate first.";
    if (end.failed === "late") return refuse(`Drawing took longer than ${timeoutMs / 1_000} s ${advice}`);
    const megabytes = Math.round(memoryBytes / 1_000_000);
    if (end.failed === "memory")
      return refuse(`Drawing needed more than ${megabytes} MB of memory ${advice}`);
    return refuse("Drawing failed. Try a simpler form.");
  }
  const answer = JSON.parse(end.answer) as DrawAnswer;
  if (!answer.ok) return answer;
  return { ...answer, png: new Uint8Array(Buffer.from(answer.png, "base64")) };
}
