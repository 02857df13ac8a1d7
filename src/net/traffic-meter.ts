import { Transform } from "node:stream";

/** What the programs of one proxy may send and receive. */
export interface TrafficLimits {
  /** Connections at one time. */
  connections: number;
  /** Maximum of one connection, both directions together, bytes. */
  connectionBytes: number;
  /** Maximum of all connections within an hour, bytes. */
  hourlyBytes: number;
  /** Maximum time without a byte in either direction, ms. */
  idleMs: number;
  /** Maximum time from the request to the connection, ms. */
  connectMs: number;
}

/** Enough for API calls and some downloads. */
export const defaultTrafficLimits: TrafficLimits = {
  connections: 64,
  connectionBytes: 104_857_600,
  hourlyBytes: 1_073_741_824,
  idleMs: 120_000,
  connectMs: 15_000,
};

const hourMs = 3_600_000;

/** Counts the traffic of one proxy. */
export class TrafficMeter {
  readonly #limits: TrafficLimits;
  readonly #now: () => number;
  #hourBegan: number;
  #hourly = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(limits: TrafficLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#hourBegan = now();
  }

  /** A counter for one connection; it returns false once a limit is exceeded. */
  connection(): (bytes: number) => boolean {
    let own = 0;
    return (bytes) => {
      if (this.#now() - this.#hourBegan > hourMs) {
        this.#hourBegan = this.#now();
        this.#hourly = 0;
      }
      own += bytes;
      this.#hourly += bytes;
      return own <= this.#limits.connectionBytes && this.#hourly <= this.#limits.hourlyBytes;
    };
  }
}

/** Passes data on until `take`, a counter of `TrafficMeter`, says that a limit is exceeded. */
export function metered(take: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (take(chunk.byteLength)) done(null, chunk);
      else done(new Error("More was sent than a skill may send or receive."));
    },
  });
}
