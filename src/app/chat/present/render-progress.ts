import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { isContainer } from "../../../base/record.ts";
import {
  formatDuration,
  ownSteps,
  summariseSteps,
  type TurnView,
  toldLine,
} from "../../../core/log/turn-view.ts";
import type { StepView } from "../../../core/log/turn-view-steps.ts";
import type { ProgressCard } from "../../../core/ports/chat-platform.ts";
import type { ProgressLevel } from "../../../core/skill/namespace-state.ts";
import type { Json } from "../../../core/values/json.ts";

/** Maximum number of steps shown individually, latest ones. */
const maxSteps = 12;

/** Maximum characters of input and of output at level `full`. */
const maxDetailLength = 160;

type Step = ProgressCard["steps"][number];

/** Maximum characters of the line above an answer, and room for it with its markup and the separator. */
const maxHead = 70;
export const headRoom = 2 * maxHead + 4;

/**
 * The progress of a turn as it is at `now` (ms since the epoch).
 * @param above whether its answer follows below it
 */
export function renderProgress(
  view: TurnView,
  { level, limit, now, above }: { level: ProgressLevel; limit: number; now: number; above: boolean },
): ProgressCard {
  const all = ownSteps(view);
  const shown = all.slice(-maxSteps);
  const steps = shown.map((step) => stepOf(step, view.steps, level));
  const { background, said } = view;
  const told = toldLine(view, now) ?? (background === undefined ? "Working on it" : said);
  const work = background === undefined ? told : `${background}, in the background: ${told}`;
  const title = oneLine(work.replace(/[*`#]/g, ""), 200);
  const earlier = all.length - shown.length;
  const lines = [
    `**${escapeMarkdown(title)}**`,
    ...(earlier === 0 ? [] : [`… ${earlier} earlier`]),
    ...steps.map(lineOf),
  ];
  const head = `*${escapeMarkdown(oneLine(statusOf(view) || title, maxHead))}*`;
  return { title, markdown: above ? head : cutText(lines.join("\n"), limit), steps, done: false };
}

/** The progress of a turn that has ended: one line. Undefined when it did nothing but answer. */
export function renderCollapsed(view: TurnView): ProgressCard | undefined {
  const title = summariseSteps(view);
  return title === "" ? undefined : { title, markdown: `*${title}*`, steps: [], done: true };
}

/** The current activity of the turn, in a few words of plain text; empty while unknown. */
export function statusOf(view: TurnView): string {
  const running = ownSteps(view).findLast(({ state }) => state === "running");
  return oneLine(running?.title ?? view.notice ?? view.thought ?? "", 100);
}

function stepOf(step: StepView, all: readonly StepView[], level: ProgressLevel): Step {
  const { call_id, state, duration_ms } = step;
  const note = noteOf(step, all);
  const full = level === "full" ? details(step) : [];
  return {
    id: call_id,
    title: oneLine(step.title, 120),
    state,
    note: [note, ...full].filter(Boolean).join("; ") || undefined,
    duration_ms,
  };
}

/** A step's current activity or its result. Nested calls and stages appear in the line of their parent. */
function noteOf(step: StepView, all: readonly StepView[]): string {
  if (step.state !== "running") return shortResult(step.output);
  const inner = all.findLast((other) => other.parent_call_id === step.call_id && other.state === "running");
  const stage = step.stages.findLast((each) => each.status === "running") ?? step.stages.at(-1);
  const { progress, total } = step;
  const count = progress === undefined || total === undefined ? "" : ` (${progress} of ${total})`;
  const note =
    step.note ?? (inner === undefined ? undefined : inner.title) ?? stage?.name.replaceAll("_", " ");
  return note === undefined ? "" : `${oneLine(note, 100)}${count}`;
}

function details({ input, output }: StepView): string[] {
  const short = (value: Json) =>
    oneLine(typeof value === "string" ? value : JSON.stringify(value), maxDetailLength);
  return [`in: ${short(input)}`, ...(output === undefined ? [] : [`out: ${short(output)}`])];
}

const marks = { running: "⏳", ok: "✓", error: "✗" } as const;

function lineOf({ title, state, note, duration_ms }: Step): string {
  const time = duration_ms === undefined || duration_ms < 1_000 ? "" : ` (${formatDuration(duration_ms)})`;
  const rest = note === undefined ? "" : `: ${escapeMarkdown(note)}`;
  return `${marks[state]} ${escapeMarkdown(title)}${time}${rest}`;
}

/** Maximum characters of a result in the line of its step. */
const maxResultLength = 80;

/** Errors that the model corrects on its own: their details do not help people. */
const slips: ReadonlyMap<unknown, string> = new Map([
  ["unknown_tool", "there is no such tool; the agent was told"],
  ["invalid_json", "called in a wrong way; the agent was told why"],
  ["invalid_arguments", "called in a wrong way; the agent was told why"],
  ["in_conversation", "the agent has read it already"],
]);

const failed = "this did not work; the agent was told why";

/**
 * The result of a step in a few words; empty when there is no short form. A channel sees only sentences: output for the model or for
 * operators is in the details of the turn.
 */
export function shortResult(output: Json | undefined): string {
  if (output === undefined || output === null) return "";
  if (Array.isArray(output)) return output.length === 1 ? "1 result" : `${output.length} results`;
  if (!isContainer(output)) return sentence(String(output));
  const { error, code } = output;
  if (typeof error === "string") return slips.get(code) ?? (sentence(error) || failed);
  for (const [key, value] of Object.entries(output)) {
    if (Array.isArray(value)) return `${value.length} ${oneLine(key.replaceAll("_", " "), 40)}`;
    if (typeof value === "string" && value.trim() !== "") return sentence(value);
  }
  return "";
}

/** Markup, data, addresses and the codes of servers. */
const raw = /[<>{}[\]|`]|https?:|\bHTTP \d|\blocalhost\b|\b\d+(?:\.\d+){3}\b|:\d{2,5}\b|\bE[A-Z]{4,}\b/;

/** The text if it is a short line of words; empty otherwise. */
function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxResultLength || trimmed.includes("\n") || raw.test(trimmed)
    ? ""
    : oneLine(trimmed, maxResultLength);
}
