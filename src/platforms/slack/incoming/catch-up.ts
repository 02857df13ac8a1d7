import type { ChatIntake, ChatMessage } from "../../../app/chat/chat-intake.ts";
import { CatchUpGate } from "../../../app/chat/intake/catch-up-gate.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import { type Clock, type Leases, type Log, runAlone } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { ownChannels } from "../channel/channel-access.ts";
import { isSaid, type SlackMessage } from "../channel/message-event.ts";
import { isOwn, parseMessage, type Self, type Where } from "../channel/parse-message.ts";
import { namesOf, readRoom } from "../channel/read-history.ts";
import { isTimestamp, timeOf } from "../channel/slack-place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import type { Tenants } from "../connection/tenants.ts";

export interface CatchUpDeps extends SlackContext {
  tenants: Pick<Tenants, "teams">;
  intake: ChatIntake;
  leases: Leases;
  clock: Clock;
  logger: Log;
}

/** A fetch of missed messages: `oldest` is the time from when on, as a `ts`. */
interface Fetch {
  gate: CatchUpGate<Place[]>;
  oldest: string;
  signal: AbortSignal;
}

/** Maximum messages of one conversation that are read, the latest ones. */
const maxMessages = 1_000;
/** Interval at which it is recorded that everything was received, ms. */
const noteEvery = 60_000;
/** Time for which Slack holds events back at once, ms. */
const heldMs = 60_000;
/** Time after which another process may fetch missed messages if this one was killed, ms. */
const fetchLeaseMs = 30_000;

/**
 * Hands in the messages of a time without connection that ended at `opened` (ms since the epoch), oldest first within a conversation,
 * unless another process has received everything up to then. Rejects only with the signal.
 * @param heldSince from when on Slack held events back, which then no process has received; ms since the epoch
 */
export async function catchUp(
  deps: CatchUpDeps,
  opened: number,
  signal: AbortSignal,
  heldSince?: number,
  gate = new CatchUpGate<Place[]>(deps),
): Promise<void> {
  const { intake } = deps;
  const { seen, since, places } = await intake.missed("slack");
  if (heldSince === undefined && seen !== undefined && seen >= opened) return;
  const fetch: Fetch = { gate, oldest: oldestOf(since, heldSince), signal };
  const all = [...places, ...(seen === undefined ? [] : await unheardOf(deps, places))];
  const waiting = roomsOf(all);
  const listed = new Set(waiting.map(nameOf));
  // Reading a channel finds threads that began or continued meanwhile, which are read as well.
  for (const place of waiting) {
    signal.throwIfAborted();
    const read = gate.read(nameOf(place), () => catchUpIn(deps, place, fetch));
    for (const found of await read) {
      if (!listed.has(nameOf(found))) waiting.push(found);
      listed.add(nameOf(found));
    }
  }
}

const oldestOf = (since: number, heldSince = since) => (Math.min(since, heldSince) / 1_000).toFixed(6);

/** Hands in the missed messages of one place. Returns the threads whose roots it read and that have later replies. */
async function catchUpIn(deps: CatchUpDeps, place: Place, fetch: Fetch): Promise<Place[]> {
  const { logger } = deps;
  const { oldest, signal } = fetch;
  try {
    const room = await roomOf(deps, place);
    const messages = await readPatiently(deps, room, oldest, signal);
    if (messages.length >= maxMessages)
      logger.warn({ place, messages: maxMessages }, "more Slack messages were missed than are read");
    const isLive = ({ ts }: SlackMessage) => fetch.gate.isLive(nameOf(place), timeOf(ts));
    // Each page of a thread contains its root, whose channel may be read later.
    const isOld = ({ ts }: SlackMessage) => ts === room.thread && Number(ts) <= Number(oldest);
    await handIn(deps, room, messages, (message) => !isOld(message) && !isLive(message));
    return continuedIn(messages, oldest).map((thread) => ({ namespace: place.namespace, thread }));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === "unavailable") throw error;
    logger.debug({ err: error, place }, "missed messages of a Slack conversation could not be read");
    return [];
  }
}

const nameOf = ({ namespace, thread }: Place): string => `${namespace} ${thread}`;

/** The threads of these roots that have replies after `oldest`. */
function continuedIn(messages: readonly SlackMessage[], oldest: string): string[] {
  return messages.flatMap(({ ts, latest_reply }) =>
    latest_reply && Number(latest_reply) > Number(oldest) ? [ts] : [],
  );
}

/** Channels that the bot is in and has never heard of: it was away when it was invited. */
async function unheardOf(deps: CatchUpDeps, places: readonly Place[]): Promise<Place[]> {
  const known = new Set(places.map(({ namespace }) => namespace));
  const found: Place[] = [];
  for (const team of await deps.tenants.teams()) {
    try {
      const own = (await ownChannels(deps, team)).filter((namespace) => !known.has(namespace));
      found.push(...own.map((namespace) => ({ namespace, thread: channelThread })));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      deps.logger.debug({ err: error, team }, "the channels of the bot could not be listed");
    }
  }
  return found;
}

