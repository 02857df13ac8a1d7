import type { types } from "@slack/bolt";
import type { ProgressCard } from "../../core/chat-platform.ts";
import { wholeCharacters, withoutMentions } from "./outgoing-text.ts";

const statuses = { running: "in_progress", ok: "complete", error: "error" } as const;

/** Steps shown; of a longer turn the first ones go, as the latest say where it is. */
const shownSteps = 30;

/** Progress of a turn as Slack's plan of tasks (docs.slack.dev/reference/block-kit/blocks/plan-block). */
export function progressPlan({ title, steps }: ProgressCard): types.PlanBlock {
  const shown = steps.slice(-shownSteps);
  return {
    type: "plan",
    title: line(title, 150),
    tasks: shown.map(({ id, title: name, state, note, duration_ms }, index): types.TaskCardBlock => {
      const took = duration_ms === undefined || duration_ms < 1_000 ? "" : ` (${duration(duration_ms)})`;
      return {
        type: "task_card",
        task_id: `${index}-${id}`.slice(0, 200),
        title: line(name, 120) + took,
        status: statuses[state],
        ...(note === undefined || note === "" ? {} : { output: richText(line(note, 250)) }),
      };
    }),
  };
}

function richText(text: string): types.RichTextBlock {
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  };
}

function line(text: string, length: number): string {
  const one = withoutMentions(text.replaceAll(/\s+/g, " ").trim());
  return (one.length > length ? `${wholeCharacters(one, length - 1)}…` : one) || "…";
}

function duration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
