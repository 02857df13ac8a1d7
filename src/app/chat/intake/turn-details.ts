import { stringify } from "yaml";
import { ExactNumber } from "../../../base/exact-number.ts";
import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { emptyTurnView, foldTurn, formatDuration } from "../../../core/log/turn-view.ts";
import type { StepView } from "../../../core/log/turn-view-steps.ts";
import { mayStop } from "../../../core/values/inbound.ts";
import type { Json } from "../../../core/values/json.ts";
import { exactJson } from "../../../core/values/shown.ts";
import type { IntakeContext, TurnPress } from "./intake-context.ts";

/** What “Details” shows: the receipt and the steps of a turn, and the exact arguments of an approval. */

/** Maximum characters of the details of a turn. */
const maxDetails = 2_500;

/** The exact arguments of an approval. */
export async function showArguments(
  { app, platform }: IntakeContext,
  { turn, by }: TurnPress,
  { approval_id: id }: { approval_id: string },
): Promise<string> {
  const found = await app.run("approval.show", { input: { id }, asker: { by, namespace: turn.namespace } });
  if (!found.ok) return found.message;
  const { tool, skill_id, input } = found.value;
  const room = Math.min(maxDetails, platform.limits.message_characters - 400);
  return `**${escapeMarkdown(oneLine([skill_id, tool].filter(Boolean).join(", "), 200))}**\n${fenced(cutText(exactJson(input), room))}`;
}

/** The receipt, and for those who see the whole turn its steps with input and output. */
export async function showDetails(
  { app, log, platform }: IntakeContext,
  { turn, by }: TurnPress,
): Promise<string> {
  const asker = { by, namespace: turn.namespace };
  const made = await app.run("turn.receipt", { input: { id: turn.turn_id }, asker });
  if (!made.ok) return made.message;
  const { text, private: isPrivate } = made.value;
  const seesSteps = turn.author.id === by.id || (!isPrivate && mayStop(by, turn));
  const { steps } = (await log.read(turn.turn_id)).reduce(foldTurn, emptyTurnView(turn.turn_id));
  const room = Math.min(maxDetails, platform.limits.message_characters - 100);
  if (!seesSteps || steps.length === 0) return cutList(text, room);
  const receipt = cutList(text, Math.floor(room / 2)) + separator;
  return receipt + stepTexts(steps, room - receipt.length);
}

/** The lines of a list in at most so many characters. A line that is too long ends after one of its entries. */
function cutList(text: string, characters: number): string {
  const lines: string[] = [];
  let room = characters;
  for (const line of text.split("\n")) {
    const end = line.length < room ? line.length : line.lastIndexOf(", ", room - 3);
    if (end <= 0) break;
    const shown = end === line.length ? line : `${line.slice(0, end)} …`;
    lines.push(shown);
    room -= shown.length + 1;
  }
  return lines.join("\n");
}

/**
 * Steps with input and output, in Markdown of at most `characters`. The text comes from the log, where secrets are already removed.
 */
function stepTexts(steps: readonly StepView[], characters: number): string {
  const shown = steps.slice(0, Math.max(1, Math.floor(characters / minPerStep)));
  const left = steps.length - shown.length;
  const end = left === 0 ? "" : `${separator}… and ${left} more; the console shows all.`;
  const each = Math.floor((characters - end.length) / shown.length) - separator.length;
  return shown.map((step, index) => stepText(step, index + 1, each)).join(separator) + end;
}

const separator = "\n\n";

/** Minimum characters for a useful step; steps with less room are left out. */
const minPerStep = 300;

/** Room for headline, labels and fences of a step, characters. */
const frame = 140;

function stepText(step: StepView, position: number, characters: number): string {
  const duration = step.duration_ms === undefined ? "still running" : formatDuration(step.duration_ms);
  const about = [cutText(step.tool, 30), duration, step.state === "error" ? "failed" : ""].filter(Boolean);
  const headline = `**${position}. ${cutText(step.title, 60)}** (${about.join(", ")})`;
  const room = Math.max(40, characters - frame);
  const input = readable(step.input);
  const output = step.output === undefined ? "" : readable(step.output);
  const inputRoom = Math.max(Math.floor(room / 2), room - output.length);
  const shownInput = cutText(input, inputRoom);
  const parts = [headline, `Input\n${fenced(shownInput)}`];
  if (output !== "") parts.push(`Output\n${fenced(cutText(output, room - shownInput.length))}`);
  return parts.join("\n");
}

/** Names and values on lines, without the signs of JSON. */
function readable(value: Json): string {
  if (typeof value === "string") return value;
  const digits = (_name: unknown, each: unknown) => (each instanceof ExactNumber ? each.digits : each);
  return stringify(value, digits, { lineWidth: 0 }).trimEnd();
}

/** A block that its content cannot close: an invisible space separates backticks in it. */
function fenced(text: string): string {
  return `\`\`\`\n${text.replaceAll("```", "`\u200b`\u200b`")}\n\`\`\``;
}
