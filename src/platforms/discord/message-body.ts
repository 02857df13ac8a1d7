import type { RawFile } from "discord.js";
import { type OutgoingFile, type OutgoingMessage, wordsOf } from "../../core/chat-platform.ts";
import { isSnowflake, messageFlags } from "./discord-facts.ts";
import { renderComponents } from "./render-components.ts";
import { plainContent, renderContent, renderMessage, splitContent } from "./render-content.ts";

/** Files of one message. Source: Discord reference, "Create Message". */
export const mostFiles = 10;

/**
 * The body of a message that calls nobody but whom it is for. No message shows previews of links: for one, Discord would fetch an
 * address that a model wrote. Progress makes no sound.
 */
export function messageBody(message: OutgoingMessage, replyTo: string | undefined) {
  const { tag, buttons = [], mention = "" } = message;
  const reply = replyTo !== undefined && isSnowflake(replyTo);
  const body = editBody(message);
  const called = isSnowflake(mention) ? [mention] : [];
  const { users: named, roles } = calledIn(message);
  const users = [...new Set([...called, ...named])];
  return {
    ...body,
    content: [...called.map((id) => `<@${id}>`), body.content].join(" "),
    components: renderComponents(buttons),
    ...(reply ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
    allowed_mentions: {
      parse: [],
      ...(users.length === 0 ? {} : { users }),
      ...(roles.length === 0 ? {} : { roles }),
      replied_user: tag?.purpose === "answer" || tag?.purpose === "question",
    },
    flags: messageFlags.suppressEmbeds | (tag?.purpose === "progress" ? messageFlags.silent : 0),
  };
}

/** Whom the text of a message calls, of those whom it may call. */
export function calledIn({ markdown, calls = [] }: OutgoingMessage): { users: string[]; roles: string[] } {
  return {
    users: calls.filter((id) => markdown.includes(`<@${id}>`)),
    roles: calls.filter((id) => markdown.includes(`<@&${id}>`)),
  };
}

/** What an edit changes: everything but files. */
export function editBody(message: OutgoingMessage) {
  const { plain, timed, buttons = [], files = [], calls = [] } = message;
  const markdown = wordsOf(message);
  const text = timed === undefined ? markdown : `${markdown}\n\n${timedLine(timed)}`;
  const content = withCalls(plain ? plainContent(text) : renderMessage(text), calls);
  return {
    content: content === "" && files.length === 0 ? "…" : content,
    components: renderComponents(buttons),
    allowed_mentions: { parse: [] },
    flags: messageFlags.suppressEmbeds as number,
  };
}

/** Mentions of roles are neutralised as they are drawn: those that the message may call are mentions again. */
function withCalls(content: string, calls: readonly string[]): string {
  return calls.reduce((text, id) => text.replaceAll(`<@\u200b&${id}>`, `<@&${id}>`), content);
}

/** Discord shows such a time in the zone of who reads it. Source: Discord reference, "Message Formatting". */
function timedLine({ text, at }: NonNullable<OutgoingMessage["timed"]>): string {
  return text.replace("{time}", `<t:${Math.round(at / 1_000)}:t>`);
}

export function rawFiles(files: readonly OutgoingFile[]): RawFile[] {
  return files.map(({ name, media_type, data }) => ({
    name,
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    contentType: media_type,
  }));
}

/** A message for one person in as many messages as it takes; buttons and files come with the last. */
export function whisperParts(
  message: OutgoingMessage,
): { body: ReturnType<typeof editBody>; files: RawFile[] }[] {
  const parts = splitContent(renderContent(message.markdown));
  const texts = parts.length === 0 ? ["…"] : parts;
  return texts.map((content, index) => {
    const isLast = index === texts.length - 1;
    return {
      body: { ...editBody(isLast ? message : { markdown: "" }), content },
      files: isLast ? rawFiles((message.files ?? []).slice(0, mostFiles)) : [],
    };
  });
}
