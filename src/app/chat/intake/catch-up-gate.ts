import { madeOnce } from "../../../base/made-once.ts";
import { unlessAborted, withTimeLimit } from "../../../base/time-limit.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { ChatMessage } from "../chat-intake.ts";

/** Maximum time that what is said in a room waits, ms. */
const patienceMs = 60_000;

/** What is known about the rooms since the gate was closed. */
interface Rooms<Found> {
  reads: Map<string, Promise<Found>>;
  waits: Map<string, Promise<void>>;
  /** When the first live message of each room was said, ms since the epoch. */
  live: Map<string, number>;
}

export interface CatchUpGateDeps {
  clock: Pick<Clock, "after">;
  logger: Log;
}

/**
 * Keeps what is said live behind what was missed before it in the same room, which is a channel or a thread. While missed messages are
 * fetched, each room is read once: for the fetch, or earlier for the first live message there, which waits for it.
 */
export class CatchUpGate<Found> {
  readonly #deps: CatchUpGateDeps;
  #rooms: Rooms<Found> | undefined;

  constructor(deps: CatchUpGateDeps) {
    this.#deps = deps;
  }

  /** Something was missed. Rooms that were read before are read again. */
  close(): void {
    this.#rooms = { reads: new Map(), waits: new Map(), live: new Map() };
  }

  /** Everything missed was handed in: nothing waits any more. */
  open(): void {
    this.#rooms = undefined;
  }

  /** Reads a room with `work`, or shares the read that was begun before. One that failed is begun again. */
  read(room: string, work: () => Promise<Found>): Promise<Found> {
    const reads = this.#rooms?.reads ?? new Map<string, Promise<Found>>();
    const forgetting = async () => {
      try {
        return await work();
      } catch (error) {
        reads.delete(room);
        throw error;
      }
    };
    return madeOnce(reads, room, forgetting);
  }

  /** Whether what was said then arrives live: it is not missed, and may wait for those who are. */
  isLive(room: string, saidAt: number): boolean {
    return saidAt >= (this.#rooms?.live.get(room) ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Waits until the room of a live message is read, for a minute at most; a message that begins its own thread waits for nothing. What
   * cannot be read in time, or at all, is logged. @throws the signal's reason: the message has to be delivered again
   */
  async before(
    { place, id, said_at }: Pick<ChatMessage, "place" | "id" | "said_at">,
    room: string,
    work: () => Promise<Found>,
    signal: AbortSignal,
  ): Promise<void> {
    const rooms = this.#rooms;
    if (rooms === undefined || place.thread === id) return;
    rooms.live.set(room, Math.min(said_at, rooms.live.get(room) ?? said_at));
    await unlessAborted(signal, () =>
      madeOnce(rooms.waits, room, () => this.#readInTime(room, work, signal)),
    );
    signal.throwIfAborted();
  }

  async #readInTime(room: string, work: () => Promise<Found>, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const late = () => new Error("Reading took more than a minute.");
    try {
      await withTimeLimit({ ms: patienceMs, timer: clock, signal, late }, () => this.read(room, work));
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(
        { err: error, room },
        "missed messages are not read yet; what is said now may be answered first",
      );
    }
  }
}
