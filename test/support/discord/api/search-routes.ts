import { may } from "../world/permissions.ts";
import { byAge } from "../world/snowflakes.ts";
import { isSystemNote, type Message, type World } from "../world/world.ts";
import { refusals } from "./api-error.ts";
import { type ApiReply, type ApiRequest, type ApiRoute, ok, route } from "./api-request.ts";
import { allWords } from "./component-check.ts";
import { wireChannel, wireMessage } from "./wire.ts";

/** Discord's search. Source: Discord reference, "Search Guild Messages". */
export function searchRoutes(world: World): ApiRoute[] {
  return [route("GET /guilds/:guild/messages/search", (request) => search(world, request))];
}

function search(world: World, { at, query }: ApiRequest): ApiReply {
  const guild = world.guilds.get(at("guild"));
  if (!guild) throw refusals.unknownGuild();
  const readsContent = world.options.application.privileged?.includes("message_content") ?? false;
  if (!guild.joined || !readsContent) throw refusals.missingAccess();
  const limit = Number(query.get("limit") ?? 25);
  if (!(limit >= 1 && limit <= 25)) throw refusals.badLimit(25);
  const offset = Number(query.get("offset") ?? 0);
  if (!(offset >= 0 && offset <= 9975)) throw refusals.badLimit(9975);
  if (query.getAll("channel_id").length > 500) throw refusals.badLimit(500);
  const found = [...world.messages.values()]
    .filter((message) => isSeen(world, guild.id, message) && fits(message, query))
    .sort(byAge)
    .reverse();
  const page = found.slice(offset, offset + limit);
  return ok({
    doing_deep_historical_index: false,
    total_results: found.length,
    messages: page.map((message) => {
      const { reactions: _, ...shown } = wireMessage(world, message, "rest");
      return [shown];
    }),
    threads: [...new Set(page.map(({ channel }) => channel))].flatMap((id) => {
      const channel = world.channels.get(id);
      return channel?.thread ? [wireChannel(world, channel)] : [];
    }),
  });
}

function isSeen(world: World, guild: string, message: Message): boolean {
  const channel = world.channels.get(message.channel);
  if (channel?.guild !== guild || message.ephemeralFor !== null || isSystemNote(message)) return false;
  return may(world, world.bot, channel, "ViewChannel", "ReadMessageHistory");
}

/** Whether all words occur in any order and every filter matches. */
function fits({ id, channel, author, ...message }: Message, query: URLSearchParams): boolean {
  const channels = query.getAll("channel_id");
  const authors = query.getAll("author_id");
  const words = (query.get("content") ?? "").toLowerCase().split(/\s+/);
  return (
    (channels.length === 0 || channels.includes(channel)) &&
    (authors.length === 0 || authors.includes(author)) &&
    words.every((word) => allWords(message).toLowerCase().includes(word)) &&
    BigInt(id) > BigInt(query.get("min_id") ?? 0) &&
    (query.get("max_id") === null || BigInt(id) < BigInt(query.get("max_id") ?? 0))
  );
}
