import type { TurnLog, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { ChannelAccess, ChannelMessage, ChatActions } from "../../core/ports/chat-actions.ts";
import { channelThread } from "../../core/ports/chat-platform.ts";
import { isWithin, type Place, partsOf } from "../../core/values/place.ts";

/** Maximum turns that are searched for one answer, and turns per page. */
const maxTurns = 2_000;
const pageSize = 200;

/**
 * Chat actions of the web chat, from the turn log: reading and searching channels and threads. There are no other people to find and no
 * reactions. A user of the web chat runs the bot, and may read all its channels.
 * @param name of the bot
 * @param publicUrl of the console; without it, links are relative
 */
export function createWebChatActions(log: TurnLog, name: string, publicUrl = ""): ChatActions {
  const address = ({ namespace, thread }: Pick<Place, "namespace" | "thread">) => {
    const { channel } = partsOf(namespace);
    const isNamed = isWithin(namespace, "console", "local") && channel !== "" && !channel.includes(":");
    const shown = isNamed ? channel : namespace;
    const base = publicUrl.replace(/(?<!\/)\/+$/, "");
    return `${base}/#/${encodeURIComponent(shown)}/${encodeURIComponent(thread)}`;
  };
  const accessTo = (namespace: string): ChannelAccess => {
    const summary = { namespace, name: namespace.slice(namespace.lastIndexOf(":") + 1), open: true };
    return { ...summary, write: true, pin: false };
  };

  return {
    posts: false,
    async channels(namespace) {
      const { platform } = partsOf(namespace);
      const known = new Set([...(await log.namespaces(platform)), namespace]);
      return [...known].sort().map((each) => {
        const { write: _, pin: __, ...summary } = accessTo(each);
        return summary;
      });
    },
    access: async (namespace) => accessTo(namespace),
    async history(place, { since = 0, until = Number.POSITIVE_INFINITY, most }) {
      const found: ChannelMessage[] = [];
      for await (const turn of turnsOf(log, place)) {
        if ((turn.finished_at ?? turn.accepted_at) < since || found.length > most) break;
        found.unshift(
          ...messagesOf(turn, name, address(turn)).filter(({ at }) => at >= since && at <= until),
        );
      }
      return { messages: found.slice(-most), more: found.length > most };
    },
    link: async (namespace, _reference, thread = channelThread) => address({ namespace, thread }),
    async message(namespace, reference) {
      const [turnId = "", answer] = reference.split(":");
      const turn = await log.get(turnId);
      if (turn === undefined || turn.namespace !== namespace) return undefined;
      return messagesOf(turn, name, address(turn))[answer === undefined ? 0 : 1];
    },
  };
}

/** The question of a turn, and its answer if there is one, as messages. */
function messagesOf(turn: TurnRecord, botName: string, link: string): ChannelMessage[] {
  const { turn_id, author, text, answer = "", accepted_at, finished_at, thread } = turn;
  const common = { thread, link, files: [] };
  const asker = { id: author.id, name: author.name, bot: false, self: false };
  const question = { ...common, id: turn_id, author: asker, text, at: accepted_at };
  if (answer === "") return [question];
  const bot = { id: "knack", name: botName, bot: true, self: true };
  const at = finished_at ?? accepted_at;
  return [question, { ...common, id: `${turn_id}:answer`, author: bot, text: answer, at }];
}

/** The turns of a thread, or of a channel, that are messages; newest first. */
async function* turnsOf(log: TurnReading, { namespace, thread }: Place): AsyncGenerator<TurnRecord> {
  const inThread = thread === channelThread ? undefined : thread;
  let before: string | undefined;
  for (let pages = 0; pages < maxTurns / pageSize; pages += 1) {
    const page = await log.list({ namespace, thread: inThread, limit: pageSize, before });
    yield* page.filter(({ kind, merged_into }) => kind === "message" && merged_into === undefined);
    before = page.at(-1)?.turn_id;
    if (page.length < pageSize) return;
  }
}
