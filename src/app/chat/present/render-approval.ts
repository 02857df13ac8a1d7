import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { anyOf, type NamedDecider } from "../../../core/decisions/people-on-cards.ts";
import type { TurnEventOf } from "../../../core/log/turn-event.ts";
import type { ButtonAction, OutgoingButton, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import { editedInput, textToEdit } from "../../../core/values/call-arguments.ts";
import { mentioned } from "../../../core/values/label.ts";
import {
  alwaysLabel,
  alwaysText,
  exactJson,
  exactText,
  type ShownCall,
  shownCall,
  turnLabel,
} from "../../../core/values/shown.ts";
import type { Verdict } from "../../../core/values/verdict.ts";

export type Approval = Omit<TurnEventOf<"approval_requested">, "seq" | "at" | "turn_id">;

/** Room in a message for the text around the call, characters. */
const frame = 400;

/** Maximum characters of the note on what “Always here” and “Never” would decide. */
const maxAlwaysLength = 700;

/** Maximum characters of the reason; the arguments need room too. */
const maxReasonLength = 600;

/** Maximum characters of a text that can be edited in a form: Slack's limit of a text field; Discord's is higher. */
const maxEdited = 3_000;

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
  return {
    ...cardOf(approval, { who: whoMayDecide(approval, audience) }, limit),
    ...callsOf(audience),
  };
}

/** Mentions the asker if they may decide, otherwise the deciders who see it. */
function callsOf({
  asker,
  isTheirs,
  deciders,
}: ApprovalAudience): Pick<OutgoingMessage, "mention" | "calls"> {
  const called = isTheirs ? [] : deciders.slice(0, maxCalled).filter(({ here }) => here);
  return {
    ...(isTheirs ? { mention: asker.id } : {}),
    ...(called.length === 0 ? {} : { calls: called.map(({ id }) => id) }),
  };
}

/** The reminder in the middle of the time, below the card. */
export function renderReminder(approval: Approval, audience: ApprovalAudience): Omit<OutgoingMessage, "tag"> {
  return { ...reminderOf(approval, whoMayDecide(approval, audience)), ...callsOf(audience) };
}

function reminderOf(approval: Approval, who: string): Omit<OutgoingMessage, "tag"> {
  return { markdown: `⏰ ${sentenceOf(approval)} ${who}`, ...openUntil(approval) };
}

const openUntil = ({ expires_at }: Approval) => ({
  timed: { text: "Open until {time}.", at: expires_at },
});

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
  return cardOf(asTheyRead(approval), { from, who: youMay(approval), where }, limit);
}

/** The reminder for a decider elsewhere. */
export function renderDirectReminder(approval: Approval): Omit<OutgoingMessage, "tag"> {
  return reminderOf(asTheyRead(approval), youMay(approval));
}

function youMay({ person }: Approval): string {
  return person === undefined ? "You may decide." : "Only you can decide.";
}

/** With the deed as the person reads it whom it is about. */
function asTheyRead(approval: Approval): Approval {
  const { says, person } = approval;
  return says === undefined ? approval : { ...approval, says: { ...says, deed: person?.deed ?? says.deed } };
}

function cardOf(
  approval: Approval,
  { from, who, where }: { from?: string; who: string; where?: string },
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const { binds, input } = approval;
  const forGood =
    binds === undefined
      ? ""
      : cutText(`\n*${escapeMarkdown(alwaysText({ binds, input }, where))}*`, maxAlwaysLength);
  const head = from === undefined ? "" : `${from}\n`;
  const { markdown, isWhole } = describeApproval(approval, limit - frame - forGood.length - head.length);
  const data = new TextEncoder().encode(exactJson(input));
  const file = { name: "arguments.json", media_type: "application/json", data };
  return {
    markdown: `${head}${markdown}\n\n${who}${forGood}`,
    ...openUntil(approval),
    buttons: buttonsOf(approval),
    ...(isWhole ? {} : { files: [file] }),
  };
}

function buttonsOf(approval: Approval): OutgoingButton[] {
  const { approval_id, binds, input, person } = approval;
  const forTurn = turnLabel(approval);
  const decide = (verdict: Verdict): ButtonAction => ({ role: "decide", approval_id, verdict });
  const quoted = textToEdit(approval);
  const yes = person === undefined ? "Approve" : "Accept";
  const once = binds === undefined && !person?.for_answer ? yes : `${yes} once`;
  return [
    { action: decide("once"), label: once, style: "primary" },
    ...(quoted === undefined || quoted.length > maxEdited
      ? []
      : [{ action: { role: "edit", approval_id }, label: "Edit" } as const]),
    { action: decide("refuse"), label: "Refuse", style: "danger" },
    ...(forTurn === undefined ? [] : [{ action: decide("turn"), label: forTurn }]),
    ...(binds === undefined
      ? []
      : [
          { action: decide("always"), label: alwaysLabel({ binds, input }) },
          { action: decide("never"), label: "Never" },
        ]),
    { action: { role: "arguments", approval_id }, label: "Details" },
  ];
}

