import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import type { CommandContext } from "./command-context.ts";
import type { Finding } from "./doctor-finding.ts";
import { printLine, wantsColours } from "./print.ts";

/** A finding as one line, and what to do below it. */
export function printFinding(context: CommandContext, { name, status, detail, advice }: Finding): void {
  const paint = createPaint(wantsColours(context));
  const mark = { ok: paint.good("✔"), warning: paint.code("!"), error: paint.bad("✖") }[status];
  printLine(context, `${mark} ${paint.bold(name)}: ${plainLine(detail)}`);
  if (advice !== undefined) printLine(context, `    ${plainLine(advice)}`);
}
