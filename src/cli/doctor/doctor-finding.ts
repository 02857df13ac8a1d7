import { createPaint } from "../../platforms/terminal/paint.ts";
import { plainLine } from "../../platforms/terminal/plain-text.ts";
import { type CommandContext, printLine, wantsColours } from "../command-context.ts";

/** One line of `knack doctor`. */
export interface Finding {
  name: string;
  /** With a warning, the bot still works. */
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, as a sentence. */
  advice?: string;
}

export function fine(name: string, detail: string): Finding {
  return { name, status: "ok", detail };
}

export function warning(name: string, detail: string, advice: string): Finding {
  return { name, status: "warning", detail, advice };
}

export function failure(name: string, detail: string, advice: string): Finding {
  return { name, status: "error", detail, advice };
}

/** Prints a finding as one line, with the advice below it. */
export function printFinding(context: CommandContext, { name, status, detail, advice }: Finding): void {
  const paint = createPaint(wantsColours(context));
  const mark = { ok: paint.good("✔"), warning: paint.code("!"), error: paint.bad("✖") }[status];
  printLine(context, `${mark} ${paint.bold(name)}: ${plainLine(detail)}`);
  if (advice !== undefined) printLine(context, `    ${plainLine(advice)}`);
}
