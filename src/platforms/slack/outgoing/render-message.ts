import type { types } from "@slack/bolt";
import { beginningOf } from "../../../base/markdown-text.ts";
import {
  type ButtonAction,
  type MessageTag,
  type OutgoingButton,
  type OutgoingMessage,
  type ProgressCard,
  wordsOf,
  writeButtonId,
} from "../../../core/ports/chat-platform.ts";
import type { SmallChart } from "../../../core/values/picture-words.ts";
import { metadataType } from "../channel/message-event.ts";
import { isPersonId } from "../channel/slack-place.ts";
import { chartBlock, chartWords } from "./data-charts.ts";
import { hasDataTable, textBlocks } from "./data-tables.ts";
import { escapedText, fallbackText, withoutMentions } from "./outgoing-text.ts";
import { progressPlan } from "./progress-plan.ts";

/** Slack's limit for elements of an actions block. */
const elementsPerBlock = 25;

/** Slack's limits for a menu ("overflow"). */
const menuOptions = { least: 2, most: 5 };
const menuId = "menu";
const selectId = "choose";
/** More choices than this become a list, as on Discord, where a row holds five buttons. */
const maxChoiceButtons = 5;

type Feedback = Extract<ButtonAction, { role: "feedback" }>;

export interface Rendered {
  text: string;
  blocks: types.AnyBlock[];
  metadata?: { event_type: string; event_payload: Record<string, string | number> } | undefined;
}

/**
 * Which blocks a message may have: `basic` ones that every workspace has, `rich` ones with a plan of tasks and feedback buttons, or also
 * tables as `data`.
 */
export type BlockForm = "basic" | "rich" | "data";

/** A message with charts that Slack draws itself. */
export interface DrawnMessage extends OutgoingMessage {
  charts?: readonly SmallChart[] | undefined;
}

/** A picture stored by Slack; `name` says what it shows. */
export interface Picture {
  id: string;
  name: string;
}

/**
 * A message in Slack's blocks.
 * @param form which blocks it may have
 * @param pictures shown below the text
 */
export function renderMessage(
  message: DrawnMessage,
  form: BlockForm,
  pictures: readonly Picture[] = [],
): Rendered {
  const rich = form !== "basic";
  const { markdown, progress, timed, buttons = [], tag, mention = "", calls, charts = [] } = message;
  const metadata = tag && metadataOf(tag);
  const time = timed === undefined ? undefined : timedText(timed);
  if (message.plain) {
    const lines = [escapedText(wordsOf(message), calls), time].filter(Boolean).join("\n\n");
    return { text: lines || "…", blocks: [], metadata };
  }
  const called = isPersonId(mention) ? `<@${mention}>` : "";
  const head = progress === undefined ? [] : headBlocks(progress, markdown, rich);
  const words = head.length > 0 ? markdown : wordsOf(message);
  const shown = withoutMentions(words, calls);
  const text: types.AnyBlock[] = form === "data" ? textBlocks(words, calls) : markdownBlock(shown);
  const body = [...head, ...text];
  const inWords = [markdown || wordsOf(message), ...charts.map(chartWords)].filter(Boolean).join("\n\n");
  return {
    text: [called, fallbackText(inWords, calls)].filter(Boolean).join(" ") || "…",
    blocks: [
      ...calledBlock(called),
      ...body,
      ...charts.map(chartBlock),
      ...pictures.map(pictureBlock),
      ...timeBlocks(time),
      ...buttonBlocks(buttons, rich),
    ],
    metadata,
  };
}

function calledBlock(text: string): types.AnyBlock[] {
  return text === "" ? [] : [{ type: "section", text: { type: "mrkdwn", text } }];
}

function markdownBlock(text: string): types.AnyBlock[] {
  return text === "" ? [] : [{ type: "markdown", text }];
}

/** A time in the reader's time zone; old clients show it in UTC (docs.slack.dev, "Formatting message text"). */
function timedText({ text, at }: NonNullable<OutgoingMessage["timed"]>): string {
  const utc = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const date = `<!date^${Math.round(at / 1_000)}^{date_short_pretty} {time}|${utc}>`;
  return escapedText(text).replace("{time}", date);
}

/** Slack renders times only in its own markup, not in a `markdown` block. */
function timeBlocks(time: string | undefined): types.AnyBlock[] {
  return time === undefined ? [] : [{ type: "context", elements: [{ type: "mrkdwn", text: time }] }];
}

