import type { ChatIntake, ChatMessage } from "../../../app/chat/chat-intake.ts";
import {
  type CatchUpGate,
  createCatchUpGate,
  unlessHopeless,
} from "../../../app/chat/intake/catch-up-gate.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import { type Clock, type Leases, type Log, runAlone } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { ownChannels } from "../channel/channel-access.ts";
import { isSaid, type SlackMessage } from "../channel/message-event.ts";
import { isOwn, parseMessage, type Self, type Where } from "../channel/parse-message.ts";
import { namesOf, readSince } from "../channel/read-history.ts";
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
  /** Places that the bot knows. */
  places: readonly Place[];
  signal: AbortSignal;
}

/** Interval at which it is recorded that everything was received, ms. */
const noteEvery = 60_000;
/** Delay before a failed fetch is repeated, ms. */
const retryMs = 10_000;
/** Time for which Slack holds events back at once, ms. */
const heldMs = 60_000;
/** Time after which another process may fetch missed messages if this one was killed, ms. */
const fetchLeaseMs = 30_000;

/**
 * Hands in the messages of a time without connection that ended at `opened` (ms since the epoch), oldest first within a conversation and
 * places in use first, unless another process has received everything up to then. Channels and threads are read at the same time, since
 * Slack limits the rate of each. Rejects when something could not be read or stored now; what was read is not read again.
 * @param heldSince from when on Slack held events back, which then no process has received; ms since the epoch
 */
export async function catchUp(
  deps: CatchUpDeps,
  opened: number,
  signal: AbortSignal,
  heldSince?: number,
  gate: CatchUpGate<Place[]> = createCatchUpGate(deps),
): Promise<void> {
  const { seen, since, places } = await deps.intake.missed("slack");
  if (heldSince === undefined && seen !== undefined && seen >= opened) return;
  const fetch: Fetch = { gate, oldest: oldestOf(since, heldSince), places, signal };
  const read = (place: Place) => {
    signal.throwIfAborted();
    return gate.read(nameOf(place), () => catchUpIn(deps, place, fetch));
  };
  const channels = new Set(places.map(({ namespace }) => namespace));
  if (seen !== undefined) for (const namespace of await ownNamespaces(deps)) channels.add(namespace);
  let threads = Promise.resolve();
  const readThreads = async (found: readonly Place[]) => {
    for (const thread of found) await read(thread);
  };
  try {
    for (const namespace of channels) {
      const found = await read({ namespace, thread: channelThread });
      threads = threads.then(() => readThreads(found));
      // Thrown when the channels are read.
      threads.catch(() => {});
    }
  } finally {
    await threads;
  }
}

const oldestOf = (since: number, heldSince = since) => (Math.min(since, heldSince) / 1_000).toFixed(6);

/** Hands in the missed messages of one place. Returns the threads of a channel that may have others. */
async function catchUpIn(deps: CatchUpDeps, place: Place, fetch: Fetch): Promise<Place[]> {
  const { gate, oldest, signal } = fetch;
  try {
    const room = await roomOf(deps, place);
    const messages = await readSince(patient(deps, signal), room, oldest);
    const isMissed = ({ ts, thread_ts = ts }: SlackMessage) =>
      // What was written into a thread and its channel belongs to the thread.
      thread_ts === (room.thread ?? ts) && isAfter(ts, oldest) && !gate.isLive(nameOf(place), timeOf(ts));
    await handIn(deps, room, messages.filter(isMissed));
    return room.thread === undefined ? threadsIn(place, messages, fetch) : [];
  } catch (error) {
    if (!(error instanceof PlatformError) || error.isTemporary) throw error;
    deps.logger.debug({ err: error, place }, "missed messages of a Slack conversation could not be read");
    return [];
  }
}

const isAfter = (ts: string, oldest: string) => Number(ts) > Number(oldest);

/** The threads of a channel that have messages after `oldest`, or whose roots are older than what was read. */
function threadsIn(
  { namespace }: Place,
  messages: readonly SlackMessage[],
  { places, oldest }: Pick<Fetch, "places" | "oldest">,
): Place[] {
  const known = places.filter((place) => place.namespace === namespace && isTimestamp(place.thread));
  const threads = new Set(known.map(({ thread }) => thread));
  for (const { ts, thread_ts = ts, latest_reply } of messages) {
    const latest = thread_ts === ts ? latest_reply : ts;
    if (latest && isAfter(latest, oldest)) threads.add(thread_ts);
    else if (thread_ts === ts) threads.delete(ts);
  }
  return [...threads].map((thread) => ({ namespace, thread }));
}

