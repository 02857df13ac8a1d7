import { z } from "zod";
import { wholeCharacters } from "./outgoing-text.ts";

const textSchema = z.union([z.string(), z.looseObject({ text: z.string() }).transform(({ text }) => text)]);

/** A block of an app's message, as far as it has words. */
const blockSchema = z.looseObject({
  text: textSchema.nullish().catch(undefined),
  fields: z.array(textSchema.catch("")).nullish().catch(undefined),
  elements: z
    .array(z.looseObject({ type: z.string(), text: z.unknown() }))
    .nullish()
    .catch(undefined),
});

/** https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments; forwarded messages come as one, too. */
export const attachmentSchema = z.looseObject({
  from_url: z.string().nullish(),
  /** A message that a person forwarded. */
  is_share: z.boolean().nullish(),
  author_name: z.string().nullish(),
  pretext: z.string().nullish(),
  title: z.string().nullish(),
  text: z.string().nullish(),
  fields: z.array(z.looseObject({ title: z.string().nullish(), value: z.string().nullish() })).nullish(),
  blocks: z.array(blockSchema).nullish().catch(undefined),
  fallback: z.string().nullish(),
});
type Attachment = z.infer<typeof attachmentSchema>;

/** Characters of what is attached to one message that are read. */
const mostCharacters = 8_000;

/** What Slack writes where an app gave no summary. */
const noSummary = "[no preview available]";

/**
 * What a message says in Slack's text: its own words, then, as quotes, what an app attached to it or a person forwarded with it.
 * Previews of links do not belong to it: Slack adds them later.
 */
export function saidText(message: {
  text?: string | null | undefined;
  attachments?: readonly Attachment[] | null | undefined;
}): string {
  const own = message.text ?? "";
  const attached = (message.attachments ?? [])
    .filter(({ from_url, is_share }) => is_share === true || !from_url)
    .map(attachedText)
    .filter((text) => text !== "");
  if (attached.length === 0) return own;
  const quote = wholeCharacters(attached.join("\n\n"), mostCharacters).replaceAll(/^/gm, "> ");
  return own === "" ? quote : `${own}\n\n${quote}`;
}

function attachedText({ author_name, pretext, title, text, fields, blocks, fallback }: Attachment): string {
  const values = (fields ?? []).map(({ title: name, value }) => [name, value].filter(Boolean).join(": "));
  const body = [pretext, title, text, ...values, ...(blocks ?? []).map(blockText)].filter(Boolean);
  if (body.length === 0) return fallback && fallback !== noSummary ? fallback : "";
  return [...(author_name ? [`${author_name}:`] : []), ...body].join("\n");
}

/** The words of a block; labels of its buttons are none. */
function blockText({ text, fields, elements }: z.infer<typeof blockSchema>): string {
  const notes = (elements ?? []).flatMap(({ type, text: words }) =>
    ["mrkdwn", "plain_text"].includes(type) && typeof words === "string" ? [words] : [],
  );
  return [text, ...(fields ?? []), ...notes].filter(Boolean).join("\n");
}
