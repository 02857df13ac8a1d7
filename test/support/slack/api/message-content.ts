import type { MessageMetadata } from "../world/message-record.ts";
import type { World } from "../world/world.ts";
import { acceptBlocks } from "./block-rules.ts";
import { type CallArguments, isRecord } from "./call-arguments.ts";
import { refusalWithMessages, SlackRefusal } from "./slack-refusal.ts";

/** Slack cuts `text` here without a word. */
const textCharacters = 40_000;
/** Of `markdown_text`, per call. */
export const markdownTextCharacters = 12_000;

export interface MessageContent {
  text: string;
  truncated: boolean;
  /** Undefined if the call does not name them. */
  blocks: Record<string, unknown>[] | undefined;
  attachments: Record<string, unknown>[] | undefined;
  metadata: MessageMetadata | undefined;
}

/** The content of a message that an app posts. Rejects what Slack rejects, including empty messages (`no_text`). */
export function acceptContent(world: World, given: CallArguments): MessageContent {
  const text = given.text("text");
  const markdown = given.text("markdown_text");
  const blocks = given.list("blocks", "invalid_blocks_format");
  const attachments = given.list("attachments", "invalid_attachments")?.filter(isRecord);
  if (markdown !== undefined) {
    if (text !== undefined || blocks !== undefined) throw new SlackRefusal("markdown_text_conflict");
    if (markdown.length > markdownTextCharacters) throw new SlackRefusal("msg_too_long");
  }
  const empty = [blocks, attachments].every((list) => list === undefined || list.length === 0);
  if (text === undefined && markdown === undefined && empty) throw new SlackRefusal("no_text");
  checkAttachments(world, attachments ?? []);
  const whole = text ?? markdown ?? "";
  return {
    text: whole.slice(0, textCharacters),
    truncated: whole.length > textCharacters,
    blocks: blocks === undefined ? undefined : acceptMessageBlocks(world, blocks),
    attachments,
    metadata: acceptMetadata(given),
  };
}

/** `acceptBlocks` for a message, unless the test refuses all blocks. */
export function acceptMessageBlocks(world: World, blocks: unknown[]): Record<string, unknown>[] {
  if (world.blockRefusal !== undefined && blocks.length > 0) throw new SlackRefusal(world.blockRefusal);
  for (const block of blocks)
    if (isRecord(block) && isRecord(block.slack_file)) checkPicture(world, block.slack_file);
  return acceptBlocks(blocks, "message", () => world.id("b"));
}

/** An image block can show a file only after its upload is complete, and only if it is a picture. */
function checkPicture(world: World, { id }: Record<string, unknown>): void {
  const file = world.files.get(String(id));
  if (file?.state !== "complete" || !file.mimetype.startsWith("image/"))
    throw refusalWithMessages("invalid_blocks", ["invalid slack file [json-pointer:/blocks/slack_file]"]);
}

function checkAttachments(world: World, attachments: readonly Record<string, unknown>[]): void {
  if (attachments.length > 100) throw new SlackRefusal("too_many_attachments");
  for (const { blocks } of attachments)
    if (Array.isArray(blocks)) acceptBlocks(blocks, "message", () => world.id("b"));
}

export function acceptMetadata(given: CallArguments): MessageMetadata | undefined {
  const metadata = given.object("metadata", "invalid_metadata_format");
  if (metadata === undefined || Object.keys(metadata).length === 0) return undefined;
  const { event_type, event_payload } = metadata;
  if (typeof event_type !== "string" || event_type === "" || !isRecord(event_payload))
    throw new SlackRefusal("invalid_metadata_format");
  return { event_type, event_payload };
}
