import { backoff } from "../base/backoff.ts";
import { errorText } from "../base/error-text.ts";
import { madeOnce } from "../base/made-once.ts";
import type { Clock } from "../core/ports/storage.ts";
import type { ServerState } from "../core/skill/packages.ts";
import type { Connection } from "./connection.ts";
import { ServerFailure } from "./server-failure.ts";

/** Minimum and maximum delay before the next attempt, ms; it doubles in between. */
const pauses = { minMs: 1_000, maxMs: 60_000 };

/** Maximum time that a call waits for the next attempt, ms. */
const maxRetryWaitMs = 5_000;

/** A connection that lasted this long resets the delays, ms. */
const stableAfterMs = 60_000;

export interface LaneState {
  state: ServerState;
  problem?: string | undefined;
  /** ms since the epoch */
  since: number;
  /** It failed, and the next attempt is close enough for a call to wait for it. */
  soon?: boolean;
}

export interface LaneOptions {
  clock: Clock;
  /** Consecutive failures after which it stays failed until somebody starts it. */
  maxAttempts: number;
  /** The signal cancels the attempt when the connection is no longer wanted. */
  open(onLost: (reason: string) => void, signal: AbortSignal): Promise<Connection>;
}

/** The connection to a server under one account: at most one at a time, reconnected automatically. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #closing = new AbortController();
  #current: LaneState;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #next: { at: number; done: Promise<unknown>; cancel(): void } | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#current = { state: "stopped", since: options.clock.now() };
  }

  state(): LaneState {
    return this.#current;
  }

  /** The transport; undefined while it is not connected. */
  transport(): Connection["transport"] | undefined {
    return this.#connection?.transport;
  }

  /** Whether a call is running, even one whose turn waits for a person. */
  isBusy(): boolean {
    return this.#connection?.isBusy() ?? false;
  }

  /** The current connection, or the next one. @throws ServerFailure */
  async connection(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const next = this.#next;
    if (next !== undefined && next.at - this.#options.clock.now() <= maxRetryWaitMs) await next.done;
    if (this.#connection !== undefined) return this.#connection;
    if (this.#isSpent()) throw new ServerFailure("unreachable", this.#current.problem ?? "It failed.");
    return await this.#connect();
  }

  /** Connects now, despite earlier failures. Resolves when it runs or has failed. */
  async start(): Promise<void> {
    if (this.#connection !== undefined) return;
    this.#failures = 0;
    await this.#connect().catch(() => undefined);
  }

  /** Drops a connection that proved useless; another one is made after a delay. */
  async lose(useless: Connection, reason: string): Promise<void> {
    if (this.#connection !== useless) return;
    this.#lost(reason);
    await useless.close();
  }

  /** Marks the account as missing. */
  lock(problem: string): void {
    this.#enter("needs_login", problem);
  }

  async close(): Promise<void> {
    this.#closing.abort(new ServerFailure("unreachable", "It was stopped."));
    this.#cancelNext();
    const open = this.#connection;
    this.#connection = undefined;
    await open?.close();
    await this.#opening?.catch(() => undefined);
    this.#enter("stopped");
  }

  #enter(state: ServerState, problem?: string): void {
    this.#current = { state, problem, since: this.#options.clock.now() };
  }

  #isSpent(): boolean {
    const isOver = this.#next !== undefined || this.#failures >= this.#options.maxAttempts;
    return this.#current.state === "failed" && isOver;
  }

  #cancelNext(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #connect(): Promise<Connection> {
    if (this.#opening !== undefined) return this.#opening;
    this.#cancelNext();
    this.#enter("starting");
    this.#opening = this.#attempt().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #attempt(): Promise<Connection> {
    try {
      return await this.#open();
    } catch (error) {
      if (error instanceof ServerFailure && error.code === "needs_login") this.lock(error.message);
      else this.#fail(errorText(error));
      throw error;
    }
  }

  async #open(): Promise<Connection> {
    let endedEarly: string | undefined;
    const onLost = (reason: string) => {
      if (this.#connection === undefined) endedEarly = reason;
      else if (this.#connection === opened) this.#lost(reason);
    };
    const { signal } = this.#closing;
    const opened: Connection = await this.#options.open(onLost, signal);
    if (endedEarly !== undefined) throw new ServerFailure("unreachable", endedEarly);
    if (signal.aborted) {
      await opened.close();
      throw new ServerFailure("unreachable", "It was stopped.");
    }
    // In the same step as the checks: a loss or a stop in between would go unnoticed.
    this.#connection = opened;
    this.#enter("running");
    return opened;
  }

  #lost(reason: string): void {
    const { state, since } = this.#current;
    if (state === "running" && this.#options.clock.now() - since >= stableAfterMs) this.#failures = 0;
    this.#fail(`The server ended: ${reason}.`);
  }

  #fail(problem: string): void {
    this.#connection = undefined;
    this.#failures += 1;
    if (this.#closing.signal.aborted) this.#enter("stopped");
    else if (this.#failures >= this.#options.maxAttempts) this.#enter("failed", problem);
    else this.#retryLater(problem);
  }

  #retryLater(problem: string): void {
    const { clock } = this.#options;
    const pause = backoff(this.#failures, pauses);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const forget = clock.after(pause, () => {
      this.#next = undefined;
      resolve(this.#connect().catch(() => undefined));
    });
    const cancel = () => {
      forget();
      resolve(undefined);
    };
    this.#next = { at: clock.now() + pause, done: promise, cancel };
    this.#current = { state: "failed", problem, since: clock.now(), soon: pause <= maxRetryWaitMs };
  }
}

export interface AccountLanesOptions extends Omit<LaneOptions, "open"> {
  /** Idle time after which a connection is closed, ms; undefined keeps all. */
  maxIdleMs: number | undefined;
  open(account: string, ...of: Parameters<LaneOptions["open"]>): Promise<Connection>;
  report(error: unknown): void;
}

export type AccountLanes = ReturnType<typeof createAccountLanes>;

/** The lanes to one server, one for each account that used it. */
export function createAccountLanes(options: AccountLanesOptions) {
  const { clock, maxAttempts, maxIdleMs, open, report } = options;
  const lanes = new Map<string, Lane>();
  const idle = new Map<string, () => void>();

  /** The lane of an account, created if there is none. */
  const of = (account: string): Lane =>
    madeOnce(lanes, account, () => new Lane({ clock, maxAttempts, open: (...of) => open(account, ...of) }));

  const close = async (account: string): Promise<void> => {
    idle.get(account)?.();
    idle.delete(account);
    const lane = lanes.get(account);
    lanes.delete(account);
    await lane?.close();
  };

  const keep = (account: string): void => {
    idle.get(account)?.();
    if (maxIdleMs === undefined) return;
    const look = () => {
      // A call may wait longer than that for a person.
      if (lanes.get(account)?.isBusy()) keep(account);
      else close(account).catch(report);
    };
    idle.set(account, clock.after(maxIdleMs, look));
  };

  return {
    all: (): readonly Lane[] => [...lanes.values()],
    of,
    /** The lane of an account, for a call: its idle time restarts. */
    use(account: string): Lane {
      keep(account);
      return of(account);
    },
    close,
    async closeAll(): Promise<void> {
      await Promise.all([...lanes.keys()].map(close));
    },
  };
}
