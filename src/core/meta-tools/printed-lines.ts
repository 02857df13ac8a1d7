import type { ToolContext } from "../skill/tool.ts";
import type { Redact } from "../values/redact.ts";

/** Shortest time between two lines that are shown, ms: code may print a million of them. */
const shortestPause = 200;

/** Shows what code prints as progress, as fast as people can follow it. Lines are redacted before they are cut. */
export function printedLines(
  { progress, now }: Pick<ToolContext, "progress" | "now">,
  redact: Redact = (line) => line,
) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (line: string): void => {
    if (now() - shownAt < shortestPause) return;
    shownAt = now();
    progress(redact(line).slice(0, 200));
  };
}
