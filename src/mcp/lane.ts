import { backoff } from "../base/backoff.ts";
import { errorText } from "../base/error-text.ts";
import type { Clock } from "../core/ports/storage.ts";
import type { ServerState } from "../core/skill/packages.ts";
import type { Connection } from "./connection.ts";
import { ServerFailure } from "./server-failure.ts";

/** First and longest pause before the next attempt, ms; it doubles in between. */
const pauses = { minMs: 1_000, maxMs: 60_000 };

/** A call waits this long for the next attempt at most, ms. */
const worthWaiting = 5_000;

/** A connection that held this long was a good one: pauses begin anew, ms. */
const goodAfter = 60_000;

export interface LaneState {
  state: ServerState;
  problem?: string | undefined;
  /** ms since the epoch */
  since: number;
  /** It failed, and the next attempt is so near that a call waits for it. */
  soon?: boolean;
}

/** The way to a server under one account: at most one connection, which comes back by itself. */
export interface Lane {
  state(): LaneState;
  /** How it is connected; undefined while it is not. */
  transport(): Connection["transport"] | undefined;
  /** Whether a call is on its way, be it that its turn waits for a person. */
  isBusy(): boolean;
  /** The connection there is, or the next one. @throws ServerFailure */
  connection(): Promise<Connection>;
  /** Connects now, whatever failed before. Resolves when it runs or has failed. */
  start(): Promise<void>;
  /** Gives up a connection that proved useless; another one is made after a pause. */
  lose(connection: Connection, reason: string): Promise<void>;
  /** Says that an account is missing. */
  lock(problem: string): void;
  close(): Promise<void>;
}

export interface LaneOptions {
  clock: Clock;
  /** Attempts in a row after which it stays failed until somebody starts it. */
  most_attempts: number;
  /** The signal ends the attempt: nobody wants the connection any more. */
  open(onLost: (reason: string) => void, signal: AbortSignal): Promise<Connection>;
}

export function createLane({ clock, most_attempts, open }: LaneOptions): Lane {
  let current: LaneState = { state: "stopped", since: clock.now() };
  let connection: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let failures = 0;
  let next: { at: number; done: Promise<unknown>; cancel(): void } | undefined;
  const closing = new AbortController();

  const enter = (state: ServerState, problem?: string) => {
    current = { state, problem, since: clock.now() };
  };

  const fail = (problem: string) => {
    connection = undefined;
    failures += 1;
    if (closing.signal.aborted) return enter("stopped");
    if (failures >= most_attempts) return enter("failed", problem);
    const pause = backoff(failures, pauses);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const forget = clock.after(pause, () => {
      next = undefined;
      resolve(connect().catch(() => undefined));
    });
    const cancel = () => {
      forget();
      resolve(undefined);
    };
    next = { at: clock.now() + pause, done: promise, cancel };
    current = { state: "failed", problem, since: clock.now(), soon: pause <= worthWaiting };
  };

  const lost = (reason: string) => {
    if (current.state === "running" && clock.now() - current.since >= goodAfter) failures = 0;
    fail(`The server ended: ${reason}.`);
  };

  const connect = (): Promise<Connection> => {
    if (opening !== undefined) return opening;
    next?.cancel();
    next = undefined;
    enter("starting");
    opening = attempt().finally(() => {
      opening = undefined;
    });
    return opening;
  };

  const attempt = async (): Promise<Connection> => {
    try {
      let endedEarly: string | undefined;
      const onLost = (reason: string) => {
        if (connection === undefined) endedEarly = reason;
        else if (connection === opened) lost(reason);
      };
      const opened: Connection = await open(onLost, closing.signal);
      if (endedEarly !== undefined) throw new ServerFailure("unreachable", endedEarly);
      if (closing.signal.aborted) {
        await opened.close();
        throw new ServerFailure("unreachable", "It was stopped.");
      }
      connection = opened;
      enter("running");
      return opened;
    } catch (error) {
      if (error instanceof ServerFailure && error.code === "needs_login") enter("needs_login", error.message);
      else fail(errorText(error));
      throw error;
    }
  };

  return {
    state: () => current,
    transport: () => connection?.transport,
    isBusy: () => connection?.isBusy() ?? false,
    async connection() {
      if (connection !== undefined) return connection;
      if (next !== undefined && next.at - clock.now() <= worthWaiting) await next.done;
      if (connection !== undefined) return connection;
      const isSpent = current.state === "failed" && (next !== undefined || failures >= most_attempts);
      if (isSpent) throw new ServerFailure("unreachable", current.problem ?? "It failed.");
      return connect();
    },
    async start() {
      if (connection !== undefined) return;
      failures = 0;
      await connect().catch(() => undefined);
    },
    async lose(useless, reason) {
      if (connection !== useless) return;
      lost(reason);
      await useless.close();
    },
    lock: (problem) => enter("needs_login", problem),
    async close() {
      closing.abort(new ServerFailure("unreachable", "It was stopped."));
      next?.cancel();
      next = undefined;
      const open = connection;
      connection = undefined;
      await open?.close();
      await opening?.catch(() => undefined);
      enter("stopped");
    },
  };
}
