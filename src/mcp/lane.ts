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

/** Opens a connection. The signal cancels the attempt when the connection is no longer wanted. */
type Open = (onLost: (reason: string) => void, signal: AbortSignal) => Promise<Connection>;

/** The connection to a server under one account: at most one at a time, reconnected automatically. */
export class Lane {
  readonly #begin: Open;
  readonly #clock: Clock;
  readonly #maxAttempts: number;
  readonly #closing = new AbortController();
  #current: LaneState;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #next: { at: number; done: Promise<unknown>; cancel(): void } | undefined;

  /** @param maxAttempts consecutive failures after which it stays failed until somebody starts it */
  constructor(open: Open, clock: Clock, maxAttempts: number) {
    this.#begin = open;
    this.#clock = clock;
    this.#maxAttempts = maxAttempts;
    this.#current = { state: "stopped", since: clock.now() };
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
    if (next !== undefined && next.at - this.#clock.now() <= maxRetryWaitMs) await next.done;
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
    this.#current = { state, problem, since: this.#clock.now() };
  }

  #isSpent(): boolean {
    const isOver = this.#next !== undefined || this.#failures >= this.#maxAttempts;
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
    const opened: Connection = await this.#begin(onLost, signal);
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
    if (state === "running" && this.#clock.now() - since >= stableAfterMs) this.#failures = 0;
    this.#fail(`The server ended: ${reason}.`);
  }

  #fail(problem: string): void {
    this.#connection = undefined;
    this.#failures += 1;
    if (this.#closing.signal.aborted) this.#enter("stopped");
    else if (this.#failures >= this.#maxAttempts) this.#enter("failed", problem);
    else this.#retryLater(problem);
  }

  #retryLater(problem: string): void {
    const clock = this.#clock;
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

/** How the lanes of accounts are opened and kept. */
interface LaneKeeping {
  clock: Clock;
  /** As of each lane. */
  maxAttempts: number;
  open(account: string, ...of: Parameters<Open>): Promise<Connection>;
  /** Idle time after which a connection is closed, ms; undefined keeps all. */
  maxIdleMs: number | undefined;
  report(error: unknown): void;
}

/** The lanes to one server, one for each account that used it. */
export class AccountLanes {
  readonly #keeping: LaneKeeping;
  readonly #lanes = new Map<string, Lane>();
  readonly #idle = new Map<string, () => void>();

  constructor(keeping: LaneKeeping) {
    this.#keeping = keeping;
  }

  all(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** The lane of an account, created if there is none. */
  of(account: string): Lane {
    const { open, clock, maxAttempts } = this.#keeping;
    return madeOnce(
      this.#lanes,
      account,
      () => new Lane((...of) => open(account, ...of), clock, maxAttempts),
    );
  }

  /** The lane of an account, for a call: its idle time restarts. */
  use(account: string): Lane {
    this.#keep(account);
    return this.of(account);
  }

  async close(account: string): Promise<void> {
    this.#idle.get(account)?.();
    this.#idle.delete(account);
    const lane = this.#lanes.get(account);
    this.#lanes.delete(account);
    await lane?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#lanes.keys()].map((account) => this.close(account)));
  }

  #keep(account: string): void {
    const { clock, maxIdleMs, report } = this.#keeping;
    this.#idle.get(account)?.();
    if (maxIdleMs === undefined) return;
    const look = () => {
      // A call may wait longer than that for a person.
      if (this.#lanes.get(account)?.isBusy()) this.#keep(account);
      else this.close(account).catch(report);
    };
    this.#idle.set(account, clock.after(maxIdleMs, look));
  }
}
