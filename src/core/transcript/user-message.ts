/**
 * A person's message for a model: a line with time and author, then context written by others as data in blocks, which their text can
 * neither close nor open, then the message itself.
 */

import { beginningOf } from "../../base/markdown-text.ts";
import { pattern } from "../../base/pattern.ts";
import { onOneLine, withoutInvisible } from "../../base/text/invisible-text.ts";
import { textIdOf } from "../log/call-id.ts";
import { isImage } from "../log/transcript-steps.ts";
import type { BackgroundEnd, Turn } from "../scope/turn.ts";
import { type TurnScope, zoneIn } from "../scope/turn-scope.ts";
import { cutForModel } from "../values/cut.ts";
import { type Author, type Cause, clockIn, type LookedAt, type Mention } from "../values/inbound.ts";
import { escapeMarkup } from "../values/json.ts";
import { idOf, labelOf, named } from "../values/label.ts";
import type { HeardMessage, KeptImage, MessageContext, ReadFile, UserMessage } from "../values/message.ts";
import type { CountTokens } from "../values/profile.ts";
import { withoutSaidLines } from "../values/said-line.ts";

/** Additional parts of a message. */
export interface Around {
  /** Time and author. */
  line: string;
  /** People and groups that the message mentions, so that the model can mention them. */
  mentions?: readonly Mention[] | undefined;
  looking_at?: readonly LookedAt[] | undefined;
  context?: MessageContext | undefined;
  images?: readonly KeptImage[] | undefined;
  cause?: Cause | undefined;
}

/** A person's message as the model sees it; only its beginning and end if it is too long. */
export function fitUserText(
  { turn_id, text, limits }: Pick<Turn, "turn_id" | "text" | "limits">,
  countTokens: CountTokens,
): string {
  return cutForModel(text, limits.message_tokens, textIdOf("message", turn_id), countTokens);
}

/** The message of the running turn, as its model gets it. */
export function toldMessage(scope: TurnScope): UserMessage {
  const { turn, ports } = scope;
  if (turn.task !== undefined) return { role: "user", text: turn.task, said: "" };
  const line = saidBy(scope, turn.author, turn.said_at);
  const { cause } = turn;
  const context = turn.context === undefined ? undefined : { ...turn.context, time_zone: zoneIn(scope) };
  const images = context === undefined ? [] : keptImages(turn.turn_id, context);
  const { mentions, looking_at } = turn;
  const text = fitUserText(turn, ports.countTokens);
  const message = userMessage(text, { line, mentions, looking_at, context, images, cause });
  return turn.author.trust === "guest" ? { ...message, by_guest: true } : message;
}

/** The first line of a message by this person. */
export function saidBy(scope: TurnScope, author: Author, at: number): string {
  const time_zone = zoneIn(scope, author);
  return scope.ports.saidLine({ at, time_zone, name: author.name, id: author.id });
}

/** A person's message for a model. */
export function userMessage(
  said: string,
  { line, mentions, looking_at, context, images = [], cause }: Around,
): UserMessage {
  const words = said.trim() === "" ? "(no text)" : asData(said);
  const read = context === undefined ? "" : renderContext(context);
  const around = [cause === undefined ? "" : renderCause(cause), read].filter(Boolean).join("\n");
  const text = [
    line,
    mentionLine(mentions),
    lookingLine(looking_at),
    around,
    around === "" ? words : `\n${words}`,
  ]
    .filter(Boolean)
    .join("\n");
  return { role: "user", text, said, kept_images: images.length === 0 ? undefined : images };
}

/** How to mention the people in a message: `[mentioned: "ben" is <@U0BEN>; "oncall" is <@&S0ONCALL>]`. */
function mentionLine(mentions: readonly Mention[] = []): string {
  if (mentions.length === 0) return "";
  const people = mentions.map(
    ({ id, name, kind }) => `"${labelOf(name)}" is <@${kind === "group" ? "&" : ""}${id}>`,
  );
  return `[mentioned: ${people.join("; ")}]`;
}

/** What “this” may mean in a message: `[the person has open: "general" (slack:T0ACME:C0GENERAL)]`. */
function lookingLine(seen: readonly LookedAt[] = []): string {
  const open = seen.map(({ channel, name, message, document }) => {
    const where = channel === undefined ? "" : named(name ?? "", channel);
    return [document, message === undefined ? "" : `the message ${message} in`, where]
      .filter(Boolean)
      .join(" ");
  });
  return open.length === 0 ? "" : `[the person has open: ${open.join("; ")}]`;
}

function keptImages(turnId: string, { files }: MessageContext): KeptImage[] {
  return files.flatMap(({ image, media_type, bytes }) =>
    image === undefined || !isImage(media_type) ? [] : { media_type, turn_id: turnId, name: image, bytes },
  );
}

const threadTag = "thread_so_far";
const messageTag = "thread_message";
const fileTag = "attached_file";
const noteTag = "context_note";
const happenedTag = "what_happened";
const resultTag = "background_result";

/** How work in the background ended, as a model reads it. It counts as the text of strangers. */
export function resultMessage({
  agent,
  task,
  text,
}: Pick<BackgroundEnd, "agent" | "task" | "text">): UserMessage {
  const head = `<${resultTag}${attribute("agent", agent)}${attribute("task", task)}`;
  const shown = `${head} note="posted already">\n${asData(text)}\n</${resultTag}>`;
  return { role: "user", text: shown, said: "" };
}