/** The places, and the channel of each: a new mention is in no known thread. */
function roomsOf(places: readonly Place[]): Place[] {
  const channels = new Set(places.map(({ namespace }) => namespace));
  const threads = places.filter(({ thread }) => /^\d+\.\d+$/.test(thread));
  return [...[...channels].map((namespace) => ({ namespace, thread: channelThread })), ...threads];
}

async function readPatiently(
  deps: CatchUpDeps,
  room: Room,
  oldest: string,
  signal: AbortSignal,
): Promise<SlackMessage[]> {
  for (;;) {
    try {
      return await readRoom(deps, room, { limit: maxMessages, oldest });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== "rate_limited") throw error;
      await deps.clock.sleep(error.retryAfterMs ?? 1_000, signal);
    }
  }
}

async function handIn(
  deps: CatchUpDeps,
  room: Room,
  messages: readonly SlackMessage[],
  isMissed: (message: SlackMessage) => boolean,
): Promise<void> {
  const { self, bot, direct } = await deps.workspaces.of(room.team);
  const me: Self = { team: room.team, self, bot, direct };
  const where: Where = { channel: room.channel, channel_type: room.direct ? "im" : "channel" };
  for (const message of messages) {
    if (!isMissed(message) || !isSaid(message) || isOwn(message, me)) continue;
    const parsed = await parseMessage(message, where, me, namesOf(deps.directory, room.team));
    if (parsed !== undefined) await deps.intake.message({ ...parsed, missed: true });
  }
}

/**
 * Fetches missed messages after each reconnect, one fetch at a time in all processes, and records each minute that everything was
 * received. A fetch whose messages could not be stored is repeated then.
 */
export function createCatchUp(deps: CatchUpDeps) {
  const { intake, leases, clock, logger } = deps;
  /** When the connection opened, until the messages from before are fetched. */
  let opened: number | undefined;
  let heldSince: number | undefined;
  let running: Promise<void> | undefined;
  let session: AbortSignal | undefined;
  const leaving = new AbortController();
  const gate = new CatchUpGate<Place[]>(deps);

  const fetchMissed = async (until: number, signal: AbortSignal) => {
    await catchUp(deps, until, signal, heldSince, gate);
    if (opened === until) {
      [opened, heldSince] = [undefined, undefined];
      gate.open();
    }
    await intake.seen("slack");
  };
  const round = async (signal: AbortSignal) => {
    const until = opened;
    if (until === undefined) return intake.seen("slack");
    if (clock.now() < until) return;
    // While another process fetches, nothing is recorded: that process may end before it is done.
    await runAlone(leases, "slack-catch-up", fetchLeaseMs, () => fetchMissed(until, signal), clock);
  };
  const run = (signal: AbortSignal) => {
    if (signal.aborted) return;
    running = (running ?? Promise.resolve())
      .then(() => round(signal))
      .catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, "missed Slack messages could not be fetched");
      });
  };
  /** Reads the room of a live message, if the fetch would. */
  const readEarly = async (room: Place, signal: AbortSignal): Promise<Place[]> => {
    const { since, places } = await intake.missed("slack");
    const oldest = oldestOf(since, heldSince);
    const isNew = isTimestamp(room.thread) && Number(room.thread) > Number(oldest);
    if (!isNew && !roomsOf(places).some((each) => nameOf(each) === nameOf(room))) return [];
    return catchUpIn(deps, room, { gate, oldest, signal });
  };
  return {
    /** The connection is open; `signal` aborts when it is lost. */
    connected(signal: AbortSignal): void {
      session = signal;
      opened = clock.now();
      gate.close();
      run(signal);
      const again = () => {
        run(signal);
        cancel = clock.after(noteEvery, again);
      };
      let cancel = clock.after(noteEvery, again);
      signal.addEventListener("abort", () => cancel(), { once: true });
    },
    /** Slack holds back the events of a minute, which began then (ms since the epoch). They are fetched when it is over. */
    heldBack(minute: number): void {
      heldSince = Math.min(heldSince ?? minute, minute);
      opened = Math.max(opened ?? 0, minute + heldMs);
      gate.close();
    },
    /**
     * Waits until what was missed before a live message in its thread is handed in. If that takes more than three seconds, Slack delivers
     * the message again, which is then taken once. @throws when the connection is lost, or after `leave`: Slack delivers it again
     */
    async before(message: ChatMessage): Promise<void> {
      if (opened === undefined || clock.now() < opened) return;
      const { namespace, thread } = message.place;
      const room = { namespace, thread: isTimestamp(thread) ? thread : channelThread };
      const signal = AbortSignal.any([session ?? leaving.signal, leaving.signal]);
      await gate.before(message, nameOf(room), () => readEarly(room, signal), signal);
    },
    /** No message waits any longer. */
    leave: () =>
      leaving.abort(new PlatformError("unavailable", "Knack is stopping; Slack delivers this again.")),
    /** Resolves when no fetch is running. */
    settled: async () => running,
  };
}
