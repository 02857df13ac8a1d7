import type { PermissionName } from "./world/permission-bits.ts";

/** The world a fake Discord starts with. All ids are snowflakes: decimal text. */
export interface DiscordOptions {
  application: ApplicationSeed;
  users: readonly UserSeed[];
  guilds: readonly GuildSeed[];
  /** Direct messages between the bot and a person. */
  dms?: readonly { id: string; user: string }[];
  /** What `GET /gateway/bot` recommends. Default 1. */
  shards?: number;
}

interface ApplicationSeed {
  /** Of the application and of its bot user. */
  id: string;
  name: string;
  token: string;
  /** Whether people can add it to their account. Default yes. */
  userInstall?: boolean;
  /** Which privileged intents are switched on in the developer portal. Default none. */
  privileged?: readonly ("message_content" | "guild_members" | "presences")[];
}

interface UserSeed {
  id: string;
  name: string;
  bot?: boolean;
  /** Has added the app to their account, and uses it in guilds without the bot. */
  installed?: boolean;
  /** Takes no direct messages of the bot: code 50007. */
  closedDms?: boolean;
}

export interface GuildSeed {
  id: string;
  name: string;
  /** A member; owns all permissions. Default the first member. */
  owner?: string;
  /** Permissions of everyone. Default `ordinaryPermissions`. */
  everyone?: readonly PermissionName[];
  roles?: readonly {
    id: string;
    name: string;
    permissions?: readonly PermissionName[];
    /** Anybody may call it. */
    mentionable?: boolean;
  }[];
  /** People; the bot is a member without being named here. */
  members: readonly {
    user: string;
    roles?: readonly string[];
    nick?: string;
    /** A moderator took their voice for the next hour. */
    timedOut?: true;
  }[];
  botRoles?: readonly string[];
  channels: readonly ChannelSeed[];
  emojis?: readonly { id: string; name: string }[];
  /** Words that AutoMod blocks in messages and names of threads. */
  blockedWords?: readonly string[];
  /** False: the bot is not in this guild until `joinGuild`. */
  joined?: boolean;
}

export interface ChannelSeed {
  id: string;
  name: string;
  /** Default "text". */
  type?: "text" | "announcement" | "forum" | "voice" | "category";
  parent?: string;
  topic?: string;
  overwrites?: readonly OverwriteSeed[];
  threads?: readonly ThreadSeed[];
}

export interface OverwriteSeed {
  /** A role or a user; the guild's own id is everyone. */
  id: string;
  kind: "role" | "member";
  allow?: readonly PermissionName[];
  deny?: readonly PermissionName[];
}

export interface ThreadSeed {
  id: string;
  name: string;
  owner: string;
  private?: boolean;
  members?: readonly string[];
  archived?: boolean;
  locked?: boolean;
}
