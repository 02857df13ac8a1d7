import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { alwaysText } from "../../../core/always-text.ts";
import type { ButtonAction } from "../../../core/button-action.ts";
import type { OutgoingButton, OutgoingMessage } from "../../../core/chat-platform.ts";
import { exactJson } from "../../../core/exact-json.ts";
import type { Json } from "../../../core/json.ts";
import type { TurnEventOf } from "../../../core/turn-event.ts";
import type { ApprovalVerdict } from "../../../core/turn-view.ts";
import { closeFence } from "./markdown-fences.ts";

export type Question = Omit<TurnEventOf<"question_asked">, "seq" | "at" | "turn_id">;
export type Approval = Omit<TurnEventOf<"approval_requested">, "seq" | "at" | "turn_id">;

/** Room that is left in a message for what stands around a text that can be long. */
const frame = 400;

/** The longest label of a button (`OutgoingButton.label`), and how many buttons a message takes on every platform. */
const maxLabelLength = 75;
const maxButtons = 20;

/** Characters of what “Always here” would allow. */
const maxAlwaysLength = 700;

/** Characters of what a skill asks approval for; its arguments need room too. */
const maxReasonLength = 600;

export function renderQuestion(
  { text, choices }: Question,
  turnId: string,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const buttons = choices.slice(0, maxButtons).map(
    (choice, index): OutgoingButton => ({
      action: { role: "answer", turn_id: turnId, choice: index },
      label: oneLine(choice, maxLabelLength) || `${index + 1}`,
    }),
  );
  const isCut = choices.length > maxButtons || choices.some((choice) => choice.length > maxLabelLength);
  const listed = isCut
    ? choices.map((choice, index) => `${index + 1}. ${escapeMarkdown(oneLine(choice, 200))}`)
    : [];
  const how =
    choices.length === 0
      ? "Write your answer in this thread."
      : "Choose, or write your answer in this thread.";
  const parts = [closeFence(cutText(text, limit - frame)), listed.join("\n"), `*${how}*`];
  return {
    markdown: cutText(parts.filter(Boolean).join("\n\n"), limit),
    ...(buttons.length === 0 ? {} : { buttons }),
  };
}

/** A question that takes no more answers; `end` says why. */
export function renderClosedQuestion(
  { text }: Question,
  end: string,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  return { markdown: `${closeFence(cutText(text, limit - frame))}\n\n${end}` };
}

const deciders = {
  guest: "Everybody here may decide.",
  member: "Every member may decide.",
  manager: "A manager of this channel may decide.",
  operator: "An operator of the bot may decide.",
} as const;

/** @param asker the person the turn is for */
export function renderApproval(
  approval: Approval,
  asker: { id: string; name: string },
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const { approval_id, approver, expires_at, binds, addresses = [] } = approval;
  const always =
    binds === undefined ? "" : cutText(`\n*${escapeMarkdown(alwaysText(binds))}*`, maxAlwaysLength);
  const decide = (verdict: ApprovalVerdict): ButtonAction => ({ role: "decide", approval_id, verdict });
  const { markdown, whole } = describeApproval(approval, limit - frame - always.length);
  const file = {
    name: "arguments.json",
    media_type: "application/json",
    data: new TextEncoder().encode(whole ?? ""),
  };
  return {
    markdown: `${markdown}\n\n${decidersOf(approver, asker.name)}${always}`,
    timed: { text: "Open until {time}.", at: expires_at },
    ...(approver === "asker" ? { mention: asker.id } : {}),
    buttons: [
      { action: decide(true), label: "Approve", style: "primary" },
      { action: decide(false), label: "Refuse", style: "danger" },
      ...(addresses.length === 0 ? [] : [{ action: decide("turn"), label: "This site, this turn" }]),
      ...(binds === undefined ? [] : [{ action: decide("always"), label: "Always here" }]),
    ],
    ...(whole === undefined ? {} : { files: [file] }),
  };
}

function decidersOf(approver: Approval["approver"], asker: string): string {
  if (approver !== "asker") return deciders[approver];
  return `${escapeMarkdown(oneLine(asker, 80))} may decide, or a manager of this channel.`;
}

export function renderClosedApproval(
  approval: Approval,
  end: string,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  return { markdown: `${describeApproval(approval, limit - frame).markdown}\n\n${end}` };
}

/** `whole` is set when the arguments do not fit: who decides must be able to see all of them. */
function describeApproval(approval: Approval, room: number): { markdown: string; whole?: string } {
  const json = exactJson(approval.input);
  const longestRun = Math.max(2, ...(json.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.min(longestRun + 1, 50));
  const head = headOf(approval);
  const space = Math.max(0, room - head.length - 2 * fence.length - 120);
  const shown = longestRun >= 50 ? "" : cutText(json, space);
  const isCut = shown !== json;
  const note = isCut ? "\n*This is only the beginning: all of it is in `arguments.json`.*" : "";
  const markdown = `${head}\n${fence}json\n${shown}\n${fence}${note}`;
  return isCut ? { markdown, whole: json } : { markdown };
}

/** What is asked. A question of a skill's own is its words, so it is said whose they are. */
function headOf(approval: Approval): string {
  const { reason = "" } = approval;
  const why = reason.trim() === "" ? "" : `\n${escapeMarkdown(oneLine(reason, maxReasonLength))}`;
  return `${questionOf(approval)}${why}`;
}

function questionOf({ tool, skill_id, input, question }: Approval): string {
  const skill = skill_id || skillIn(input);
  const shown = (text: string, longest: number) => escapeMarkdown(oneLine(text, longest));
  if (question !== undefined && question.trim() !== "") {
    const asker = skill === "" ? `**${shown(tool, 100)}**` : `The skill **${shown(skill, 100)}**`;
    const about = skill === "" ? "" : ` about **${shown(tool, 150)}**`;
    return `${asker} asks${about}: ${shown(question, maxReasonLength)}`;
  }
  const of = skill === "" ? "" : ` of the skill **${shown(skill, 100)}**`;
  return `May I run **${shown(tool, 100)}**${of} with exactly this?`;
}

/** The agent's own tools belong to no skill; what they do for one names it. */
function skillIn(input: Json): string {
  const name = (input as { skill_name?: unknown } | null)?.skill_name;
  return typeof name === "string" ? name : "";
}
