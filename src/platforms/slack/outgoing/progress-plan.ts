import type { types, webApi } from "@slack/bolt";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { ProgressCard } from "../../../core/ports/chat-platform.ts";
import { withoutMentions } from "./outgoing-text.ts";

type Chunk = NonNullable<webApi.ChatAppendStreamArguments["chunks"]>[number];

const statuses = { running: "in_progress", ok: "complete", error: "error" } as const;

/** Maximum tasks of a block, whose characters count with the text. A longer turn shows its latest tasks. */
const maxTasks = 15;

/** Maximum tasks of a stream, from which none can be removed; Slack allows fifty. */
const maxStreamed = 40;

/** With a longer text, tasks show no results. */
const roomyText = 4_000;

/** A task as Slack shows it, in a block and in a stream. */
interface Task {
  id: string;
  title: string;
  status: (typeof statuses)[keyof typeof statuses];
  output?: string | undefined;
}

/**
 * Progress of a turn as Slack's plan of tasks (docs.slack.dev/reference/block-kit/blocks/plan-block). `text` is the text below
 * it.
 */
export function progressPlan(card: ProgressCard, text: string): types.PlanBlock {
  return {
    type: "plan",
    title: line(card.title, 150),
    tasks: tasksOf(card, text).map(
      ({ id, output, ...task }): types.TaskCardBlock => ({
        type: "task_card",
        task_id: id,
        ...task,
        ...(output && { output: richText(output) }),
      }),
    ),
  };
}

/** The parts of a plan that a stream has shown, as they were sent. */
export type ShownPlan = ReadonlyMap<string, string>;

/** The changes of a plan as chunks of a stream, and everything the stream has shown after them. */
export function planChunks(card: ProgressCard, shown: ShownPlan): { chunks: Chunk[]; shown: ShownPlan } {
  const all: [string, Chunk][] = [
    ["", { type: "plan_update", title: line(card.title, 150) } as Chunk],
    ...tasksOf(card, "").map((task): [string, Chunk] => [task.id, { type: "task_update", ...task } as Chunk]),
  ];
  const now = new Map(shown);
  const fresh = all.filter(([id, chunk]) => {
    const text = JSON.stringify(chunk);
    if (now.get(id) === text || (!now.has(id) && now.size > maxStreamed)) return false;
    now.set(id, text);
    return true;
  });
  return { chunks: fresh.map(([, chunk]) => chunk), shown: now };
}

function tasksOf({ steps }: ProgressCard, text: string): Task[] {
  return steps.slice(-maxTasks).map(({ id, title, state, note, duration_ms }) => {
    const took = duration_ms === undefined || duration_ms < 1_000 ? "" : ` (${duration(duration_ms)})`;
    const hasOutput = note !== undefined && note !== "" && text.length <= roomyText;
    return {
      id: id.slice(0, 200),
      title: line(title, 120) + took,
      status: statuses[state],
      output: hasOutput ? line(note, 250) : undefined,
    };
  });
}

function richText(text: string): types.RichTextBlock {
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  };
}

function line(text: string, length: number): string {
  const one = withoutMentions(text.replaceAll(/\s+/g, " ").trim());
  return (one.length > length ? `${beginningOf(one, length - 1)}…` : one) || "…";
}

function duration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