/** Maximum people that a card names, and mentions if they see it. */
const maxCalled = 3;

const ranks = {
  guest: "Everybody here",
  member: "Every member",
  manager: "A manager of this channel",
  operator: "An operator of the bot",
} as const;

function whoMayDecide(
  { approver, person }: Approval,
  { asker, isTheirs, deciders }: ApprovalAudience,
): string {
  if (person !== undefined)
    return `Only ${withMentions(mentioned(person.name, person.id))} can decide, and was asked.`;
  const name = withMentions(mentioned(asker.name, asker.id));
  const some = deciders.slice(0, maxCalled).flatMap((each) => nameOf(each) ?? []);
  const named = some.length === 0 ? "" : `: ${anyOf(some, deciders.length - some.length)}`;
  if (approver === "asker" && !isTheirs) return `${ranks.manager} may decide${named}.`;
  if (approver === "asker") return `${name} may decide, or a manager of this channel.`;
  const other = { manager: "another manager of this channel", operator: "another operator of the bot" };
  if (isTheirs && approver in other)
    return `${name} may decide, or ${other[approver as keyof typeof other]}.`;
  return `${ranks[approver]} may decide${named}.`;
}

/** A mention does not reach people who do not see the card. */
function nameOf({ id, name, here }: NamedDecider): string | undefined {
  if (here) return `<@${id}>`;
  return name === undefined ? undefined : withMentions(mentioned(name, id));
}

/** A closed approval; `end` says why, `from` as above. It shows the text that ran. */
export function renderClosedApproval(
  approval: Approval,
  { end, from, edited }: { end: string; from?: string; edited?: string | undefined },
  limit: number,
): Omit<OutgoingMessage, "tag"> {
  const head = from === undefined ? "" : `${from}\n`;
  const read = from === undefined ? approval : asTheyRead(approval);
  const ran = { ...read, input: editedInput(read.input, read.says, edited) };
  return { markdown: `${head}${describeApproval(ran, limit - frame - head.length).markdown}\n\n${end}` };
}

/** One sentence, what others will see or what runs as a quote, all other arguments, and why it asks. */
function describeApproval(approval: Approval, room: number): { markdown: string; isWhole: boolean } {
  const sentence = sentenceOf(approval);
  const { reason = "" } = approval;
  const why = reason.trim() === "" ? "" : escapeMarkdown(oneLine(reason, maxReasonLength));
  const space = Math.max(0, room - sentence.length - why.length - 120);
  const { quote, rest } = shownCall(approval);
  const lines = rest.map(({ name, value }) => `- **${escapeMarkdown(name)}:** ${escapeMarkdown(value)}`);
  const list = lines.join("\n");
  const quoted = quote === undefined ? "" : quoteOf(quote, Math.max(space - list.length, space / 2));
  const listed = cutText(list, Math.max(0, space - quoted.length));
  const isWhole = listed === list && (quote === undefined || quoted === quoteOf(quote, Infinity));
  const note = isWhole ? "" : "*This is only the beginning: all of it is in `arguments.json`.*";
  // A quote and a list go on until an empty line.
  const parts = [sentence, quoted && `${quoted}\n`, listed && `${listed}\n`, note, why];
  return { markdown: parts.filter(Boolean).join("\n").trimEnd(), isWhole };
}

/** Code in a block, other text as a quote. Its own markup is shown and has no effect. */
function quoteOf({ text, code }: NonNullable<ShownCall["quote"]>, space: number): string {
  if (!code) return `> ${cutText(escapeMarkdown(text).replaceAll("\n", "\n> "), Math.max(0, space - 2))}`;
  const longestRun = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.min(longestRun + 1, 50));
  const shown = longestRun >= 50 ? "" : cutText(text, Math.max(0, space - 2 * fence.length - 2));
  return `${fence}\n${shown}\n${fence}`;
}

/**
 * A text of the bot in Markdown, with its mentions as the platform writes them. They notify nobody, because the message calls nobody by
 * them.
 */
export function withMentions(text: string): string {
  const escaped = escapeMarkdown(text);
  return escaped.replace(/\\<(?:@&?|\\#)[\w.:@+\\-]{1,250}\\>/g, (mention) => mention.replaceAll("\\", ""));
}

/** The question. If a skill that did not ship wrote it, it names the skill. */
function sentenceOf(approval: Approval): string {
  const { sentence, asker } = shownCall(approval);
  if (asker === undefined) return `**${withMentions(sentence)}**`;
  return `The skill **${escapeMarkdown(exactText(asker))}** asks: ${escapeMarkdown(sentence)}`;
}
