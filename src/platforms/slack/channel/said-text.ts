import { z } from "zod";
import { beginningOf } from "../../../base/markdown-text.ts";
import { blockText, linkOf } from "./block-text.ts";

/** The parts of a list that match the schema. Others are left out, so that an invalid part of an app does not hide the rest. */
export function fitting<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(z.unknown())
    .transform((parts) =>
      parts.flatMap((part) => {
        const read = schema.safeParse(part);
        return read.success ? [read.data] : [];
      }),
    )
    .nullish()
    .catch(undefined);
}

const words = z.string().nullish().catch(undefined);

/** https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments; forwarded messages come as one, too. */
export const attachmentSchema = z.looseObject({
  from_url: words,
  /** A message that a person forwarded. */
  is_share: z.boolean().nullish().catch(undefined),
  author_name: words,
  pretext: words,
  title: words,
  title_link: words,
  text: words,
  image_url: words,
  fields: fitting(z.looseObject({ title: words, value: words })),
  blocks: z.unknown().optional(),
  /** The blocks of a forwarded message. */
  message_blocks: fitting(z.looseObject({ message: z.looseObject({ blocks: z.unknown().optional() }) })),
  footer: words,
  fallback: words,
});
type Attachment = z.infer<typeof attachmentSchema>;

/** The parts of a Slack message that have text. */
export interface MessageParts {
  text?: string | null | undefined;
  blocks?: readonly unknown[] | null | undefined;
  attachments?: readonly Attachment[] | null | undefined;
  /** Set if an app wrote it. */
  bot_id?: string | null | undefined;
}

/** Maximum characters read from the blocks of one message: Slack's limit for a text. */
const maxBlockCharacters = 40_000;
/** Maximum characters read from the attachments of one message. */
const maxAttached = 8_000;

/** Texts that Slack inserts where an app gave no summary, or where the message is hidden. */
const placeholderTexts =
  /^(?:\[no preview available\]|this (?:content can['’]t be displayed|message contains interactive elements)\.?)$/i;

/**
 * All text of a message in Slack's markup: its own, then as quotes the attachments of an app and forwarded messages. Link
 * previews are left out: Slack adds them later.
 */
export function saidText(message: MessageParts): string {
  const own = ownText(message);
  const attached = (message.attachments ?? [])
    .filter(({ from_url, is_share }) => is_share === true || !from_url)
    .map(attachedText)
    .filter((text) => text !== "");
  if (attached.length === 0) return own;
  const quote = shortened(attached.join("\n\n"), maxAttached).replaceAll(/^/gm, "> ");
  return own === "" ? quote : `${own}\n\n${quote}`;
}

/** The text of a message itself, without attachments. For people's messages `text` already contains the blocks. */
export function ownText({ text, blocks, bot_id }: MessageParts): string {
  const written = text ?? "";
  const byPerson = typeof bot_id !== "string" && written.trim() !== "" && onlyRichText(blocks);
  return byPerson ? written : mergedText(written, shortened(blockText(blocks), maxBlockCharacters));
}

function onlyRichText(blocks: MessageParts["blocks"]): boolean {
  return (blocks ?? []).every((block) => (block as { type?: unknown } | null)?.type === "rich_text");
}

/** A text and its blocks without repetition: the `text` of an app is mostly a summary of the blocks, for notifications. */
function mergedText(text: string, blocks: string): string {
  if (blocks === "" || text.trim() === "" || placeholderTexts.test(text.trim())) return blocks || text;
  const [said, shown] = [wordsIn(text), wordsIn(blocks)];
  if ([...said].every((word) => shown.has(word))) return blocks;
  if ([...shown].every((word) => said.has(word))) return text;
  return `${text}\n\n${blocks}`;
}

/** The words of a text, without a last word that is cut off. */
function wordsIn(text: string): ReadonlySet<string> {
  const plain = text
    .replaceAll(/&(?:lt|gt|amp);/g, " ")
    .toLowerCase()
    .trimEnd();
  const found = plain.match(/[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu) ?? [];
  return new Set(/(?:…|\.\.\.)$/.test(plain) ? found.slice(0, -1) : found);
}

function attachedText(attachment: Attachment): string {
  const { author_name, pretext, title, text, fields, blocks, message_blocks, footer, fallback } = attachment;
  const [link, picture] = [linkOf(attachment.title_link), linkOf(attachment.image_url)];
  const values = (fields ?? []).map(({ title: name, value }) => [name, value].filter(Boolean).join(": "));
  const shared = (message_blocks ?? []).map(({ message }) => blockText(message.blocks)).filter(Boolean);
  const body = [
    pretext,
    [title, link].filter(Boolean).join(" "),
    mergedText(text ?? "", [blockText(blocks), ...shared].filter(Boolean).join("\n")),
    ...values,
    picture && `[picture: ${picture}]`,
  ].filter(Boolean);
  if (body.length === 0) return fallback && !placeholderTexts.test(fallback.trim()) ? fallback : "";
  return [...(author_name ? [`${author_name}:`] : []), ...body, ...(footer ? [footer] : [])].join("\n");
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most - 1)}…`;
}
