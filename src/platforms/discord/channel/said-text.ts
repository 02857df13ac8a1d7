import { type APIMessage, ComponentType, EmbedType } from "discord-api-types/v10";
import { cutText } from "../../../base/markdown-text.ts";
import { isRecord } from "../../../base/record.ts";
import { readButtonId } from "../../../core/ports/chat-platform.ts";

/** Replaces text that Discord withholds from the bot. Such text comes empty, and no real message is empty. */
const unreadable = "(Discord keeps this text from the bot: its Message Content intent is off.)";

/** Maximum characters read of one message, and maximum depth of nested components. Discord's own limits are lower. */
const maxCharacters = 20_000;
const maxDepth = 8;

type Part = Readonly<Record<string, unknown>>;

/**
 * All text of a message, or a note that Discord withholds it from the bot. Link previews are left out. Mentions are as written.
 */
export function saidText(message: APIMessage): string {
  const words = [message.content, textOutsideContent(message)].filter((part) => part?.trim()).join("\n\n");
  return words === "" && isWithheld(message) ? unreadable : words;
}

/**
 * The text of a message outside its content: in the embeds that bots post, in components, in polls and stickers, and in
 * forwarded messages. Null and parts of another shape are skipped.
 */
export function textOutsideContent(message: object): string {
  const { author, webhook_id, message_snapshots, ...own } = message as Part;
  const byPerson = isRecord(author) && author.bot !== true && webhook_id === undefined;
  const forwarded = parts(message_snapshots).flatMap(({ message: inside }) => {
    const words = isRecord(inside) ? joined([text(inside.content), ...partWords(inside)]) : "";
    return words === "" ? [] : [`Forwarded: ${words}`];
  });
  const words = joined([
    ...forwarded,
    ...partWords(byPerson ? { ...own, embeds: parts(own.embeds).filter(isPollResult) } : own),
  ]);
  return cutText(words, maxCharacters);
}

function isPollResult({ type }: Part): boolean {
  return type === EmbedType.PollResult;
}

function partWords({ embeds, components, poll, sticker_items }: Part): string[] {
  return [
    ...parts(embeds).map(embedText),
    ...parts(components).map((component) => componentText(component, 0)),
    pollText(poll),
    ...parts(sticker_items).map(({ name }) => `[sticker: ${text(name) || "without a name"}]`),
  ];
}

/**
 * The text of one of the bot's own messages, as content, in components or as the question of a poll, without parts that Discord may add or
 * change.
 */
export function ownWords({ content, components, poll }: OwnMessage): string {
  const texts = [content ?? "", poll?.question.text ?? "", ...parts(components).flatMap(displayedTexts)];
  return texts.filter(Boolean).join("\n\n");
}

interface OwnMessage {
  content?: string | null;
  components?: APIMessage["components"] | undefined;
  poll?: { question: { text?: string } } | undefined;
}

function displayedTexts({ type, content, components }: Part): string[] {
  if (type === ComponentType.TextDisplay) return [text(content)];
  const holds = type === ComponentType.Section || type === ComponentType.Container;
  return holds ? parts(components).flatMap(displayedTexts) : [];
}

/** An app's embed, or the result of a poll; empty for a link preview. */
function embedText({ type, author, title, url, description, fields, image, footer }: Part): string {
  if (type === EmbedType.PollResult) return pollResultText(parts(fields));
  if (type !== EmbedType.Rich && type !== undefined) return "";
  const values = parts(fields).map(({ name, value }) => [text(name), text(value)].filter(Boolean).join(": "));
  const [by, below] = [author, footer].map((each) =>
    isRecord(each) ? text(each.name) || text(each.text) : "",
  );
  const named = `${text(title)}${addressOf(url)}`.trim();
  const picture = pictureText(isRecord(image) ? image.url : undefined);
  return joined([by, named, text(description), ...values, picture, below], "\n");
}

