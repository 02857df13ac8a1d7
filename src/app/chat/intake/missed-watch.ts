import type { Clock, Log } from "../../../core/ports/storage.ts";

/** Interval at which it is recorded that everything was received, ms. */
const recordMs = 60_000;
/** Delay before a failed fetch is repeated, ms. */
const retryMs = 10_000;

/** Rounds, one at a time, that fetch what a platform's connection has missed and record that everything was received. */
export class MissedWatch {
  readonly #platform: string;
  readonly #clock: Clock;
  readonly #logger: Log;
  readonly #round: (signal: AbortSignal) => Promise<void>;
  #working: Promise<void> = Promise.resolve();
  /** Cancels the round that is due. */
  #cancel: (() => void) | undefined;

  /**
   * @param platform its name, for the log
   * @param round rejects when something could not be read or stored; another round then follows soon
   */
  constructor(platform: string, clock: Clock, logger: Log, round: (signal: AbortSignal) => Promise<void>) {
    this.#platform = platform;
    this.#clock = clock;
    this.#logger = logger;
    this.#round = round;
  }

  /** Runs a round after `ms`, in place of the one that is due, and then one each minute until the signal. */
  begin(signal: AbortSignal, ms = recordMs): void {
    if (signal.aborted) return;
    this.#cancel?.();
    const run = () => {
      this.#cancel = undefined;
      this.#working = this.#working.then(() => this.#run(signal));
    };
    if (ms === 0) run();
    else this.#cancel = this.#clock.after(ms, run);
  }

  /** Resolves when no round is running. */
  settled(): Promise<void> {
    return this.#working;
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let pause = recordMs;
    try {
      await this.#round(signal);
    } catch (error) {
      pause = retryMs;
      if (!signal.aborted)
        this.#logger.warn({ err: error }, `missed ${this.#platform} messages could not be fetched; retrying`);
    }
    if (this.#cancel === undefined) this.begin(signal, pause);
  }
}
