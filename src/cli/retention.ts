import type { RetentionReport } from "../client/shapes.ts";
import { answerOrSay } from "./answer-or-say.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine } from "./print.ts";
import { dayOf, howToKeep, retentionLine } from "./retention-words.ts";

export interface RetentionOptions extends GlobalOptions {
  dryRun?: true;
  json?: true;
}

/** `knack retention`: deletes what is older than the settings keep, or only counts it. */
export async function retention(context: CommandContext, options: RetentionOptions): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const report = await client.removeOld({ dryRun: options.dryRun === true });
    if (options.json) printJson(context, report);
    else for (const line of reportLines(report, context.clock.now(), options)) printLine(context, line);
    return exitCode.ok;
  });
}

function reportLines(report: RetentionReport, now: number, { dryRun }: RetentionOptions): string[] {
  const { from, ran, policy, counts } = report;
  const counted = [
    [policy.conversation_days, `conversations: ${counts.threads}, with ${several(counts.turns, "turn")}`],
    [policy.run_detail_days, `steps: of ${several(counts.run_details, "turn")}; question and answer stay`],
    [policy.file_days, `files: of ${several(counts.files, "turn")}`],
    [policy.audit_days, `audit: ${several(counts.audit, "line")}`],
  ] as const;
  const dayMs = 86_400_000;
  const lines = counted.map(([kept, text]) => {
    const since = kept === "never" ? "kept for ever" : `older than ${dayOf(now - kept * dayMs)}`;
    return `  ${text} (${since})`;
  });
  if (ran) return ["Deleted:", ...lines];
  const waits = from !== undefined && from > now;
  return [
    `Kept: ${retentionLine(report, now)}`,
    dryRun ? "Would be deleted now:" : "Nothing is deleted yet. Old by now:",
    ...lines,
    ...(waits || from === undefined ? [howToKeep] : []),
  ];
}

function several(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
