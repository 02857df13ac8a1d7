import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { anyOf, type NamedDecider } from "../../../core/effects/mentioning.ts";
import type { TurnEventOf } from "../../../core/log/turn-event.ts";
import type { ApprovalVerdict } from "../../../core/log/turn-view.ts";
import type { OutgoingButton, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import type { Json } from "../../../core/values/json.ts";
import { alwaysLabel, alwaysText, exactJson } from "../../../core/values/shown.ts";

export type Approval = Omit<TurnEventOf<"approval_requested">, "seq" | "at" | "turn_id">;

/** Room in a message for the text around the arguments, characters. */
const frame = 400;

/** Maximum characters of the note on what “Always here” and “Never” would decide. */
const maxAlwaysLength = 700;

/** Maximum characters of a skill's reason; the arguments need room too. */
const maxReasonLength = 600;

/** The people an approval is for. */
export interface ApprovalAudience {
  /** The person the turn is for. */
  asker: { id: string; name: string };
  /** Whether the asker may decide it. */
  isTheirs: boolean;
  /** Other known deciders, those who see the card first. */
  deciders: readonly NamedDecider[];
}

/** The card where the turn runs. It mentions the asker if they may decide, otherwise the deciders who see it. */
export function renderApproval(
  approval: Approval,
  audience: ApprovalAudience,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const { asker, isTheirs, deciders } = audience;
  const called = isTheirs ? [] : deciders.slice(0, maxCalled).filter(({ here }) => here);
  return {
    ...cardOf(approval, { who: whoMay(approval.approver, audience) }, limit),
    ...(isTheirs ? { mention: asker.id } : {}),
    ...(called.length === 0 ? {} : { calls: called.map(({ id }) => id) }),
  };
}

/**
 * The same card for a decider elsewhere.
 * @param from who asks and where: `**Ann** asks in **#general**.`
 */
export function renderDirectApproval(
  approval: Approval,
  from: string,
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const where = "where it was asked, and not here";
  return cardOf(approval, { from, who: "You may decide.", where }, limit);
}

function cardOf(
  approval: Approval,
  { from, who, where }: { from?: string; who: string; where?: string },
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const { approval_id, expires_at, binds, input, addresses = [] } = approval;
  const forGood =
    binds === undefined
      ? ""
      : cutText(`\n*${escapeMarkdown(alwaysText({ binds, input }, where))}*`, maxAlwaysLength);
  const head = from === undefined ? "" : `${from}\n`;
  const { markdown, whole } = describeApproval(approval, limit - frame - forGood.length - head.length);
  const file = {
    name: "arguments.json",
    media_type: "application/json",
    data: new TextEncoder().encode(whole ?? ""),
  };
  const button = (verdict: ApprovalVerdict, label: string): OutgoingButton => ({
    action: { role: "decide", approval_id, verdict },
    label,
  });
  return {
    markdown: `${head}${markdown}\n\n${who}${forGood}`,
    timed: { text: "Open until {time}.", at: expires_at },
    buttons: [
      { ...button(true, binds === undefined ? "Approve" : "Approve once"), style: "primary" },
      { ...button(false, "Refuse"), style: "danger" },
      ...(addresses.length === 0 ? [] : [button("turn", "This site, this turn")]),
      ...(binds === undefined
        ? []
        : [button("always", alwaysLabel({ binds, input })), button("never", "Never")]),
    ],
    ...(whole === undefined ? {} : { files: [file] }),
  };
}

/** Maximum people that a card names, and mentions if they see it. */
const maxCalled = 3;

const ranks = {
  guest: "Everybody here",
  member: "Every member",
  manager: "A manager of this channel",
  operator: "An operator of the bot",
} as const;

function whoMay(approver: Approval["approver"], { asker, isTheirs, deciders }: ApprovalAudience): string {
  const name = escapeMarkdown(oneLine(asker.name, 80));
  if (approver === "asker") return `${name} may decide, or a manager of this channel.`;
  const other = { manager: "another manager of this channel", operator: "another operator of the bot" };
  if (isTheirs && approver in other)
    return `${name} may decide, or ${other[approver as keyof typeof other]}.`;
  const some = deciders.slice(0, maxCalled).flatMap((each) => nameOf(each) ?? []);
  const named = some.length === 0 ? "" : `: ${anyOf(some, deciders.length - some.length)}`;
  return `${ranks[approver]} may decide${named}.`;
}

/** A mention does not reach people who do not see the card. */
function nameOf({ id, name, here }: NamedDecider): string | undefined {
  if (here) return `<@${id}>`;
  return name === undefined ? undefined : escapeMarkdown(oneLine(name, 80));
}

/** A closed approval; `end` says why, `from` as above. */
export function renderClosedApproval(
  approval: Approval,
  { end, from }: { end: string; from?: string },
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const head = from === undefined ? "" : `${from}\n`;
  return { markdown: `${head}${describeApproval(approval, limit - frame - head.length).markdown}\n\n${end}` };
}

/** `whole` is set when the arguments do not fit: the decider must be able to see all of them. */
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

/** The question. If a skill wrote it, the text names the skill. */
function headOf(approval: Approval): string {
  const { reason = "" } = approval;
  const why = reason.trim() === "" ? "" : `\n${escapeMarkdown(oneLine(reason, maxReasonLength))}`;
  return `${questionOf(approval)}${why}`;
}

function questionOf({ tool, skill_id, input, question }: Approval): string {
  const skill = skill_id || skillIn(input);
  const shown = (text: string, maxLength: number) => escapeMarkdown(oneLine(text, maxLength));
  if (question !== undefined && question.trim() !== "") {
    const asker = skill === "" ? `**${shown(tool, 100)}**` : `The skill **${shown(skill, 100)}**`;
    const about = skill === "" ? "" : ` about **${shown(tool, 150)}**`;
    return `${asker} asks${about}: ${shown(question, maxReasonLength)}`;
  }
  const of = skill === "" ? "" : ` of the skill **${shown(skill, 100)}**`;
  return `May I run **${shown(tool, 100)}**${of} with exactly this?`;
}

/** The agent's own tools belong to no skill; a call on behalf of a skill names it. */
function skillIn(input: Json): string {
  const name = (input as { skill_name?: unknown } | null)?.skill_name;
  return typeof name === "string" ? name : "";
}
