import stringWidth from "string-width";
import type { ApiClient } from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { Replay } from "../../client/shapes.ts";
import { formatDuration } from "../../core/log/turn-view.ts";
import { costText } from "../../core/log/usage.ts";
import { renderMarkdown } from "../../platforms/terminal/markdown.ts";
import type { Paint } from "../../platforms/terminal/paint.ts";
import { plainLine } from "../../platforms/terminal/plain-text.ts";
import { columnsOf } from "../../platforms/terminal/screen.ts";
import { reportRefusals } from "../bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "../command-context.ts";
import { failureOf, type ReplaySuite, readSuite } from "./replay-suite.ts";

/** `knack replay`: a turn on another model, or all turns of a suite with their checks. */
export async function replay(
  context: CommandContext,
  turnId: string | undefined,
  options: ResultOptions & { model: string; all?: string },
): Promise<number> {
  const { model, all } = options;
  if ((turnId === undefined) === (all === undefined))
    throw new CommandError("Give the id of a turn, or --all with the name of a suite.", exitCode.usage);
  const suite = all === undefined ? undefined : await readSuite(all, context.cwd);
  return reportRefusals(context, options, async ({ client }) => {
    if (suite !== undefined) return replayAll(context, client, suite, model, options);
    const made = await client.call("turn.replay", { id: turnId ?? "", model });
    const ok = made.replayed.error === undefined;
    return context.out.result(options, made, () => sideBySide(context, made), ok);
  });
}

/** The result of one turn of a suite. */
interface Checked {
  turn_id: string;
  passed: boolean;
  checks: { name: string; passed: boolean; reason?: string | undefined }[];
  /** Why there is no answer to check. */
  error?: string | undefined;
  replayed?: Replay["replayed"] | undefined;
}

async function replayAll(
  context: CommandContext,
  client: ApiClient,
  { turns }: ReplaySuite,
  model: string,
  { json }: ResultOptions,
): Promise<number> {
  const paint = context.out.paint;
  const results: Checked[] = [];
  for (const turn of turns) {
    const result = await checked(client, turn, model);
    results.push(result);
    if (!json) for (const line of resultLines(result, paint)) context.out.line(line);
  }
  const passed = results.filter((each) => each.passed).length;
  if (json) context.out.json({ model, passed: passed === results.length, turns: results });
  else context.out.line(`${passed} of ${results.length} turns passed on ${plainLine(model)}.`);
  return passed === results.length ? exitCode.ok : exitCode.failed;
}

/** A turn that cannot be replayed fails; the others go on. */
async function checked(
  client: ApiClient,
  { id, checks }: ReplaySuite["turns"][number],
  model: string,
): Promise<Checked> {
  try {
    const made = await client.call("turn.replay", { id, model });
    const results = Object.entries(checks).map(([name, wanted]) => {
      const reason = failureOf(wanted, made);
      return { name, passed: reason === undefined, reason };
    });
    const error = made.replayed.error?.message;
    const passed = error === undefined && results.every((each) => each.passed);
    return { turn_id: id, passed, checks: results, error, replayed: made.replayed };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isRefusal) throw error;
    return { turn_id: id, passed: false, checks: [], error: error.detail };
  }
}

function resultLines({ turn_id, passed, checks, error }: Checked, paint: Paint): string[] {
  const mark = (ok: boolean) => (ok ? paint.good("✓") : paint.bad("✗"));
  return [
    `${mark(passed)} ${turn_id}${error === undefined ? "" : `: ${plainLine(error)}`}`,
    ...checks.map(
      (each) =>
        `  ${mark(each.passed)} ${plainLine(each.name)}${each.reason ? `: ${plainLine(each.reason)}` : ""}`,
    ),
  ];
}

/** Minimum width of a column; on a narrower screen one answer follows the other. */
const minColumn = 40;

function sideBySide(context: CommandContext, { question, recorded, replayed, notes }: Replay): string[] {
  const paint = context.out.paint;
  const columns = columnsOf(context.stdout);
  const half = Math.floor((columns - 3) / 2);
  const width = half < minColumn ? columns : half;
  const left = answerLines("recorded", recorded, width, paint);
  const right = answerLines("replayed", replayed, width, paint);
  const rows =
    width === columns
      ? [...left, "", ...right]
      : Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
          const line = left[at] ?? "";
          return `${line}${" ".repeat(Math.max(0, width - stringWidth(line)))} ${paint.dim("│")} ${right[at] ?? ""}`;
        });
  return [
    `${paint.accent("›")} ${plainLine(question)}`,
    "",
    ...rows,
    ...notes.map((note) => paint.dim(plainLine(note))),
  ];
}

function answerLines(
  which: string,
  { model, text, calls, rounds, usage, duration_ms, error }: Replay["recorded"],
  columns: number,
  paint: Paint,
): string[] {
  const tokens = `${(usage.input_tokens + usage.output_tokens).toLocaleString("en")} tokens`;
  const round = rounds === 1 ? "1 round" : `${rounds} rounds`;
  const spent = [round, tokens, costText(usage), formatDuration(duration_ms)];
  const made = calls.map(
    ({ tool, arguments: given, recorded }) =>
      `- \`${tool} ${JSON.stringify(given)}\`${recorded ? "" : " **not recorded**"}`,
  );
  return [
    `${paint.bold(which)} ${plainLine(model)}`,
    ...renderMarkdown(spent.filter(Boolean).join(", "), columns, paint).map(paint.dim),
    ...renderMarkdown(made.join("\n"), columns, paint),
    "",
    ...renderMarkdown(error === undefined ? text : `**No answer:** ${error.message}`, columns, paint),
  ];
}
