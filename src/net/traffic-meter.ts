export interface TrafficLimits {
  /** Connections at one time. */
  connections: number;
  /** Of one connection, both directions together, bytes. */
  connectionBytes: number;
  /** Of all connections within an hour, bytes. */
  hourlyBytes: number;
  /** Without a byte in either direction, ms. */
  idleMs: number;
  /** From the request to the connection, ms. */
  connectMs: number;
}

/** Enough for calls of APIs and some downloads. */
export const defaultTrafficLimits: TrafficLimits = {
  connections: 64,
  connectionBytes: 104_857_600,
  hourlyBytes: 1_073_741_824,
  idleMs: 120_000,
  connectMs: 15_000,
};

const hourMs = 3_600_000;

/** Counts what passes through one proxy. */
export class TrafficMeter {
  readonly #limits: TrafficLimits;
  readonly #now: () => number;
  #hourBegan: number;
  #hourly = 0;

  /** `now` answers milliseconds of a clock that only moves forward. */
  constructor(limits: TrafficLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#hourBegan = now();
  }

  /** A counter for one connection; it answers false once a limit is passed. */
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
