import type {
  GatewayMessageReactionAddDispatchData,
  GatewayMessageReactionRemoveDispatchData,
} from "discord.js";
import type { ChatIntake, ChatMessage } from "../../../app/chat/chat-intake.ts";
import type { Mention } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import type { Directory } from "../channel/directory.ts";
import { guildPermissions, mayCallRole } from "../channel/directory-facts.ts";
import type { DiscordContext } from "../channel/discord-context.ts";
import { directPlace, messageKey, placeIn, referenceOf } from "../channel/discord-place.ts";
import { reactedEmoji } from "../channel/emoji.ts";
import { botIds, knownNames } from "../channel/known-names.ts";
import { isWritten, type ParsedMessage, parseMessage, type RawMessage } from "../channel/parse-message.ts";
import { isThreadType } from "../connection/discord-facts.ts";

/** Hands in a message of the gateway, or a missed one. @throws when it could not be stored */
export async function receiveMessage(
  context: DiscordContext,
  intake: ChatIntake,
  raw: RawMessage,
  missed?: true,
): Promise<void> {
  const message = await read(context, raw);
  if (message !== undefined) await intake.message({ ...message, missed });
}

/** Hands in a message whose text may have changed; a new link preview changes no text. @throws when it could not be stored */
export async function receiveEdit(
  context: DiscordContext,
  intake: ChatIntake,
  raw: Partial<RawMessage>,
): Promise<void> {
  if (raw.content === undefined || raw.author === undefined || !raw.edited_timestamp) return;
  const message = await read(context, raw as RawMessage);
  if (message !== undefined) await intake.edited({ ...message, edited_at: Date.parse(raw.edited_timestamp) });
}

/** Reports deleted messages. @throws when it could not be stored */
export async function receiveRemovals(
  context: DiscordContext,
  intake: ChatIntake,
  gone: { ids: readonly string[]; channel_id: string; guild_id?: string | undefined },
): Promise<void> {
  for (const id of gone.ids) {
    const place = await placeOfMessage(context, { ...gone, id, part_of: id });
    if (place === undefined) continue;
    const reference = referenceOf(gone.channel_id, id);
    await intake.removed({ key: messageKey(gone.channel_id, id), place, id: reference });
  }
}

/** Hands in a reaction. @throws when it could not be stored */
export async function receiveReaction(
  context: DiscordContext,
  intake: ChatIntake,
  raw: GatewayMessageReactionAddDispatchData | GatewayMessageReactionRemoveDispatchData,
  { added, at }: { added: boolean; at: number },
): Promise<void> {
  const { user_id, channel_id, message_id, guild_id, emoji } = raw;
  if (user_id === (await context.directory.self()).id) return;
  const author = guild_id === undefined ? user_id : undefined;
  const located = { id: message_id, channel_id, guild_id, author, part_of: message_id };
  const place = await placeOfMessage(context, located);
  if (place === undefined) return;
  const name = reactedEmoji(emoji);
  const key = `${messageKey(channel_id, message_id)}:${user_id}:${name}:${added ? "+" : "-"}${at}`;
  const reference = referenceOf(channel_id, message_id);
  await intake.reacted({ place, reference, person: user_id, emoji: name, added, at, key });
}

async function read(context: DiscordContext, raw: RawMessage): Promise<ChatMessage | undefined> {
  const { directory, targets } = context;
  const { id: self } = await directory.self();
  if (!isWritten(raw, self)) return undefined;
  directory.noteAuthor(raw);
  if (raw.guild_id === undefined) directory.noteDirectMessage(raw.author.id, raw.channel_id);
  else if (raw.member !== undefined) directory.noteMember(raw.guild_id, raw.author, raw.member);
  const bot = await botIds(directory, raw.guild_id);
  const parsed = parseMessage(raw, bot, knownNames(directory, raw.guild_id));
  if (parsed.text === "" && parsed.files.length === 0 && parsed.addressed === "none") return undefined;
  const place = await placeOfMessage(context, { ...raw, author: parsed.author, part_of: parsed.reply_to });
  if (place === undefined) return undefined;
  if (place.thread === raw.id && parsed.channel !== raw.id) targets.noteMessage(raw.id, parsed.text);
  const mentions = parsed.mentions.filter((each) => mayCall(directory, raw, each));
  return chatMessage({ ...parsed, mentions }, place);
}

/** Whether the author of a message may notify a mention. A role can be closed to the author even if the bot may mention it. */
function mayCall(
  directory: Directory,
  { guild_id = "", author, member }: RawMessage,
  { id, kind }: Mention,
): boolean {
  const guild = directory.knownGuild(guild_id);
  if (kind === "person" || guild === undefined) return kind === "person";
  const role = guild.roles.get(id);
  return role !== undefined && mayCallRole(guildPermissions(guild, author.id, member?.roles ?? []), role);
}

function chatMessage(parsed: ParsedMessage, place: Place): ChatMessage {
  const { id, author, by_bot, text, said_at, addressed, mentions_others, mentions, files } = parsed;
  const begins = place.thread === id;
  return {
    key: messageKey(parsed.channel, id),
    place,
    id,
    author,
    by_bot,
    text,
    said_at,
    addressed,
    mentions_others,
    mentions: mentions.length === 0 ? undefined : mentions,
    in_thread: !begins || parsed.reply_to !== undefined,
    files,
  };
}

interface Located {
  id: string;
  channel_id: string;
  guild_id?: string | undefined;
  /** The person who writes or reacts. */
  author?: string | undefined;
  /** A message that may be the bot's answer in a conversation of replies. */
  part_of?: string | undefined;
}

/** The place of a message; undefined in a deleted channel. @throws DiscordProblem */
async function placeOfMessage(
  { directory, chains }: DiscordContext,
  { id, channel_id, guild_id, author, part_of }: Located,
): Promise<Place | undefined> {
  if (guild_id === undefined) {
    const person = author ?? (await directory.channel(channel_id))?.recipient;
    return person === undefined ? undefined : directPlace(person);
  }
  // A channel's type and parent never change.
  const channel = directory.knownChannel(channel_id) ?? (await directory.channel(channel_id));
  if (channel === undefined) return undefined;
  if (isThreadType(channel.type)) return placeIn(guild_id, channel, channel.id);
  const thread = part_of === undefined ? undefined : await chains.threadOf(channel_id, part_of);
  return placeIn(guild_id, channel, thread ?? id);
}