/** The forms in which a message is different, the richest first: a workspace may not have all blocks. */
export function formsOf(message: OutgoingMessage): BlockForm[] {
  const { plain, progress, buttons = [] } = message;
  const hasRich = progress !== undefined || feedbackOf(buttons) !== undefined;
  const hasData = hasDataTable(wordsOf(message));
  return plain
    ? ["basic"]
    : [...(hasData ? ["data" as const] : []), ...(hasRich ? ["rich" as const] : []), "basic"];
}

export function metadataOf({ turn_id, purpose, part }: MessageTag): NonNullable<Rendered["metadata"]> {
  return { event_type: metadataType, event_payload: { turn_id, purpose, part } };
}

/** The blocks above the text of a message; none in a workspace without plans, where the text has the progress. */
function headBlocks(card: ProgressCard, markdown: string, rich: boolean): types.AnyBlock[] {
  if (card.done)
    return [{ type: "context", elements: [{ type: "plain_text", text: card.title, emoji: false }] }];
  return rich ? [progressPlan(card, markdown)] : [];
}

function pictureBlock({ id, name }: Picture): types.ImageBlock {
  return { type: "image", slack_file: { id }, alt_text: beginningOf(name, 2_000) };
}

/** Buttons in rows, some of them in a menu; 👍 and 👎 together as Slack's own feedback buttons. */
export function buttonBlocks(buttons: readonly OutgoingButton[], rich: boolean): types.AnyBlock[] {
  const feedback = rich ? feedbackOf(buttons) : undefined;
  const rest = feedback === undefined ? buttons : buttons.filter(({ action }) => action.role !== "feedback");
  const behind = rest.filter(({ menu }) => menu);
  const hasMenu = behind.length >= menuOptions.least && behind.length <= menuOptions.most;
  const plain = hasMenu ? rest.filter(({ menu }) => !menu) : rest;
  const choices = plain.filter(({ action }) => action.role === "answer");
  const isLong = choices.length > maxChoiceButtons;
  const single = isLong ? plain.filter((each) => !choices.includes(each)) : plain;
  const elements = [
    ...(isLong ? [selectOf(choices)] : []),
    ...single.map(button),
    ...(hasMenu ? [menuOf(behind)] : []),
  ];
  const rows: types.AnyBlock[] = [];
  for (let start = 0; start < elements.length; start += elementsPerBlock) {
    rows.push({ type: "actions", elements: elements.slice(start, start + elementsPerBlock) });
  }
  return feedback === undefined ? rows : [feedbackBlock(feedback), ...rows];
}

/** Slack's "⋯" menu: the value of a choice is the id that its button would have. */
function menuOf(buttons: readonly OutgoingButton[]): types.Overflow {
  return { type: "overflow", action_id: menuId, options: buttons.map(optionOf) };
}

/** A question with many choices: a list to choose from. */
function selectOf(choices: readonly OutgoingButton[]): types.StaticSelect {
  return {
    type: "static_select",
    action_id: selectId,
    placeholder: { type: "plain_text", text: "Choose an answer" },
    options: choices.map(optionOf),
  };
}

function optionOf({ action, label }: OutgoingButton): types.PlainTextOption {
  return {
    value: writeButtonId(action),
    text: { type: "plain_text", text: beginningOf(label, 75) || "…", emoji: true },
  };
}

function button({ action, label, style }: OutgoingButton): types.Button {
  return {
    type: "button",
    action_id: writeButtonId(action),
    text: { type: "plain_text", text: beginningOf(label, 75) || "…", emoji: true },
    ...(style && { style }),
  };
}

/** The feedback actions of an answer, if the message has both. */
function feedbackOf(buttons: readonly OutgoingButton[]): { good: Feedback; bad: Feedback } | undefined {
  const opinions = buttons.map(({ action }) => action).filter((action) => action.role === "feedback");
  const good = opinions.find((action) => action.good);
  const bad = opinions.find((action) => !action.good);
  return good === undefined || bad === undefined ? undefined : { good, bad };
}

function feedbackBlock({ good, bad }: { good: Feedback; bad: Feedback }): types.AnyBlock {
  return {
    type: "context_actions",
    elements: [
      {
        type: "feedback_buttons",
        action_id: `feedback:${good.turn_id}`,
        positive_button: {
          text: { type: "plain_text", text: "👍" },
          accessibility_label: "This answer helped",
          value: writeButtonId(good),
        },
        negative_button: {
          text: { type: "plain_text", text: "👎" },
          accessibility_label: "This answer did not help",
          value: writeButtonId(bad),
        },
      },
    ],
  };
}
