import { z } from "zod";
import { beginningOf } from "../../../base/markdown-text.ts";
import { blockText } from "./block-text.ts";

/** Parts of a list that have the shape, without the others: what an app made wrong does not hide the rest. */
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
  text: words,
  fields: fitting(z.looseObject({ title: words, value: words })),
  blocks: z.unknown().optional(),
  /** The blocks of what was forwarded. */
  message_blocks: fitting(z.looseObject({ message: z.looseObject({ blocks: z.unknown().optional() }) })),
  footer: words,
  fallback: words,
});
type Attachment = z.infer<typeof attachmentSchema>;

/** What says something in a message of Slack's. */
export interface Sayings {
  text?: string | null | undefined;
  blocks?: readonly unknown[] | null | undefined;
  attachments?: readonly Attachment[] | null | undefined;
  /** Set where an app wrote it. */
  bot_id?: string | null | undefined;
}

/** Characters of the blocks of one message that are read: as many as Slack lets a text have. */
const maxBlockCharacters = 40_000;
/** Characters of what is attached to one message that are read. */
const maxAttached = 8_000;

/** What Slack writes where an app gave no summary, or the message is for other eyes. */
const standIns =
  /^(?:\[no preview available\]|this (?:content can['’]t be displayed|message contains interactive elements)\.?)$/i;

/**
 * What a message says in Slack's text, wherever it stands: its own words, then, as quotes, what an app attached to it or a person
 * forwarded with it. Previews of links do not belong to it: Slack adds them later.
 */
export function saidText(message: Sayings): string {
  const own = ownText(message);
  const attached = (message.attachments ?? [])
    .filter(({ from_url, is_share }) => is_share === true || !from_url)
    .map(attachedText)
    .filter((text) => text !== "");
  if (attached.length === 0) return own;
  const quote = shortened(attached.join("\n\n"), maxAttached).replaceAll(/^/gm, "> ");
  return own === "" ? quote : `${own}\n\n${quote}`;
}

/** The words of a message itself, without what is attached to it. People's clients write their blocks into `text` as well, whole. */
export function ownText({ text, blocks, bot_id }: Sayings): string {
  const written = text ?? "";
  const byPerson = typeof bot_id !== "string" && written.trim() !== "" && onlyRichText(blocks);
  return byPerson ? written : unitedText(written, shortened(blockText(blocks), maxBlockCharacters));
}

function onlyRichText(blocks: Sayings["blocks"]): boolean {
  return (blocks ?? []).every((block) => (block as { type?: unknown } | null)?.type === "rich_text");
}

/** A text and the blocks beside it, once: what apps give as `text` is mostly a summary of their blocks, for notifications. */
function unitedText(text: string, blocks: string): string {
  if (blocks === "" || text.trim() === "" || standIns.test(text.trim())) return blocks || text;
  const [said, shown] = [wordsIn(text), wordsIn(blocks)];
  if ([...said].every((word) => shown.has(word))) return blocks;
  if ([...shown].every((word) => said.has(word))) return text;
  return `${text}\n\n${blocks}`;
}

/** The words of a text, without its last one where that is cut off. */
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
  const values = (fields ?? []).map(({ title: name, value }) => [name, value].filter(Boolean).join(": "));
  const shared = (message_blocks ?? []).map(({ message }) => blockText(message.blocks)).filter(Boolean);
  const body = [
    pretext,
    title,
    unitedText(text ?? "", [blockText(blocks), ...shared].filter(Boolean).join("\n")),
    ...values,
  ].filter(Boolean);
  if (body.length === 0) return fallback && !standIns.test(fallback.trim()) ? fallback : "";
  return [...(author_name ? [`${author_name}:`] : []), ...body, ...(footer ? [footer] : [])].join("\n");
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most - 1)}…`;
}
