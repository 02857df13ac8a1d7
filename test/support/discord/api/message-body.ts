import type { Attachment, Message, World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { checkComponents, shownFiles } from "./component-check.ts";
import { FormErrors } from "./form-errors.ts";
import { isObject, type Json, objects, strings, text } from "./json.ts";
import { checkPoll, shownPoll } from "./poll-check.ts";

/** A file of a multipart request; `field` is the n of `files[n]`. */
export interface UploadedFile {
  field: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/** Message flags a bot may set. Source: Discord reference, "Message Flags". */
export const messageFlags = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  silent: 1 << 12,
  modern: 1 << 15,
} as const;

/** Bytes of one file, on a server without boosts. Source: Discord reference, "Uploading Files". */
const maxFile = 10 * 1024 * 1024;

const fields = new Set([
  "content",
  "nonce",
  "enforce_nonce",
  "tts",
  "embeds",
  "allowed_mentions",
  "message_reference",
  "components",
  "sticker_ids",
  "attachments",
  "flags",
  "poll",
  "shared_client_theme",
  // What a webhook may add.
  "username",
  "avatar_url",
  "thread_name",
  "applied_tags",
]);

/** The validated content of a message. */
export interface MessageContent {
  content: string;
  embeds: Json[];
  components: Json[];
  attachments: Attachment[];
  flags: number;
  parts?: Json;
}

/**
 * The content of a new message, or of one that is edited. Throws 50035 with the fields that are wrong, 50006 if nothing is
 * left to show, 40005 if a file is too large.
 */
export function readMessageBody(
  world: World,
  body: Json,
  files: readonly UploadedFile[],
  old?: Message,
): MessageContent {
  if (files.some((file) => file.bytes.length > maxFile)) throw refusals.tooLarge();
  const errors = new FormErrors();
  errors.onlyFields([], body, fields);
  const flags = Number(body.flags ?? 0) | ((old?.flags ?? 0) & ~messageFlags.loading);
  const modern = (flags & messageFlags.modern) !== 0;
  errors.text(["content"], body.content, { most: 2000, optional: true });
  checkEmbeds(errors, body.embeds);
  checkComponents(errors, body.components, modern);
  checkAllowedMentions(errors, body.allowed_mentions);
  checkNonce(errors, body);
  checkPoll(errors, body.poll, modern);
  const attachments = readAttachments(world, errors, body, files, old);
  if (modern) checkModern(errors, body, attachments);
  errors.refuse();
  const content: MessageContent = {
    content: body.content === undefined ? (old?.content ?? "") : text(body.content).trim(),
    embeds: body.embeds === undefined ? (old?.embeds ?? []) : objects(body.embeds).map(richEmbed),
    components: body.components === undefined ? (old?.components ?? []) : objects(body.components),
    attachments,
    flags,
    ...(isObject(body.poll) ? { parts: { poll: shownPoll(body.poll) } } : {}),
  };
  if (isEmpty(content, body)) throw refusals.emptyMessage();
  return content;
}

/** A message of components has no content, and its components show only files that it has. */
function checkModern(errors: FormErrors, body: Json, attachments: readonly Attachment[]): void {
  for (const name of shownFiles(body.components)) {
    if (attachments.some(({ filename }) => filename === name)) continue;
    const said = `The file attachment://${name} is not among the attachments`;
    errors.add(["components"], "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", said);
  }
  if (text(body.content) !== "" || objects(body.embeds).length > 0) {
    errors.add(
      ["content"],
      "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
      "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
    );
  }
}

function isEmpty(message: MessageContent, body: Json): boolean {
  const parts = [message.embeds, message.components, message.attachments, strings(body.sticker_ids)];
  return message.content === "" && parts.every((part) => part.length === 0) && !body.poll;
}

function richEmbed(embed: Json): Json {
  return { type: "rich", ...embed };
}

/** Limits: Discord reference, "Embed Limits". */
function checkEmbeds(errors: FormErrors, embeds: unknown): void {
  let total = 0;
  const part = (path: readonly (string | number)[], value: unknown, most: number, optional = true) => {
    errors.text(path, value, { most, optional });
    total += [...text(value)].length;
  };
  errors.list(["embeds"], embeds, { most: 10 }).forEach((embed, index) => {
    if (!isObject(embed)) {
      errors.add(["embeds", index], "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
      return;
    }
    const here = ["embeds", index];
    part([...here, "title"], embed.title, 256);
    part([...here, "description"], embed.description, 4096);
    if (isObject(embed.footer)) part([...here, "footer", "text"], embed.footer.text, 2048, false);
    if (isObject(embed.author)) part([...here, "author", "name"], embed.author.name, 256, false);
    errors.list([...here, "fields"], embed.fields, { most: 25 });
    objects(embed.fields).forEach((field, position) => {
      part([...here, "fields", position, "name"], field.name, 256, false);
      part([...here, "fields", position, "value"], field.value, 1024, false);
    });
  });
  if (total > 6000)
    errors.add(["embeds"], "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
}

function checkAllowedMentions(errors: FormErrors, value: unknown): void {
  if (!isObject(value)) return;
  const path = ["allowed_mentions"];
  errors.onlyFields(path, value, new Set(["parse", "roles", "users", "replied_user"]));
  const parse = strings(value.parse);
  if (parse.some((kind) => !["roles", "users", "everyone"].includes(kind))) {
    errors.choices([...path, "parse"], "'users', 'roles', 'everyone'");
  }
  for (const kind of ["users", "roles"] as const) {
    const named = errors.list([...path, kind], value[kind], { most: 100 });
    if (named.length > 0 && parse.includes(kind)) {
      errors.add(
        path,
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
    }
  }
}

function checkNonce(errors: FormErrors, body: Json): void {
  const nonce = body.nonce;
  if (nonce === undefined || nonce === null || typeof nonce === "number") return;
  errors.text(["nonce"], nonce, { most: 25 });
}

/** The files a message has afterwards: new ones, and on an edit the old ones that `attachments` still names. */
function readAttachments(
  world: World,
  errors: FormErrors,
  body: Json,
  files: readonly UploadedFile[],
  old: Message | undefined,
): Attachment[] {
  const described = objects(body.attachments);
  const known = old?.attachments ?? [];
  const kept =
    body.attachments === undefined
      ? known
      : known.filter((attachment) => described.some(({ id }) => String(id) === attachment.id));
  described.forEach(({ id }, index) => {
    const found =
      files.some((file) => file.field === String(id)) || known.some((one) => one.id === String(id));
    if (!found)
      errors.add(
        ["attachments", index, "id"],
        "ATTACHMENT_NOT_FOUND",
        `Attachment data for ${String(id)} not found`,
      );
  });
  const added = files.map((file) => {
    const description = described.find(({ id }) => String(id) === file.field);
    const words = text(description?.description);
    errors.text(["attachments", file.field, "description"], words, { most: 1024, optional: true });
    return {
      id: world.snowflakes.next(),
      filename: text(description?.filename) || file.filename,
      contentType: file.contentType,
      bytes: file.bytes,
      ...(words === "" ? {} : { description: words }),
    };
  });
  if (kept.length + added.length > 10) {
    errors.add(["attachments"], "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
  }
  return [...kept, ...added];
}
