import type { CommandStore } from "../world/command-store.ts";
import { guildPermissions } from "../world/permissions.ts";
import type { Guild, World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { type ApiRoute, noContent, ok, route } from "./api-request.ts";
import type { Json } from "./json.ts";
import { fullMember, memberOf, wireChannel, wireGuildSummary, wireUserById } from "./wire.ts";

/** Application flags of the privileged intents, in their limited form. Source: Discord reference, "Application Flags". */
const privilegedFlags = { presences: 1 << 13, guild_members: 1 << 15, message_content: 1 << 19 } as const;

/** The gateway's address, the bot itself, its commands, guilds and direct messages. */
export function applicationRoutes(world: World, commands: CommandStore): ApiRoute[] {
  const guildOf = (id: string): Guild => {
    const guild = world.guilds.get(id);
    if (!guild) throw refusals.unknownGuild();
    if (!guild.joined) throw refusals.missingAccess();
    return guild;
  };
  const own = (id: string) => {
    if (id !== world.bot) throw refusals.missingAccess();
  };
  return [
    { name: "GET /gateway", auth: false, handle: () => ok({ url: gatewayUrl(world) }) },
    route("GET /gateway/bot", () => {
      return ok({
        url: gatewayUrl(world),
        shards: world.options.shards ?? 1,
        session_start_limit: {
          total: 1_000,
          remaining: Math.max(0, 1_000 - world.sessionStarts),
          reset_after: 14_400_000,
          max_concurrency: 16,
        },
      });
    }),
    route("GET /users/@me", () =>
      ok({ ...wireUserById(world, world.bot), bot: true, verified: true, mfa_enabled: true }),
    ),
    route("GET /users/:user", ({ at }) => {
      if (!world.users.has(at("user"))) throw refusals.unknownUser();
      return ok(wireUserById(world, at("user")));
    }),
    route("GET /users/@me/guilds", () =>
      ok([...world.guilds.values()].filter(({ joined }) => joined).map((guild) => ofOwnList(world, guild))),
    ),
    route("GET /applications/@me", () => ok(wireApplication(world))),
    route("GET /oauth2/applications/@me", () => ok(wireApplication(world))),
    route("GET /applications/:application/commands", ({ at }) => {
      own(at("application"));
      return ok(commands.of(undefined));
    }),
    route("PUT /applications/:application/commands", ({ at, raw }) => {
      own(at("application"));
      return ok(commands.replace(undefined, Array.isArray(raw) ? raw : [raw]));
    }),
    route("GET /applications/:application/guilds/:guild/commands", ({ at }) => {
      own(at("application"));
      return ok(commands.of(guildOf(at("guild")).id));
    }),
    route("PUT /applications/:application/guilds/:guild/commands", ({ at, raw }) => {
      own(at("application"));
      return ok(commands.replace(guildOf(at("guild")).id, Array.isArray(raw) ? raw : [raw]));
    }),
    route("POST /users/@me/channels", ({ body }) => {
      const recipient = String(body.recipient_id);
      if (!world.users.has(recipient)) throw refusals.unknownUser();
      return ok(wireChannel(world, world.directMessage(recipient)));
    }),
    route("GET /guilds/:guild", ({ at }) => ok(wireGuildSummary(guildOf(at("guild"))))),
    route("GET /guilds/:guild/channels", ({ at }) => {
      const guild = guildOf(at("guild"));
      const channels = [...world.channels.values()].filter(
        (channel) => channel.guild === guild.id && !channel.thread,
      );
      return ok(channels.map((channel) => wireChannel(world, channel)));
    }),
    route("GET /guilds/:guild/roles", ({ at }) => ok(wireGuildSummary(guildOf(at("guild"))).roles)),
    route("GET /guilds/:guild/members", ({ at, query }) => {
      const guild = guildOf(at("guild"));
      if (!world.options.application.privileged?.includes("guild_members")) throw refusals.missingAccess();
      const limit = Number(query.get("limit") ?? 1);
      if (!(limit >= 1 && limit <= 1000)) throw refusals.badLimit(1000);
      return ok(guild.members.slice(0, limit).map((member) => fullMember(world, member)));
    }),
    // Source: Discord reference, "Search Guild Members": usernames and nicknames that begin with the query.
    route("GET /guilds/:guild/members/search", ({ at, query }) => {
      const guild = guildOf(at("guild"));
      const wanted = (query.get("query") ?? "").toLowerCase();
      const limit = Number(query.get("limit") ?? 1);
      if (!(limit >= 1 && limit <= 1000)) throw refusals.badLimit(1000);
      const found = guild.members.filter(({ user, nick }) =>
        [world.users.get(user)?.name, nick].some((name) => name?.toLowerCase().startsWith(wanted)),
      );
      return ok(found.slice(0, limit).map((member) => fullMember(world, member)));
    }),
    route("GET /guilds/:guild/emojis", ({ at }) => {
      const { emojis } = guildOf(at("guild"));
      return ok(emojis.map((emoji) => ({ ...emoji, animated: false, available: true, managed: false })));
    }),
    route("GET /guilds/:guild/members/:user", ({ at }) => {
      const member = memberOf(guildOf(at("guild")), at("user"));
      if (!member) throw refusals.unknownMember();
      return ok(fullMember(world, member));
    }),
    route("DELETE /users/@me/guilds/:guild", ({ at }) => {
      guildOf(at("guild")).joined = false;
      world.changes.note();
      return noContent;
    }),
  ];
}

function gatewayUrl(world: World): string {
  return `${world.origin.replace("http", "ws")}/gateway`;
}

function wireApplication(world: World): Json {
  const { id, name, privileged = [] } = world.options.application;
  return {
    id,
    name,
    icon: null,
    description: "",
    bot: wireUserById(world, id),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: privileged.reduce((flags, intent) => flags | privilegedFlags[intent], 0),
    team: null,
    owner: wireUserById(world, id),
    integration_types_config: {},
  };
}

/** A guild as the bot's list of its own has it. Source: Discord reference, "Get Current User Guilds". */
function ofOwnList(world: World, guild: Guild): Json {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: guild.owner === world.bot,
    permissions: String(guildPermissions(guild, world.bot)),
    features: [],
  };
}
