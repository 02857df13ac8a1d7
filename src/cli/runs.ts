import type { Receipt, TurnWithEvents } from "../client/shapes.ts";
import { emptyTurnView, foldTurn } from "../core/log/turn-view.ts";
import { finalLines } from "../platforms/terminal/final-lines.ts";
import { renderMarkdown } from "../platforms/terminal/markdown.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { progressLines } from "../platforms/terminal/progress-lines.ts";
import { columnsOf } from "../platforms/terminal/screen.ts";
import { reportRefusals } from "./bot-connection.ts";
import type { CommandContext, ResultOptions } from "./command-context.ts";

/** `knack runs show`: one turn with its steps and its receipt. */
export async function showRun(context: CommandContext, id: string, options: ResultOptions): Promise<number> {
  return reportRefusals(context, options, async ({ client }) => {
    const run = await client.call("run.show", { id });
    const receipt = await client.call("turn.receipt", { id: run.turn.turn_id });
    return context.out.result(options, { ...run, receipt }, () => linesOf(context, run, receipt));
  });
}

function linesOf(context: CommandContext, { turn, events }: TurnWithEvents, receipt: Receipt): string[] {
  const view = events.reduce(foldTurn, emptyTurnView(turn.turn_id));
  const paint = context.out.paint;
  const columns = columnsOf(context.stdout);
  const { namespace, thread, accepted_at } = turn;
  return [
    paint.dim(
      `${new Date(accepted_at).toISOString().slice(0, 19).replace("T", " ")}  ${namespace}  ${thread}  ${view.model}`,
    ),
    `${paint.accent("›")} ${plainLine(view.said)}`,
    ...progressLines(view, context.clock.now(), paint),
    ...finalLines(view, columns, paint),
    ...renderMarkdown(receipt.text, columns, paint).map(paint.dim),
  ];
}
