import type { APIMessageTopLevelComponent, RawFile } from "discord.js";
import { type OutgoingFile, type OutgoingMessage, wordsOf } from "../../../core/ports/chat-platform.ts";
import { isSnowflake, messageFlags } from "../connection/discord-facts.ts";
import { renderAnswer, renderComponents } from "./render-components.ts";
import { plainContent, renderContent, renderMessage, splitContent } from "./render-content.ts";

/** Files of one message. Source: Discord reference, "Create Message". */
export const maxFiles = 10;

/**
 * The body of a message that calls nobody but whom it is for. No message shows previews of links: for one, Discord would fetch an
 * address that a model wrote. Progress makes no sound.
 */
export function messageBody(message: OutgoingMessage, replyTo: string | undefined) {
  const { tag, mention = "" } = message;
  const reply = replyTo !== undefined && isSnowflake(replyTo);
  const called = isSnowflake(mention) ? [mention] : [];
  const { users: named, roles } = calledIn(message);
  const users = [...new Set([...called, ...named])];
  const { flags, ...shown } = shownOf(
    message,
    called.map((id) => `<@${id}>`),
  );
  return {
    ...shown,
    ...(reply ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
    allowed_mentions: {
      parse: [],
      ...(users.length === 0 ? {} : { users }),
      ...(roles.length === 0 ? {} : { roles }),
      replied_user: tag?.purpose === "answer" || tag?.purpose === "question",
    },
    flags: flags | (tag?.purpose === "progress" ? messageFlags.silent : 0),
  };
}

/** Whom the text of a message calls, of those whom it may call. */
export function calledIn({ markdown, calls = [] }: OutgoingMessage): { users: string[]; roles: string[] } {
  return {
    users: calls.filter((id) => markdown.includes(`<@${id}>`)),
    roles: calls.filter((id) => markdown.includes(`<@&${id}>`)),
  };
}

/**
 * What an edit changes: everything but files.
 * @param kept the names of the files of a message that is made of components already, whatever its purpose; they stay in sight
 */
export function editBody(message: OutgoingMessage, kept?: readonly string[]) {
  const { content = null, ...shown } = shownOf(message, [], kept);
  return { ...shown, content, allowed_mentions: { parse: [] } };
}

interface Shown {
  content?: string;
  components: APIMessageTopLevelComponent[];
  flags: number;
}

/**
 * An answer is made of components: its words, files and buttons stand together, in twice the room. Discord lets no such message become
 * one with a content again, so that all answers are, from their first word.
 */
function shownOf(message: OutgoingMessage, called: readonly string[], kept?: readonly string[]): Shown {
  const { tag, buttons = [], files = [] } = message;
  const isAnswer = kept !== undefined || tag?.purpose === "answer" || tag?.purpose === "private";
  const words = contentOf(message, isAnswer ? maxText : undefined);
  const text = [...called, words].join(" ").trim() || (files.length === 0 ? "…" : "");
  if (!isAnswer)
    return { content: text, components: renderComponents(buttons), flags: messageFlags.suppressEmbeds };
  return {
    components: renderAnswer(text, kept ?? attachedNames(files.slice(0, maxFiles)), buttons),
    flags: messageFlags.suppressEmbeds | messageFlags.components,
  };
}

/** Characters of an answer's text: less than Discord's 4,000, which count a mention before it too. */
const maxText = 3_950;

function contentOf(message: OutgoingMessage, most?: number): string {
  const { plain, timed, calls = [] } = message;
  const markdown = wordsOf(message);
  const text = timed === undefined ? markdown : `${markdown}\n\n${timedLine(timed)}`;
  return withCalls(plain ? plainContent(text, most) : renderMessage(text, most), calls);
}

/** Mentions of roles are neutralised as they are drawn: those that the message may call are mentions again. */
function withCalls(content: string, calls: readonly string[]): string {
  return calls.reduce((text, id) => text.replaceAll(`<@\u200b&${id}>`, `<@&${id}>`), content);
}

/** Discord shows such a time in the zone of who reads it. Source: Discord reference, "Message Formatting". */
function timedLine({ text, at }: NonNullable<OutgoingMessage["timed"]>): string {
  return text.replace("{time}", `<t:${Math.round(at / 1_000)}:t>`);
}

/** Files as they are uploaded, under the names that the components of a message have for them. */
export function rawFiles(files: readonly OutgoingFile[]): RawFile[] {
  const names = attachedNames(files);
  return files.map(({ media_type, data }, index) => ({
    name: names[index] ?? "file",
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    contentType: media_type,
  }));
}

/** Names of files as a component can refer to them, each once. Source: Discord reference, "Uploading Files". */
function attachedNames(files: readonly Pick<OutgoingFile, "name">[]): string[] {
  const taken = new Set<string>();
  return files.map(({ name }, index) => {
    const safe = name.replace(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "file";
    const free = taken.has(safe) ? `${index + 1}-${safe}` : safe;
    taken.add(free);
    return free;
  });
}

/** A message for one person in as many messages as it takes; buttons and files come with the last. */
export function whisperParts(
  message: OutgoingMessage,
): { body: ReturnType<typeof editBody>; files: RawFile[] }[] {
  const { tag: _, ...plain } = message;
  const parts = splitContent(renderContent(message.markdown));
  const texts = parts.length === 0 ? ["…"] : parts;
  return texts.map((content, index) => {
    const isLast = index === texts.length - 1;
    return {
      body: { ...editBody(isLast ? plain : { markdown: "" }), content },
      files: isLast ? rawFiles((message.files ?? []).slice(0, maxFiles)) : [],
    };
  });
}
