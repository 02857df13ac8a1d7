import { madeOnce } from "../../../base/made-once.ts";
import { withTimeLimit } from "../../../base/time-limit.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { ChatMessage } from "../chat-intake.ts";

/** Maximum time that what is said in a room waits, ms. */
const patienceMs = 60_000;

export interface CatchUpGateDeps {
  clock: Pick<Clock, "after">;
  logger: Log;
}

export type CatchUpGate<Found = unknown> = ReturnType<typeof createCatchUpGate<Found>>;

/**
 * Keeps what is said live behind what was missed before it in the same room, which is a channel or a thread. While missed messages are
 * fetched, each room is read once: for the fetch, or earlier for the first live message there, which waits for it.
 * @param signal ends all waiting
 */
export function createCatchUpGate<Found>({ clock, logger }: CatchUpGateDeps, signal?: AbortSignal) {
  /** What is known by room since the gate was closed. */
  const reads = new Map<string, Promise<Found>>();
  const waits = new Map<string, Promise<void>>();
  /** When the first live message was said, ms since the epoch. */
  const live = new Map<string, number>();
  let isClosed = false;

  const setClosed = (closed: boolean) => {
    isClosed = closed;
    for (const rooms of [reads, waits, live]) rooms.clear();
  };
  const read = (room: string, work: () => Promise<Found>): Promise<Found> => {
    const found: Promise<Found> = madeOnce(reads, room, work);
    found.catch(() => reads.get(room) === found && reads.delete(room));
    return found;
  };
  const readInTime = async (room: string, work: () => Promise<Found>): Promise<void> => {
    const late = () => new Error("Reading took more than a minute.");
    try {
      await withTimeLimit({ ms: patienceMs, timer: clock, signal, late }, () => read(room, work));
    } catch (err) {
      if (signal?.aborted !== true)
        logger.warn(
          { err, room },
          "missed messages are not read yet; what is said now may be answered first",
        );
    }
  };
  return {
    /** Something was missed. Rooms that were read before are read again. */
    close: () => setClosed(true),
    /** Everything missed was handed in: nothing waits any more. */
    open: () => setClosed(false),
    /** Reads a room with `work`, or shares the read that was begun before. One that failed is begun again. */
    read,
    /** Whether what was said then arrives live: it is not missed, and may wait for what was. */
    isLive: (room: string, saidAt: number) => saidAt >= (live.get(room) ?? Number.POSITIVE_INFINITY),
    /**
     * Waits until the room of a live message is read, for a minute at most; a message that begins its own thread waits for nothing. What
     * cannot be read in time, or at all, is logged. @throws the signal's reason: the message has to be delivered again
     */
    async before(
      { place, id, said_at }: Pick<ChatMessage, "place" | "id" | "said_at">,
      room: string,
      work: () => Promise<Found>,
    ): Promise<void> {
      if (!isClosed || place.thread === id) return;
      live.set(room, Math.min(said_at, live.get(room) ?? said_at));
      await madeOnce(waits, room, () => readInTime(room, work));
      signal?.throwIfAborted();
    },
  };
}
