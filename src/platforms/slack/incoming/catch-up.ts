import type { ChatHost } from "../../../app/app.ts";
import type { ChatIntake, ChatMessage } from "../../../app/chat/chat-intake.ts";
import {
  type CatchUpGate,
  createCatchUpGate,
  unlessHopeless,
} from "../../../app/chat/intake/catch-up-gate.ts";
import { MissedWatch } from "../../../app/chat/intake/missed-watch.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import { runAlone } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { ownChannels } from "../channel/channel-access.ts";
import { isSaid, type SlackMessage } from "../channel/message-event.ts";
import { isOwn, parseMessage, type Self, type Where } from "../channel/parse-message.ts";
import { namesOf, readSince } from "../channel/read-history.ts";
import { isTimestamp, timeOf } from "../channel/slack-place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import type { Tenants } from "../connection/tenants.ts";
import type { Workspaces } from "../connection/workspaces.ts";

/** Where missed messages are looked for, and who takes them. */
export interface Missing extends SlackContext, Pick<ChatHost, "leases" | "clock" | "logger"> {
  tenants: Pick<Tenants, "teams">;
  intake: ChatIntake;
}

/** A fetch of missed messages: `oldest` is the time from when on, as a `ts`. */
interface Fetch {
  gate: CatchUpGate<Place[]>;
  oldest: string;
  /** Places that the bot knows. */
  places: readonly Place[];
  signal: AbortSignal;
}

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
  missing: Missing,
  opened: number,
  signal: AbortSignal,
  heldSince?: number,
  gate: CatchUpGate<Place[]> = createCatchUpGate(missing.clock, missing.logger),
): Promise<void> {
  const { seen, since, places } = await missing.intake.missed("slack");
  if (heldSince === undefined && seen !== undefined && seen >= opened) return;
  const fetch: Fetch = { gate, oldest: oldestOf(since, heldSince), places, signal };
  const read = (place: Place) => {
    signal.throwIfAborted();
    return gate.read(nameOf(place), () => catchUpIn(missing, place, fetch));
  };
  const channels = new Set(places.map(({ namespace }) => namespace));
  if (seen !== undefined) for (const namespace of await ownNamespaces(missing)) channels.add(namespace);
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
async function catchUpIn(missing: Missing, place: Place, fetch: Fetch): Promise<Place[]> {
  const { gate, oldest, signal } = fetch;
  try {
    const room = await roomOf(missing, place);
    const messages = await readSince(patient(missing, signal), room, oldest);
    const isMissed = ({ ts, thread_ts = ts }: SlackMessage) =>
      // What was written into a thread and its channel belongs to the thread.
      thread_ts === (room.thread ?? ts) && isAfter(ts, oldest) && !gate.isLive(nameOf(place), timeOf(ts));
    await handIn(missing, room, messages.filter(isMissed));
    return room.thread === undefined ? threadsIn(place, messages, fetch) : [];
  } catch (error) {
    if (!(error instanceof PlatformError) || error.isTemporary) throw error;
    missing.logger.debug({ err: error, place }, "missed messages of a Slack conversation could not be read");
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
async function ownNamespaces(missing: Missing): Promise<string[]> {
  const found: string[] = [];
  for (const team of await missing.tenants.teams()) {
    try {
      found.push(...(await ownChannels(missing, team)));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.isTemporary) throw error;
      missing.logger.debug({ err: error, team }, "the channels of the bot could not be listed");
    }
  }
  return found;
}

/** Waits whenever Slack asks to. */
function patient({ workspaces, clock }: Missing, signal: AbortSignal): Parameters<typeof readSince>[0] {
  const call: Workspaces["call"] = async (...given) => {
    for (;;) {
      try {
        return await workspaces.call(...given);
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== "rate_limited") throw error;
        await clock.sleep(error.retryAfterMs ?? 1_000, signal);
      }
    }
  };
  return { workspaces: { call } };
}

async function handIn(missing: Missing, room: Room, messages: readonly SlackMessage[]): Promise<void> {
  const { self, bot, direct } = await missing.workspaces.of(room.team);
  const me: Self = { team: room.team, self, bot, direct };
  const where: Where = { channel: room.channel, channel_type: room.direct ? "im" : "channel" };
  for (const message of messages) {
    if (!isSaid(message) || isOwn(message, me)) continue;
    await unlessHopeless(missing.logger, async () => {
      const parsed = await parseMessage(message, where, me, namesOf(missing.directory, room.team));
      if (parsed !== undefined) await missing.intake.message({ ...parsed, missed: true });
    });
  }
}

/**
 * Fetches missed messages after each reconnect, one fetch at a time in all processes, and records each minute that everything was
 * received. A fetch whose messages could not be stored is repeated then.
 */
export class SlackCatchUp {
  /**
   * The intake for events. A message in a thread waits until what was missed before it there is handed in. If that takes more than three
   * seconds, Slack delivers the message again, which is then taken once.
   */
  readonly live: ChatIntake;
  readonly #missing: Missing;
  readonly #watch: MissedWatch;
  readonly #leaving = new AbortController();
  readonly #gate: CatchUpGate<Place[]>;
  /** When the connection opened, until the messages from before are fetched. */
  #opened: number | undefined;
  #heldSince: number | undefined;

  constructor(missing: Missing) {
    const { intake, clock, logger } = missing;
    this.#missing = missing;
    this.#watch = new MissedWatch("Slack", clock, logger, (signal) => this.#round(signal));
    this.#gate = createCatchUpGate(clock, logger, this.#leaving.signal);
    this.live = { ...intake, message: this.#message.bind(this) };
  }

  /** The connection is open; `signal` aborts when it is lost. */
  connected(signal: AbortSignal): void {
    this.#opened = this.#missing.clock.now();
    this.#gate.close();
    this.#watch.begin(signal, 0);
  }

  /** Slack holds back the events of a minute, which began then (ms since the epoch). They are fetched when it is over. */
  heldBack(minute: number): void {
    this.#heldSince = Math.min(this.#heldSince ?? minute, minute);
    this.#opened = Math.max(this.#opened ?? 0, minute + heldMs);
    this.#gate.close();
  }

  /** No message waits any longer: Slack delivers those that do again. */
  leave(): void {
    this.#leaving.abort(new PlatformError("unavailable", "Knack is stopping; Slack delivers this again."));
  }

  /** Resolves when no fetch is running. */
  settled(): Promise<void> {
    return this.#watch.settled();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { intake, leases, clock } = this.#missing;
    const until = this.#opened;
    if (until === undefined) return intake.seen("slack");
    if (clock.now() < until) return;
    // While another process fetches, nothing is recorded: that process may end before it is done.
    await runAlone(leases, "slack-catch-up", fetchLeaseMs, () => this.#fetch(until, signal), clock);
  }

  async #fetch(until: number, signal: AbortSignal): Promise<void> {
    await catchUp(this.#missing, until, signal, this.#heldSince, this.#gate);
    if (this.#opened === until) {
      [this.#opened, this.#heldSince] = [undefined, undefined];
      this.#gate.open();
    }
    await this.#missing.intake.seen("slack");
  }

  async #message(said: ChatMessage): Promise<void> {
    const { intake, clock } = this.#missing;
    const { namespace, thread } = said.place;
    const room = { namespace, thread: isTimestamp(thread) ? thread : channelThread };
    const isDue = this.#opened !== undefined && clock.now() >= this.#opened;
    await this.#gate.before(said, nameOf(room), () => this.#readEarly(room), isDue);
    await intake.message(said);
  }

  async #readEarly(room: Place): Promise<Place[]> {
    const { since, places } = await this.#missing.intake.missed("slack");
    const oldest = oldestOf(since, this.#heldSince);
    return catchUpIn(this.#missing, room, { gate: this.#gate, oldest, places, signal: this.#leaving.signal });
  }
}
