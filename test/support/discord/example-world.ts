import type { DiscordOptions } from "./discord-options.ts";

/** Ids of the example world. */
export const ids = {
  bot: "1000000000000000001",
  guild: "1000000000000000100",
  general: "1000000000000000110",
  announcements: "1000000000000000111",
  forum: "1000000000000000112",
  voice: "1000000000000000113",
  /** The bot does not see it. */
  hidden: "1000000000000000114",
  /** The bot sees it and may not write. */
  readOnly: "1000000000000000115",
  moderators: "1000000000000000120",
  /** A role that anybody may call. */
  onCall: "1000000000000000121",
  /** The bot's right to pin. */
  pinners: "1000000000000000122",
  /** Owns the guild. */
  olivia: "1000000000000000201",
  /** An ordinary member. */
  adam: "1000000000000000202",
  /** A moderator: manages messages and threads, may call everyone. */
  mia: "1000000000000000203",
} as const;

export const exampleToken = "MTAwMDAwMDAwMDAwMDAwMDAwMQ.example.token";

/** One guild with the usual kinds of channels, three people and the bot with the message content intent. */
export function exampleWorld(): DiscordOptions {
  return {
    application: { id: ids.bot, name: "Knack", token: exampleToken, privileged: ["message_content"] },
    users: [
      { id: ids.olivia, name: "olivia" },
      { id: ids.adam, name: "adam" },
      { id: ids.mia, name: "mia" },
    ],
    guilds: [
      {
        id: ids.guild,
        name: "Example",
        owner: ids.olivia,
        roles: [
          {
            id: ids.moderators,
            name: "moderators",
            permissions: ["ManageMessages", "ManageThreads", "ManageChannels", "MentionEveryone"],
          },
          { id: ids.onCall, name: "oncall", mentionable: true },
          { id: ids.pinners, name: "pinners", permissions: ["PinMessages"] },
        ],
        botRoles: [ids.pinners],
        members: [{ user: ids.olivia }, { user: ids.adam }, { user: ids.mia, roles: [ids.moderators] }],
        channels: [
          { id: ids.general, name: "general" },
          { id: ids.announcements, name: "announcements", type: "announcement" },
          { id: ids.forum, name: "questions", type: "forum" },
          { id: ids.voice, name: "lounge", type: "voice" },
          {
            id: ids.hidden,
            name: "hidden",
            overwrites: [{ id: ids.bot, kind: "member", deny: ["ViewChannel"] }],
          },
          {
            id: ids.readOnly,
            name: "read-only",
            overwrites: [{ id: ids.bot, kind: "member", deny: ["SendMessages"] }],
          },
        ],
      },
    ],
  };
}