const nameOf = ({ namespace, thread }: Place): string => `${namespace} ${thread}`;

/** The channels that the bot is in: it may have been away when it was invited. */
async function ownNamespaces(deps: CatchUpDeps): Promise<string[]> {
  const found: string[] = [];
  for (const team of await deps.tenants.teams()) {
    try {
      found.push(...(await ownChannels(deps, team)));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.isTemporary) throw error;
      deps.logger.debug({ err: error, team }, "the channels of the bot could not be listed");
    }
  }
  return found;
}

/** Waits whenever Slack asks to. */
function patient({ workspaces, clock }: CatchUpDeps, signal: AbortSignal): Pick<SlackContext, "workspaces"> {
  const call: typeof workspaces.call = async (...given) => {
    for (;;) {
      try {
        return await workspaces.call(...given);
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== "rate_limited") throw error;
        await clock.sleep(error.retryAfterMs ?? 1_000, signal);
      }
    }
  };
  return { workspaces: { ...workspaces, call } };
}

async function handIn(deps: CatchUpDeps, room: Room, messages: readonly SlackMessage[]): Promise<void> {
  const { self, bot, direct } = await deps.workspaces.of(room.team);
  const me: Self = { team: room.team, self, bot, direct };
  const where: Where = { channel: room.channel, channel_type: room.direct ? "im" : "channel" };
  for (const message of messages) {
    if (!isSaid(message) || isOwn(message, me)) continue;
    await unlessHopeless(deps.logger, async () => {
      const parsed = await parseMessage(message, where, me, namesOf(deps.directory, room.team));
      if (parsed !== undefined) await deps.intake.message({ ...parsed, missed: true });
    });
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
  const leaving = new AbortController();
  const gate = createCatchUpGate<Place[]>(deps, leaving.signal);

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
  /** Runs a round, and others until the signal. */
  const run = async (signal: AbortSignal): Promise<void> => {
    let pause = noteEvery;
    try {
      await round(signal);
    } catch (error) {
      pause = retryMs;
      if (!signal.aborted)
        logger.warn({ err: error }, "missed Slack messages could not be fetched; retrying");
    }
    if (signal.aborted) return;
    const cancel = clock.after(pause, () => begin(signal));
    signal.addEventListener("abort", cancel, { once: true });
  };
  const begin = (signal: AbortSignal) => {
    running = (running ?? Promise.resolve()).then(() => run(signal));
  };
  const readEarly = async (room: Place): Promise<Place[]> => {
    const { since, places } = await intake.missed("slack");
    return catchUpIn(deps, room, {
      gate,
      oldest: oldestOf(since, heldSince),
      places,
      signal: leaving.signal,
    });
  };
  const message = async (said: ChatMessage) => {
    const { namespace, thread } = said.place;
    const room = { namespace, thread: isTimestamp(thread) ? thread : channelThread };
    const isDue = opened !== undefined && clock.now() >= opened;
    await gate.before(said, nameOf(room), () => readEarly(room), isDue);
    await intake.message(said);
  };
  return {
    /**
     * The intake for events. A message in a thread waits until what was missed before it there is handed in. If that takes more than three
     * seconds, Slack delivers the message again, which is then taken once.
     */
    live: { ...intake, message },
    /** The connection is open; `signal` aborts when it is lost. */
    connected(signal: AbortSignal): void {
      opened = clock.now();
      gate.close();
      begin(signal);
    },
    /** Slack holds back the events of a minute, which began then (ms since the epoch). They are fetched when it is over. */
    heldBack(minute: number): void {
      heldSince = Math.min(heldSince ?? minute, minute);
      opened = Math.max(opened ?? 0, minute + heldMs);
      gate.close();
    },
    /** No message waits any longer: Slack delivers those that do again. */
    leave: () =>
      leaving.abort(new PlatformError("unavailable", "Knack is stopping; Slack delivers this again.")),
    /** Resolves when no fetch is running. */
    settled: async () => running,
  };
}
