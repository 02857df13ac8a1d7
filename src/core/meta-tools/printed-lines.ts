import type { ToolContext } from "../tool.ts";

/** Shortest time between two lines that are shown, ms: code may print a million of them. */
const shortestPause = 200;

/** Shows what code prints as progress, as fast as people can follow it. */
export function printedLines({ progress, now }: Pick<ToolContext, "progress" | "now">) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (line: string): void => {
    if (now() - shownAt < shortestPause) return;
    shownAt = now();
    progress(line);
  };
}
