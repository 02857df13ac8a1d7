import { may } from "../world/permissions.ts";
import {
  type Attachment,
  type Channel,
  channelTypes,
  type Guild,
  intents,
  isSystemNote,
  type Member,
  type Message,
  type Thread,
  type User,
  type World,
} from "../world/world.ts";
import type { Json } from "./json.ts";

/** Joining times are of no interest to anyone; Discord's first day. */
const joinedAt = "2015-05-13T00:00:00.000000+00:00";

function wireUser(user: User): Json {
  return {
    id: user.id,
    username: user.name,
    global_name: user.bot ? null : user.name,
    discriminator: user.bot ? "0001" : "0",
    avatar: null,
    public_flags: 0,
    ...(user.bot ? { bot: true } : {}),
  };
}

export function wireUserById(world: World, id: string): Json {
  return wireUser(
    world.users.get(id) ?? { id, name: "Deleted User", bot: false, closedDms: true, installed: false },
  );
}

/** A member without its user, as messages carry it. */
export function wireMember(member: Member): Json {
  return {
    roles: member.roles,
    nick: member.nick,
    avatar: null,
    joined_at: joinedAt,
    premium_since: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
    communication_disabled_until: member.timeoutUntil ?? null,
  };
}

export function memberOf(guild: Guild | undefined, user: string): Member | undefined {
  return guild?.members.find((member) => member.user === user);
}

export function wireChannel(world: World, channel: Channel): Json {
  const last = world.messagesOf(channel.id).at(-1)?.id ?? null;
  if (channel.recipient !== undefined) {
    const recipients = [wireUserById(world, channel.recipient)];
    return { id: channel.id, type: channelTypes.dm, last_message_id: last, recipients, flags: 0 };
  }
  const shared = {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guild,
    name: channel.name,
    parent_id: channel.parent,
    last_message_id: last,
    rate_limit_per_user: 0,
    flags: 0,
  };
  if (channel.thread) return { ...shared, ...wireThread(world, channel, channel.thread) };
  return {
    ...shared,
    topic: channel.topic,
    position: 0,
    nsfw: false,
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.kind === "role" ? 0 : 1,
      allow: String(overwrite.allow),
      deny: String(overwrite.deny),
    })),
    ...(channel.type === channelTypes.forum ? { available_tags: [], default_reaction_emoji: null } : {}),
  };
}

function wireThread(world: World, channel: Channel, thread: Thread): Json {
  const count = world.messagesOf(channel.id).filter((message) => !isSystemNote(message)).length;
  const member = thread.members.includes(world.bot) ? { member: wireThreadMember(channel, world.bot) } : {};
  return {
    owner_id: thread.owner,
    message_count: count,
    total_message_sent: count,
    member_count: Math.min(thread.members.length, 50),
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      archive_timestamp: thread.archivedAt,
      auto_archive_duration: thread.autoArchive,
      create_timestamp: thread.archivedAt,
      ...(channel.type === channelTypes.privateThread ? { invitable: thread.invitable } : {}),
    },
    ...member,
  };
}

export function wireThreadMember(channel: Channel, user: string): Json {
  return { id: channel.id, user_id: user, join_timestamp: joinedAt, flags: 1 };
}

/** A guild as GUILD_CREATE brings it: members are the bot alone, since no presences are asked for. */
export function wireGuild(world: World, guild: Guild): Json {
  const channels = [...world.channels.values()].filter((channel) => channel.guild === guild.id);
  const seen = channels.filter((channel) => may(world, world.bot, channel, "ViewChannel"));
  return {
    ...wireGuildSummary(guild),
    joined_at: joinedAt,
    large: false,
    unavailable: false,
    member_count: guild.members.length,
    members: guild.members
      .filter(({ user }) => user === world.bot)
      .map((member) => fullMember(world, member)),
    channels: channels.filter((channel) => !channel.thread).map((channel) => wireChannel(world, channel)),
    threads: seen
      .filter((channel) => channel.thread && !channel.thread.archived)
      .map((channel) => wireChannel(world, channel)),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function fullMember(world: World, member: Member): Json {
  return { user: wireUserById(world, member.user), ...wireMember(member) };
}

/** A guild as REST answers it. */
export function wireGuildSummary(guild: Guild): Json {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.owner,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: guild.roles.map((role, position) => ({
      id: role.id,
      name: role.name,
      permissions: String(role.permissions),
      position,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      managed: false,
      mentionable: role.mentionable === true,
      flags: 0,
    })),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: "en-US",
    public_updates_channel_id: null,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
  };
}

function wireAttachment(world: World, channel: string, attachment: Attachment): Json {
  const url = `${world.origin}/attachments/${channel}/${attachment.id}/${encodeURIComponent(attachment.filename)}?ex=1&is=1&hm=1&`;
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.bytes.length,
    content_type: attachment.contentType,
    url,
    proxy_url: url,
    ...(attachment.description === undefined ? {} : { description: attachment.description }),
  };
}

