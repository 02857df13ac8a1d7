import { plainLine } from "../../platforms/terminal/plain-text.ts";
import type { CommandContext } from "../command-context.ts";

/** One line of `knack doctor`. */
export interface Finding {
  name: string;
  /** With a warning, the bot still works. */
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, as a sentence. */
  advice?: string | undefined;
}

const findingOf =
  (status: Finding["status"]) =>
  (name: string, detail: string, advice?: string): Finding => ({ name, status, detail, advice });

export const fine = findingOf("ok");
export const warning = findingOf("warning");
export const failure = findingOf("error");

/** Findings in which each reason stands once, with the places that have it: `a, b: reason`. In the order in which they first occur. */
export function findingsByReason<Found extends { place: string; reason: string }>(
  found: readonly Found[],
  finding: (detail: string, group: readonly [Found, ...Found[]]) => Finding,
): Finding[] {
  return [...Map.groupBy(found, ({ reason }) => reason)].flatMap(([reason, [first, ...others]]) => {
    if (first === undefined) return [];
    const places = new Set([first, ...others].map(({ place }) => place));
    return [finding(`${[...places].join(", ")}: ${reason}`, [first, ...others])];
  });
}

/** Prints a finding as one line, with the advice below it. */
export function printFinding(context: CommandContext, { name, status, detail, advice }: Finding): void {
  const paint = context.out.paint;
  const mark = { ok: paint.good("✔"), warning: paint.code("!"), error: paint.bad("✖") }[status];
  context.out.line(`${mark} ${paint.bold(name)}: ${plainLine(detail)}`);
  if (advice !== undefined) context.out.line(`    ${plainLine(advice)}`);
}
