import type { APIMessageTopLevelComponent, RawFile } from "discord.js";
import { MessageFlags } from "discord-api-types/v10";
import type { OutgoingPoll } from "../../../core/ports/chat-actions.ts";
import { type OutgoingFile, type OutgoingMessage, wordsOf } from "../../../core/ports/chat-platform.ts";
import { isSnowflake } from "../connection/discord-facts.ts";
import { renderAnswer, renderComponents } from "./render-components.ts";
import { plainContent, renderContent, renderMessage, splitContent } from "./render-content.ts";

/** Maximum files per message. Source: Discord reference, "Create Message". */
export const maxFiles = 10;

/**
 * The body of a message that notifies only the people it is for. Link previews are off: for one, Discord would fetch an address
 * that a model wrote. Progress makes no sound.
 */
export function messageBody(message: OutgoingMessage, replyTo: string | undefined) {
  const { tag, mention = "", poll } = message;
  const reply = replyTo !== undefined && isSnowflake(replyTo);
  const called = isSnowflake(mention) ? [mention] : [];
  const { users: named, roles } = calledIn(message);
  const users = [...new Set([...called, ...named])];
  const { flags, ...shown } = shownOf(
    message,
    called.map((id) => `<@${id}>`),
  );
  return {
    ...(poll === undefined ? shown : { content: contentOf(message), components: [], poll: pollOf(poll) }),
    ...(reply ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
    allowed_mentions: {
      parse: [],
      ...(users.length === 0 ? {} : { users }),
      ...(roles.length === 0 ? {} : { roles }),
      replied_user: tag?.purpose === "answer" || tag?.purpose === "question",
    },
    flags: flags | (tag?.purpose === "progress" ? MessageFlags.SuppressNotifications : 0),
  };
}

/** Its texts take no formatting. Source: Discord reference, "Poll Create Request Object". */
function pollOf({ question, answers, hours, several }: OutgoingPoll) {
  return {
    question: { text: question },
    answers: answers.map((text) => ({ poll_media: { text } })),
    duration: hours,
    allow_multiselect: several,
  };
}

/** The people and roles that the text mentions and may notify. */
export function calledIn({ markdown, calls = [] }: OutgoingMessage): { users: string[]; roles: string[] } {
  return {
    users: calls.filter((id) => markdown.includes(`<@${id}>`)),
    roles: calls.filter((id) => markdown.includes(`<@&${id}>`)),
  };
}

/**
 * The body of an edit, which leaves the files unchanged.
 * @param kept names of the files of a message that already consists of components; they stay visible
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
 * An answer consists of components: text, files and buttons together, with twice the characters. Discord does not let such a
 * message get a content again, so all answers are built this way from the start.
 */
function shownOf(message: OutgoingMessage, called: readonly string[], kept?: readonly string[]): Shown {
  const { tag, buttons = [], files = [] } = message;
  const isAnswer = kept !== undefined || tag?.purpose === "answer" || tag?.purpose === "private";
  const words = contentOf(message, isAnswer ? maxText : undefined);
  const text = [...called, words].join(" ").trim() || (files.length === 0 ? "…" : "");
  if (!isAnswer)
    return { content: text, components: renderComponents(buttons), flags: MessageFlags.SuppressEmbeds };
  return {
    components: renderAnswer(text, kept ?? attachedNames(files.slice(0, maxFiles)), buttons),
    flags: MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2,
  };
}

/** Maximum characters of an answer's text: below Discord's 4,000, which include a mention before it. */
const maxText = 3_950;

function contentOf(message: OutgoingMessage, most?: number): string {
  const { plain, timed, calls = [] } = message;
  const markdown = wordsOf(message);
  const text = timed === undefined ? markdown : `${markdown}\n\n${timedLine(timed)}`;
  return withCalls(plain ? plainContent(text, most) : renderMessage(text, most), calls);
}

/** Rendering disables mentions of roles; this restores the ones that the message may notify. */
function withCalls(content: string, calls: readonly string[]): string {
  return calls.reduce((text, id) => text.replaceAll(`<@\u200b&${id}>`, `<@&${id}>`), content);
}

/** Discord shows this time in the reader's time zone. Source: Discord reference, "Message Formatting". */
function timedLine({ text, at }: NonNullable<OutgoingMessage["timed"]>): string {
  return text.replace("{time}", `<t:${Math.round(at / 1_000)}:t>`);
}

/** Files for the upload, named as the message's components refer to them. */
export function rawFiles(files: readonly OutgoingFile[]): RawFile[] {
  const names = attachedNames(files);
  return files.map(({ media_type, data }, index) => ({
    name: names[index] ?? "file",
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    contentType: media_type,
  }));
}

/** Unique file names that a component can refer to. Source: Discord reference, "Uploading Files". */
function attachedNames(files: readonly Pick<OutgoingFile, "name">[]): string[] {
  const taken = new Set<string>();
  return files.map(({ name }, index) => {
    const safe = name.replace(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "file";
    const free = taken.has(safe) ? `${index + 1}-${safe}` : safe;
    taken.add(free);
    return free;
  });
}

/** Splits a message for one person into messages that fit; buttons and files come with the last one. */
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