/** Why a turn started without a message, and the event behind it. */
function renderCause({ kind, because, happened }: Cause): string {
  const note = kind === "goal" ? goalNote(because) : plannedNote(kind, because);
  const noted = `<${noteTag}>${withoutBlockTags(note)}</${noteTag}>`;
  if (happened === undefined) return noted;
  return `${noted}\n<${happenedTag}>\n${asData(happened)}\n</${happenedTag}>`;
}

function plannedNote(kind: Exclude<Cause["kind"], "goal">, because: string): string {
  const who = kind === "schedule" ? "A schedule" : "A trigger";
  return `${who} began this turn: ${because}. The person below set it up earlier and is not writing now; do what it says, without planning it again.`;
}

/** `readGoalEnd` reads the line at the end. */
function goalNote(because: string): string {
  return [
    `A goal began this turn: ${because}. The person below set the goal earlier and is not writing now.`,
    "Do with your tools what brings you closer to it, and do not ask whether to go on.",
    "End your answer with one of these lines, its first two words as they are here:",
    "“Goal reached: ” and what shows it, only if you have checked that;",
    "“Goal blocked: ” and the obstacle, word for word as before if it is the same;",
    "“Goal continues: ” and what you do in the next turn.",
  ].join(" ");
}

/** The blocks of a context; empty if it has no content. */
function renderContext({ thread, files, notes = [], time_zone = "UTC" }: MessageContext): string {
  const messages = thread.map((heard) => renderHeard(heard, time_zone));
  return [
    ...(messages.length === 0 ? [] : [`<${threadTag}>`, ...messages, `</${threadTag}>`]),
    ...files.map(renderFile),
    ...notes.map((note) => `<${noteTag}>${withoutBlockTags(note)}</${noteTag}>`),
  ].join("\n");
}

function renderHeard({ by, author, text, at, bot, outside }: HeardMessage, zone: string): string {
  const kind = bot === true ? " (a bot)" : outside === true ? " (from outside)" : "";
  const from = fromAttributes(`${labelOf(by)}${kind}`, author);
  return `<${messageTag}${from}${attribute("at", minute(at, zone))}>${asData(text)}</${messageTag}>`;
}

function renderFile({ name, path, media_type, by, author, text, spoken, image, problem }: ReadFile): string {
  const where = path === undefined ? attribute("name", name) : attribute("path", path);
  const head = `<${fileTag}${where}${attribute("type", media_type)}${fromAttributes(labelOf(by ?? ""), author)}`;
  if (spoken?.is_message === true)
    return `${head}${attribute("note", `${problem}. It is the message below`)} />`;
  const note = attribute(text === undefined ? "not_read" : "note", problem);
  if (text !== undefined) return `${head}${note}>\n${asData(text)}\n</${fileTag}>`;
  return image === undefined ? `${head}${note} />` : `${head} shown_as="image" />`;
}

/** A label and its id. */
function fromAttributes(label: string, id: string | undefined): string {
  return attribute("from", label) + attribute("from_id", idOf(id ?? ""));
}

const fileStart = pattern()`<${fileTag}[^<>]*>\n`;
const fileEnd = `\n</${fileTag}>`;

/** Characters kept of a file's text in an old message. */
const keptOfFile = 400;

/** A message with the text of attached files cut to the first lines; `read_file` has the rest. */
export function withShortFiles(text: string): string {
  const parts = text.split(fileEnd);
  return parts.map((part, at) => (at < parts.length - 1 ? withShortFile(part) : part)).join(fileEnd);
}

/** A part of a message that ends with the text of a file. */
function withShortFile(part: string): string {
  const head = fileStart.exec(part);
  if (head === null) return part;
  const from = head.index + head[0].length;
  if (part.length - from <= 2 * keptOfFile) return part;
  const start = beginningOf(part.slice(from), keptOfFile);
  const before = `${part.slice(0, head.index)}${head[0].replace(/ note="whole"|; whole(?=")/, "")}`;
  return `${before}${start.slice(0, start.lastIndexOf("\n") + 1 || start.length)}\n[cut: read_file has the rest]`;
}

/** `2026-11-22 08:18 Europe/Amsterdam`. */
function minute(at: number, zone: string): string {
  const valid = Number.isFinite(at) && Math.abs(at) <= 8.64e15;
  return valid ? `${clockIn(zone, at)} ${zone}` : "";
}

function attribute(name: string, value: string | undefined): string {
  if (value === undefined || value === "") return "";
  const line = escapeMarkup(onOneLine(value));
  return ` ${name}="${beginningOf(line, 400)}"`;
}

const anyTag = pattern(
  "gi",
)`<(?=[\s/]*(?:${threadTag}|${messageTag}|${fileTag}|${noteTag}|${happenedTag}|${resultTag}))`;

/** Text that cannot be mistaken for one of our blocks or lines. */
function asData(text: string): string {
  return withoutSaidLines(withoutBlockTags(text));
}

/**
 * Text that can neither close nor open one of the blocks. Everything else is unchanged, so that code remains code. Invisible characters
 * are removed, because they hide text from people.
 */
function withoutBlockTags(text: string): string {
  return withoutInvisible(text).replace(anyTag, "&lt;");
}
