import type { ApiClient } from "../client/api-client.ts";
import { ApiError } from "../client/api-error.ts";
import type { RunList } from "../client/shapes.ts";
import { formatDuration } from "../core/turn-summary.ts";
import { emptyTurnView, foldTurn } from "../core/turn-view.ts";
import { finalLines } from "../platforms/terminal/final-lines.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { progressLines } from "../platforms/terminal/progress-lines.ts";
import { screenOf } from "../platforms/terminal/screen.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface RunsOptions extends GlobalOptions {
  json?: true;
}

/** `knack runs list`: the latest turns and skill executions. */
export async function listRuns(
  context: CommandContext,
  options: RunsOptions & { namespace?: string },
): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const runs = await client.runs(options.namespace === undefined ? {} : { namespace: options.namespace });
    if (options.json) printJson(context, runs);
    else printRuns(context, runs);
    return exitCode.ok;
  });
}

function printRuns(context: CommandContext, { turns, skills }: RunList): void {
  if (turns.length === 0) printLine(context, 'Nothing has run yet. Try: knack ask "hello"');
  for (const turn of turns) {
    const end = turn.finished_at;
    const took = end === undefined ? "" : formatDuration(end - (turn.started_at ?? turn.accepted_at));
    const state = turn.outcome ?? turn.status;
    const question = plainLine(turn.question).slice(0, 70);
    printLine(
      context,
      [turn.turn_id, timeOf(turn.accepted_at), state.padEnd(13), took.padEnd(9), question].join("  "),
    );
    for (const run of skills.filter((candidate) => candidate.turn_id === turn.turn_id)) {
      const duration = run.duration_ms === undefined ? "" : formatDuration(run.duration_ms);
      printLine(
        context,
        `  ${run.run_id}  ${run.status.padEnd(9)}  ${duration.padEnd(9)}  ${plainLine(run.skill_id)}${run.error === undefined ? "" : `  ${plainLine(run.error).slice(0, 100)}`}`,
      );
    }
  }
}

/** `knack runs show`: one turn with its steps. */
export async function showRun(context: CommandContext, id: string, options: RunsOptions): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const run = await find(client, id);
    if (typeof run === "string") {
      context.stderr.write(`${run}\n`);
      if (options.json) printJson(context, { error: run });
      return exitCode.failed;
    }
    if (options.json) printJson(context, run);
    else {
      const view = run.events.reduce(foldTurn, emptyTurnView(run.turn.turn_id));
      const paint = createPaint(wantsColours(context));
      const { namespace, thread, accepted_at } = run.turn;
      printLine(context, paint.dim(`${timeOf(accepted_at)}  ${namespace}  ${thread}  ${view.model}`));
      printLine(context, `${paint.accent("›")} ${plainLine(view.said)}`);
      for (const line of progressLines(view, context.clock.now(), paint)) printLine(context, line);
      for (const line of finalLines(view, screenOf(context.stdout).columns, paint)) printLine(context, line);
    }
    return exitCode.ok;
  });
}

/** The run, or why there is none. */
async function find(client: ApiClient, id: string) {
  try {
    return await client.run(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error.detail;
    throw error;
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
