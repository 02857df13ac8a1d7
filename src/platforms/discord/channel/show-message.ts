import type { APIChannel, APIMessage } from "discord.js";
import type { ChannelMessage } from "../../../core/ports/chat-actions.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import type { Directory } from "./directory.ts";
import { displayName, type MemberFacts } from "./directory-facts.ts";
import { readPlace, referenceOf } from "./discord-place.ts";
import { knownNames } from "./known-names.ts";
import { filesOf, namesIn } from "./parse-message.ts";
import { readableText } from "./readable-text.ts";
import { saidText } from "./said-text.ts";

/** A message as REST returns it, with the thread that begins with it. */
export type ReadMessage = APIMessage & { thread?: APIChannel & { message_count?: number } };

/** Messages of a namespace as the rest of the app sees them. */
export async function showMessages(
  directory: Directory,
  namespace: string,
  messages: readonly ReadMessage[],
): Promise<ChannelMessage[]> {
  const { guild } = readPlace({ namespace, thread: "" });
  const { id: self } = await directory.self();
  if (guild !== undefined) await directory.learnNames(guild);
  const people = messages.filter((message) => !isBot(message)).map(({ author }) => author.id);
  const members = guild === undefined ? new Map() : await membersOf(directory, guild, people);
  return messages.map((message) => showMessage(directory, namespace, message, { self, members }));
}

type Members = ReadonlyMap<string, MemberFacts>;

/** The people who are members of the server, as far as Discord tells. */
async function membersOf(directory: Directory, guild: string, people: readonly string[]): Promise<Members> {
  const found = await Promise.all(
    [...new Set(people)].map((id) => unlessRefused(directory.member(guild, id))),
  );
  return new Map(found.flatMap((member) => (member === undefined ? [] : [[member.id, member]])));
}

function isBot({ author, webhook_id }: APIMessage): boolean {
  return author.bot === true || webhook_id !== undefined;
}

function showMessage(
  directory: Directory,
  namespace: string,
  message: ReadMessage,
  { self, members }: { self: string; members: Members },
): ChannelMessage {
  const { guild, channel } = readPlace({ namespace, thread: "" });
  const { id, author, channel_id, thread } = message;
  const member = members.get(author.id);
  const bot = isBot(message);
  const of = channel_id === channel ? thread?.id : channel_id;
  return {
    id: referenceOf(channel_id, id),
    author: { id: author.id, name: member?.name ?? displayName(author), bot, self: author.id === self },
    text: readableText(saidText(message), namesIn(message, knownNames(directory, guild))),
    at: Date.parse(message.timestamp),
    files: filesOf(message),
    link: linkTo(namespace, { channel: channel_id, message: id }),
    thread: channel && of,
    replies: thread?.message_count || undefined,
    outside: (guild !== undefined && member === undefined && !bot) || undefined,
  };
}

/** The address of a message in Discord's clients. */
export function linkTo(
  namespace: string,
  { channel, message }: { channel: string; message: string },
): string {
  const { guild = "@me" } = readPlace({ namespace, thread: "" });
  return `https://discord.com/channels/${guild}/${channel}/${message}`;
}
