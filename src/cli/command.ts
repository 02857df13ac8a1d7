import type { TurnEvent } from "../core/turn-event.ts";
import { renderMarkdown } from "../platforms/terminal/markdown.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainText } from "../platforms/terminal/plain-text.ts";
import { screenOf } from "../platforms/terminal/screen.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface CommandOptions extends GlobalOptions {
  namespace: string;
  user?: string;
  json?: true;
}

/** `knack command`: a slash command as a chat user would write it. */
export async function command(
  context: CommandContext,
  text: string,
  options: CommandOptions,
): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const { namespace, user } = options;
    const accepted = await client.submitTurn({ namespace, text, ...(user === undefined ? {} : { user }) });
    const result = await resultOf(client.turnEvents(accepted.turn_id));
    if (options.json) printJson(context, result);
    else for (const line of render(result.text, context)) printLine(context, line);
    return result.ok ? exitCode.ok : exitCode.failed;
  });
}

async function resultOf(events: AsyncIterable<TurnEvent>): Promise<{ text: string; ok: boolean }> {
  for await (const event of events) {
    if (event.type === "turn_finished") return { text: event.text, ok: event.outcome === "completed" };
  }
  return { text: "The connection to the bot ended before the command did.", ok: false };
}

function render(text: string, context: CommandContext): string[] {
  const { stdout } = context;
  if (stdout.isTTY !== true) return [plainText(text)];
  return renderMarkdown(text, screenOf(stdout).columns, createPaint(wantsColours(context)));
}
