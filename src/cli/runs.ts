import type { ApiClient } from "../client/api-client.ts";
import { ApiError } from "../client/api-error.ts";
import { emptyTurnView, foldTurn } from "../core/log/turn-view.ts";
import { finalLines } from "../platforms/terminal/final-lines.ts";
import { renderMarkdown } from "../platforms/terminal/markdown.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { progressLines } from "../platforms/terminal/progress-lines.ts";
import { screenOf } from "../platforms/terminal/screen.ts";
import { withConnection } from "./bot-connection.ts";
import {
  type CommandContext,
  exitCode,
  printJson,
  printResult,
  type ResultOptions,
  wantsColours,
} from "./command-context.ts";

/** `knack runs show`: one turn with its steps and its receipt. */
export async function showRun(context: CommandContext, id: string, options: ResultOptions): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const run = await find(client, id);
    if (typeof run === "string") {
      context.stderr.write(`${run}\n`);
      if (options.json) printJson(context, { error: run });
      return exitCode.failed;
    }
    return printResult(context, options, run, () => linesOf(context, run));
  });
}

function linesOf(context: CommandContext, { turn, events, receipt }: FoundRun): string[] {
  const view = events.reduce(foldTurn, emptyTurnView(turn.turn_id));
  const paint = createPaint(wantsColours(context));
  const { columns } = screenOf(context.stdout);
  const { namespace, thread, accepted_at } = turn;
  return [
    paint.dim(`${timeOf(accepted_at)}  ${namespace}  ${thread}  ${view.model}`),
    `${paint.accent("›")} ${plainLine(view.said)}`,
    ...progressLines(view, context.clock.now(), paint),
    ...finalLines(view, columns, paint),
    ...renderMarkdown(receipt.text, columns, paint).map(paint.dim),
  ];
}

type FoundRun = Exclude<Awaited<ReturnType<typeof find>>, string>;

/** The run with its receipt, or the reason why there is none. */
async function find(client: ApiClient, id: string) {
  try {
    const run = await client.call("run.show", { id });
    return { ...run, receipt: await client.call("turn.receipt", { id: run.turn.turn_id }) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error.detail;
    throw error;
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