/** Source: Discord reference, "Poll Result Embed Fields". */
function pollResultText(fields: readonly Part[]): string {
  const value = (wanted: string) => text(fields.find(({ name }) => name === wanted)?.value);
  const winner = value("victor_answer_text");
  const votes = `${value("victor_answer_votes") || "0"} of ${value("total_votes") || "0"} votes`;
  return `Poll closed: ${value("poll_question_text")}\n${winner === "" ? "No answer won" : winner} (${votes})`;
}

/** Source: Discord reference, "Poll Object". */
function pollText(poll: unknown): string {
  if (!isRecord(poll)) return "";
  const results = isRecord(poll.results) ? poll.results : {};
  const counts = new Map(parts(results.answer_counts).map(({ id, count }) => [id, count]));
  const answers = parts(poll.answers).map(({ answer_id, poll_media }) => {
    const media = isRecord(poll_media) ? poll_media : {};
    const emoji = isRecord(media.emoji) ? text(media.emoji.name) : "";
    const count = counts.get(answer_id) ?? 0;
    const votes = counts.size === 0 ? "" : ` (${count} ${count === 1 ? "vote" : "votes"})`;
    return `- ${[emoji, text(media.text)].filter(Boolean).join(" ")}${votes}`;
  });
  const question = isRecord(poll.question) ? text(poll.question.text) : "";
  return [`Poll${results.is_finalized === true ? " (closed)" : ""}: ${question}`, ...answers].join("\n");
}

/** Source: Discord reference, "Component Reference". An unknown kind is read by its content and its nested components. */
function componentText(component: Part, depth: number): string {
  const { type, components, content, description, accessory } = component;
  if (depth > maxDepth) return "";
  switch (type) {
    case ComponentType.Button:
      return buttonText(component);
    case ComponentType.Thumbnail:
      return pictureText(description);
    case ComponentType.MediaGallery:
      return joined(
        parts(component.items).map((item) => pictureText(item.description)),
        "\n",
      );
    case ComponentType.File:
      return text(component.name) === "" ? "" : `[file: ${text(component.name)}]`;
    case ComponentType.ActionRow: {
      const labels = joined(parts(components).map(buttonText), " · ");
      return labels === "" ? "" : `[buttons: ${labels}]`;
    }
    default:
      return joined(
        [
          text(content),
          ...parts(components).map((inner) => componentText(inner, depth + 1)),
          isRecord(accessory) ? componentText(accessory, depth + 1) : "",
        ],
        type === ComponentType.Section ? "\n" : "\n\n",
      );
  }
}

/** The label of a button, with the address it opens; empty for the bot's own buttons. */
function buttonText({ type, label, url, custom_id }: Part): string {
  if (type !== ComponentType.Button || readButtonId(text(custom_id)) !== undefined) return "";
  return `${text(label)}${addressOf(url)}`.trim();
}

/** ` (https://…)` */
function addressOf(url: unknown): string {
  return /^https?:\/\/[^\s<>]+$/i.test(text(url)) ? ` (${text(url)})` : "";
}

function pictureText(description: unknown): string {
  return text(description).trim() === "" ? "" : `[picture: ${text(description).trim()}]`;
}

function joined(words: readonly (string | undefined)[], between = "\n\n"): string {
  return words.filter((each) => each?.trim()).join(between);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** At most 100 parts, more than a message can have in one list. */
function parts(value: unknown): Part[] {
  return Array.isArray(value) ? value.slice(0, 100).filter(isRecord) : [];
}

/** Source: Discord reference, "Message Content Intent": these come empty without it. */
function isWithheld({ author, webhook_id, poll, sticker_items, ...message }: APIMessage): boolean {
  const lists = [message.embeds, message.attachments, message.components, sticker_items];
  const hasParts = lists.some((each) => parts(each).length > 0) || isRecord(poll);
  return !hasParts && !(message.message_snapshots?.length ?? 0) && !author.bot && webhook_id === undefined;
}
