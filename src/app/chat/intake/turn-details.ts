import { costText, type TurnEvent } from "../../../core/log/turn-event.ts";
import { emptyTurnView, foldTurn, formatDuration, type TurnView } from "../../../core/log/turn-view.ts";
import type { StepView } from "../../../core/log/turn-view-steps.ts";
import type { Json } from "../../../core/values/json.ts";

/**
 * What a turn did, step by step with input and output, in Markdown of at most `characters`. What is shown is what the log
 * has: secrets are taken out of it already.
 */
export function turnDetails(turnId: string, events: readonly TurnEvent[], characters: number): string {
  const view = events.reduce(foldTurn, emptyTurnView(turnId));
  const { steps } = view;
  const spent = spentLine(view);
  if (steps.length === 0) return ["Nothing was used for this answer.", spent].filter(Boolean).join("\n\n");
  const shown = steps.slice(0, Math.max(1, Math.floor(characters / leastPerStep)));
  const left = steps.length - shown.length;
  const more = left === 0 ? "" : `… and ${left} more; the console shows all.`;
  const end = [more, spent].map((text) => text && `\n\n${text}`).join("");
  const each = Math.floor((characters - end.length) / shown.length) - separator.length;
  return shown.map((step, index) => stepText(step, index + 1, each)).join(separator) + end;
}

/** `anthropic/claude-sonnet-5-5, 1,234 tokens, $0.0123`; empty where no model was asked. */
function spentLine(view: TurnView): string {
  const tokens = view.input_tokens + view.output_tokens;
  if (tokens === 0 || view.model === "") return "";
  return [view.model, `${tokens.toLocaleString("en")} tokens`, costText(view)].filter(Boolean).join(", ");
}

const separator = "\n\n";

/** Below this a step says nothing; further ones are left out. */
const leastPerStep = 300;

/** Headline, labels and fences of a step. */
const frame = 140;

function stepText(step: StepView, position: number, characters: number): string {
  const duration = step.duration_ms === undefined ? "still running" : formatDuration(step.duration_ms);
  const about = [cut(step.tool, 30), duration, step.state === "error" ? "failed" : ""].filter(Boolean);
  const headline = `**${position}. ${cut(step.title, 60)}** (${about.join(", ")})`;
  const room = Math.max(40, characters - frame);
  const input = readable(step.input);
  const output = step.output === undefined ? "" : readable(step.output);
  const inputRoom = Math.max(Math.floor(room / 2), room - output.length);
  const shownInput = cut(input, inputRoom);
  const parts = [headline, `Input\n${fenced(shownInput)}`];
  if (output !== "") parts.push(`Output\n${fenced(cut(output, room - shownInput.length))}`);
  return parts.join("\n");
}

function readable(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(characters - 2)) ? characters - 2 : characters - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

/** A block that its content cannot close: backticks in it are told apart by an invisible space. */
function fenced(text: string): string {
  return `\`\`\`\n${text.replaceAll("```", "`\u200b`\u200b`")}\n\`\`\``;
}
