import { madeOnce } from "../../../base/made-once.ts";
import { withTimeLimit } from "../../../base/time-limit.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { ChatMessage } from "../chat-intake.ts";

/** Maximum time that what is said in a room waits, ms. */
const patienceMs = 5 * 60_000;
/** Delay before a room that could not be read is read again for what waits there, ms. */
const retryMs = 5_000;

export type CatchUpGate<Found = unknown> = ReturnType<typeof createCatchUpGate<Found>>;

/**
 * Keeps what is said live behind what was missed before it in the same room, which is a channel or a thread. While missed messages are
 * fetched, each room is read once: for the fetch, or earlier for the first live message there, which waits for it.
 * @param signal ends all waiting
 */
export function createCatchUpGate<Found>(
  clock: Pick<Clock, "after" | "sleep">,
  logger: Log,
  signal?: AbortSignal,
) {
  /** What is known by room since the gate was closed. */
  const reads = new Map<string, Promise<Found>>();
  /** What live messages wait for now, and how to end it. */
  const waits = new Map<string, { over: Promise<void>; end(): void }>();
  /** Rooms whose live messages no longer wait. */
  const passed = new Set<string>();
  /** When the first live message was said, ms since the epoch. */
  const live = new Map<string, number>();
  let isClosed = false;

  const setClosed = (closed: boolean) => {
    isClosed = closed;
    for (const rooms of [reads, passed, live]) rooms.clear();
  };
  const read = (room: string, work: () => Promise<Found>): Promise<Found> => {
    const found: Promise<Found> = madeOnce(reads, room, work);
    found.then(
      () => waits.get(room)?.end(),
      () => reads.get(room) === found && reads.delete(room),
    );
    return found;
  };
  const wait = (room: string, work: () => Promise<Found>) => {
    const ended = Promise.withResolvers<void>();
    let isOver = false;
    const end = () => {
      isOver = true;
      ended.resolve();
    };
    const readAgainAndAgain = async (time: AbortSignal) => {
      while (!isOver) await read(room, work).catch(() => clock.sleep(retryMs, time));
    };
    const inTime = async () => {
      const late = () => new Error("Reading took more than five minutes.");
      const limit = { ms: patienceMs, timer: clock, signal, late };
      try {
        await withTimeLimit(limit, (time) => Promise.race([ended.promise, readAgainAndAgain(time)]));
      } catch (err) {
        if (signal?.aborted !== true) logger.warn({ err, room }, overtaken);
      }
      end();
      waits.delete(room);
      passed.add(room);
    };
    const waiting = { over: inTime(), end };
    waits.set(room, waiting);
    return waiting;
  };
  return {
    /** Something was missed. Rooms that were read before are read again. */
    close: () => setClosed(true),
    /** Everything missed was handed in: nothing waits any more. */
    open(): void {
      setClosed(false);
      for (const { end } of waits.values()) end();
    },
    /** Reads a room with `work`, or shares the read that was begun before. One that failed is begun again. */
    read,
    /** Whether what was said then arrives live: it is not missed, and may wait for what was. */
    isLive: (room: string, saidAt: number) => saidAt >= (live.get(room) ?? Number.POSITIVE_INFINITY),
    /**
     * Waits until the room of a live message is read, for five minutes at most; a message that begins its own thread waits for nothing.
     * What cannot be read now is read again. What is not read in time is logged.
     * @param isDue whether the message waits, even if none before it does
     * @throws the signal's reason: the message has to be delivered again
     */
    async before(
      { place, id, said_at }: Pick<ChatMessage, "place" | "id" | "said_at">,
      room: string,
      work: () => Promise<Found>,
      isDue = true,
    ): Promise<void> {
      if (place.thread === id) return;
      const begins = isClosed && isDue && !passed.has(room);
      if (isClosed && isDue) live.set(room, Math.min(said_at, live.get(room) ?? said_at));
      const waiting = waits.get(room) ?? (begins ? wait(room, work) : undefined);
      await waiting?.over;
      signal?.throwIfAborted();
    },
  };
}

const overtaken = "missed messages are not read yet; what is said now may be answered first";

/**
 * Hands in a missed message with `work`. One that the platform refuses for good, for example because its author is gone, is logged and does
 * not hold up the others. @throws when it could not be stored, or the platform fails for now
 */
export async function unlessHopeless(logger: Log, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.isTemporary) throw error;
    logger.warn({ err: error }, "a missed message could not be taken");
  }
}