/** Whether the bot may read the content of a message: its own, a direct message, one that mentions it, or by intent. */
function readable(world: World, message: Message, granted: boolean): boolean {
  const direct = world.channels.get(message.channel)?.recipient !== undefined;
  return granted || direct || message.author === world.bot || message.mentions.users.includes(world.bot);
}

/**
 * A message as REST answers it, or the gateway for a session with these intents. `"all"` is for interactions, which bring
 * what the person pointed at whatever the intents.
 */
export function wireMessage(world: World, message: Message, reader: "rest" | "all" | number): Json {
  const enabled = world.options.application.privileged?.includes("message_content") ?? false;
  const asked = typeof reader !== "number" || (reader & intents.messageContent) !== 0;
  const open = readable(world, message, reader === "all" || (enabled && asked));
  return {
    id: message.id,
    channel_id: message.channel,
    type: message.type,
    author: wireUserById(world, message.author),
    content: open ? message.content : "",
    embeds: open ? message.embeds : [],
    components: open ? message.components : [],
    attachments: open ? message.attachments.map((file) => wireAttachment(world, message.channel, file)) : [],
    ...(open ? message.parts : {}),
    timestamp: message.sentAt,
    edited_timestamp: message.editedAt,
    tts: false,
    pinned: message.pinned === true,
    flags: message.flags,
    mention_everyone: message.mentions.everyone,
    mention_roles: message.mentions.roles,
    mentions: message.mentions.users.map((user) => wireUserById(world, user)),
    ...(message.author === world.bot && message.nonce !== null ? { nonce: message.nonce } : {}),
    ...wireReactions(world, message),
    ...wireReference(world, message, reader),
    ...wireOrigin(world, message),
  };
}

/** Message flag: a thread was started from it. Source: Discord reference, "Message Flags". */
export const hasThreadFlag = 1 << 5;

function wireOrigin(world: World, message: Message): Json {
  const thread = message.flags & hasThreadFlag ? world.channels.get(message.id) : undefined;
  return {
    ...(thread ? { thread: wireChannel(world, thread) } : {}),
    ...(message.interaction === null ? {} : { application_id: world.bot, webhook_id: world.bot }),
  };
}

/** The character, or `name:id` of a server's own. */
export function wireEmoji(emoji: string): Json {
  const [name = "", id] = emoji.split(":");
  return id === undefined ? { id: null, name } : { id, name };
}

function wireReactions(world: World, message: Message): Json {
  const reactions = [...message.reactions]
    .filter(([, users]) => users.size > 0)
    .map(([name, users]) => ({
      emoji: wireEmoji(name),
      count: users.size,
      count_details: { burst: 0, normal: users.size },
      me: users.has(world.bot),
      me_burst: false,
      burst_colors: [],
    }));
  return reactions.length === 0 ? {} : { reactions };
}

function wireReference(world: World, message: Message, reader: "rest" | "all" | number): Json {
  if (message.replyTo === null) return {};
  const original = world.messages.get(message.replyTo);
  const guild = world.channels.get(message.channel)?.guild;
  const { referenced_message: _, ...referenced } = original ? wireMessage(world, original, reader) : {};
  return {
    message_reference: {
      type: 0,
      message_id: message.replyTo,
      channel_id: original?.channel ?? message.channel,
      ...(guild === undefined ? {} : { guild_id: guild }),
    },
    referenced_message: original ? referenced : null,
  };
}

/** Members that the gateway adds to a message: the guild, the author's guild member, the channel's type. */
export function wireGatewayMessage(world: World, message: Message, asked: number): Json {
  const channel = world.channels.get(message.channel);
  const guild = channel && world.guildOf(channel);
  const author = memberOf(guild, message.author);
  const mentions = message.mentions.users.map((user) => {
    const member = memberOf(guild, user);
    return { ...wireUserById(world, user), ...(member ? { member: wireMember(member) } : {}) };
  });
  return {
    ...wireMessage(world, message, asked),
    mentions,
    channel_type: channel?.type,
    ...(guild ? { guild_id: guild.id } : {}),
    ...(author ? { member: wireMember(author) } : {}),
  };
}
