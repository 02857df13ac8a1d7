import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { TurnEvent, TurnEventOf } from "../../core/log/turn-event.ts";
import type { TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { ChatActions } from "../../core/ports/chat-actions.ts";
import { type Chats, PlatformError } from "../../core/ports/chat-platform.ts";
import type { CreateTextIndex, TextIndex } from "../../core/ports/storage.ts";
import type { FoundExchanges, PastExchange } from "../../core/ports/work-means.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { saidText } from "../../core/values/message.ts";
import { isDirectMessage } from "../../core/values/place.ts";

/** Maximum turns of a channel that are searched, newest first. */
const maxTurns = 2_000;
/** Maximum turns read from the log, including commands, and turns per page. */
const maxRead = 6_000;
const pageSize = 200;
/** Maximum channels whose index is in memory. */
const maxIndexed = 20;
/** Maximum characters of a question, and of an answer, that are searched. */
const maxSearched = 20_000;
/** Turns indexed before other work may run. */
const indexedAtOnce = 50;
/** Maximum turns in the index that are no longer among the latest; with more, the index is rebuilt. */
const maxStale = 500;
/** Share of the best score below which a turn matches only common words of the query. */
const minScoreShare = 0.25;
/** Turns that are read per result, since some may not be shown. Those that no model answered are not counted. */
const readPerFound = 4;

/** The index of a channel, and the ids of the turns in it. */
interface Indexed {
  ids: Set<string>;
  index: TextIndex;
}

/**
 * Searches the questions and answers of a channel. The list of turns is read from the log each time, so deleted and expired turns are never
 * found; only the index of the others is kept in memory.
 */
export class PastConversations {
  readonly #log: TurnReading;
  readonly #createIndex: CreateTextIndex;
  readonly #links: TurnLinks;
  readonly #channels = new LRUCache<string, Indexed>({ max: maxIndexed });
  readonly #updating = new KeyedMutex();

  constructor(log: TurnReading, createIndex: CreateTextIndex, links: TurnLinks) {
    this.#log = log;
    this.#createIndex = createIndex;
    this.#links = links;
  }

  /** As `TurnPorts.searchPast`. */
  async search(
    namespace: string,
    { words, most, except_thread }: Parameters<TurnPorts["searchPast"]>[1],
    signal: AbortSignal,
  ): Promise<FoundExchanges> {
    const { turns, since } = await latestTurns(this.#log, namespace, signal);
    const index = await this.#indexOf(namespace, turns, signal);
    const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
    const fitting = index.search(words).flatMap(({ id, score }) => {
      const turn = byId.get(id);
      return turn === undefined || turn.thread === except_thread ? [] : [{ turn, score }];
    });
    const best = fitting[0]?.score ?? 0;
    const exchanges: PastExchange[] = [];
    let read = 0;
    for (const { turn, score } of fitting) {
      signal.throwIfAborted();
      if (exchanges.length === most || read === most * readPerFound || score < best * minScoreShare) break;
      const events = await this.#log.read(turn.turn_id);
      const finished = events.findLast((event) => event.type === "turn_finished");
      if (finished?.refused) continue;
      read += 1;
      if (!mayBeTold(turn, finished)) continue;
      exchanges.push(exchangeOf(turn, events, await linkTo(turn, events, this.#links)));
    }
    return { exchanges, looked_at: turns.length, since };
  }

  #indexOf(namespace: string, turns: readonly TurnRecord[], signal: AbortSignal): Promise<TextIndex> {
    return this.#updating.run(namespace, async () => {
      const before = this.#channels.get(namespace);
      const known =
        before === undefined || isStale(before, turns)
          ? { ids: new Set<string>(), index: this.#createIndex() }
          : before;
      this.#channels.set(namespace, known);
      await grow(known, turns, signal);
      return known.index;
    });
  }
}

/** Where links to turns come from: the platform of a turn, or the console if it has a public address. */
interface TurnLinks {
  actionsOf: Chats["actions"];
  console: Pick<ChatActions, "link"> | undefined;
  report: TurnPorts["report"];
}

async function linkTo(
  turn: TurnRecord,
  events: readonly TurnEvent[],
  { actionsOf, console, report }: TurnLinks,
): Promise<string | undefined> {
  const { namespace, thread } = turn;
  const actions = actionsOf(namespace);
  try {
    if (actions !== undefined)
      return await actions.link(namespace, await referenceOf(turn, events, actions), thread);
  } catch (error) {
    if (!(error instanceof PlatformError)) report(error, "a link to an earlier conversation");
  }
  return console?.link(namespace, turn.turn_id, thread);
}

/** The latest finished turns with text; `since` is the time of the oldest one when there are more. */
async function latestTurns(
  log: TurnReading,
  namespace: string,
  signal: AbortSignal,
): Promise<{ turns: TurnRecord[]; since: number | undefined }> {
  const turns: TurnRecord[] = [];
  let before: string | undefined;
  for (let read = 0; read < maxRead && turns.length < maxTurns; read += pageSize) {
    const page = await log.list({ namespace, status: "finished", limit: pageSize, before });
    turns.push(...page.filter(isConversation));
    if (page.length < pageSize) return { turns, since: undefined };
    before = page.at(-1)?.turn_id;
    // The log answers without yielding, so this lets other work run.
    await nextTick(undefined, { signal });
  }
  const looked = turns.slice(0, maxTurns);
  return { turns: looked, since: looked.at(-1)?.accepted_at };
}

/** Deleted turns have no text, and merged turns are found with the turn they went into. */
function isConversation({ kind, merged_into, text, answer = "" }: TurnRecord): boolean {
  return kind === "message" && merged_into === undefined && `${text}${answer}` !== "";
}

/** Whether an index contains deleted turns, or too many that are no longer among the latest. */
function isStale({ ids }: Indexed, turns: readonly TurnRecord[]): boolean {
  const now = new Set(turns.map(({ turn_id }) => turn_id));
  const gone = [...ids].filter((id) => !now.has(id)).length;
  return gone > (turns.length < maxTurns ? 0 : maxStale);
}

async function grow({ ids, index }: Indexed, turns: readonly TurnRecord[], signal: AbortSignal) {
  const fresh = turns.filter(({ turn_id }) => !ids.has(turn_id));
  for (let from = 0; from < fresh.length; from += indexedAtOnce) {
    const some = fresh.slice(from, from + indexedAtOnce);
    index.add(
      some.map(({ turn_id, text, answer = "", author }) => ({
        id: turn_id,
        name: text.slice(0, maxSearched),
        text: `${author.name}\n${answer.slice(0, maxSearched)}`,
      })),
    );
    for (const { turn_id } of some) ids.add(turn_id);
    await nextTick(undefined, { signal });
  }
}

/** A private answer is not shown again in a channel, where everybody would read it. */
function mayBeTold({ namespace }: TurnRecord, finished: TurnEventOf<"turn_finished"> | undefined): boolean {
  if (finished === undefined || finished.forgotten_by !== undefined) return false;
  return finished.private !== true || isDirectMessage(namespace);
}

function exchangeOf(
  { turn_id, thread, author, text, answer = "", accepted_at }: TurnRecord,
  events: readonly TurnEvent[],
  link: string | undefined,
): PastExchange {
  const question = saidText(
    text,
    events.find((event) => event.type === "context_read"),
  );
  return { turn_id, thread, by: author.name || author.id, question, answer, at: accepted_at, link };
}

/** The reference of the answer's first message, otherwise of the question. */
async function referenceOf(
  { turn_id, namespace, thread }: TurnRecord,
  events: readonly TurnEvent[],
  actions: ChatActions,
): Promise<string> {
  const answer = events.find(
    (event) => event.type === "message_posted" && event.purpose === "answer" && event.reference !== "whisper",
  );
  if (answer?.type === "message_posted") return answer.reference;
  const asked = events.find((event) => event.type === "inbound")?.inbound.origin?.message;
  if (asked === undefined) return turn_id;
  return (await actions.reference?.({ namespace, thread }, asked)) ?? asked;
}
