import type { Emit } from "../../core/log/turn-event.ts";
import {
  type ClaimedTurn,
  type Lane,
  LeaseLostError,
  laneOf,
  type TurnCalls,
} from "../../core/log/turn-log.ts";
import { DeadlineError } from "../../core/scope/turn.ts";
import { WorkEnded } from "../../core/values/failure.ts";
import type { AppDeps } from "../app-deps.ts";
import { handOver, isGivenUp, retryLater, ShuttingDown } from "./given-up.ts";
import { keepListening } from "./keep-listening.ts";
import { type TurnObserver, TurnWriter } from "./turn-writer.ts";

type DispatcherDeps = Pick<
  AppDeps,
  "log" | "clock" | "logger" | "redact" | "concurrent" | "concurrent_commands" | "lease_ms" | "owner"
> & {
  /** Present where other processes are on the log, too. */
  shared?: { calls: TurnCalls } | undefined;
};

/** Runs turns. */
interface Runner {
  /** When a turn must end, ms since the epoch. */
  deadlineOf(claimed: ClaimedTurn): number;
  /**
   * Runs a turn until it ends or waits. Rejects when `emit` does.
   * @param isHeld whether nobody else can have the turn now. A process that was paused learns it from this before its timers tell
   */
  run(claimed: ClaimedTurn, emit: Emit, signal: AbortSignal, isHeld: () => boolean): Promise<void>;
  observers(claimed: ClaimedTurn): readonly TurnObserver[];
}

interface RunningTurn {
  lane: Lane;
  lease: string;
  controller: AbortController;
  done: Promise<void>;
  /** Until when nobody else can have the turn, ms since the epoch. */
  heldUntil: number;
  cancelExpiry: () => void;
}

/** Delay before retrying after the log failed, ms. */
const brokenLogPauseMs = 5_000;

/** Maximum time between two looks for work on a shared log, ms: a call may have been lost. */
const maxLookMs = 5_000;

/**
 * The part of a lease after which a worker that could not renew it gives its turn up, so that it has stopped before another one begins, even
 * if the two were to measure time differently.
 */
const givenUpAfter = 0.7;

/** After this time, ms, a crash no longer counts as a consequence of the one before. */
const settledAfterMs = 60_000;

/**
 * Maximum turns of one channel at the same time: three quarters of the slots where there are four or more, so that a channel whose
 * turns hang leaves room for the others. While several channels wait, the one with the fewest running turns is next anyway.
 */
function maxPerNamespace(slots: number): number {
  return slots - Math.floor(slots / 4);
}

/**
 * Takes turns from the log and runs them: one at a time per thread, threads in parallel, and commands in slots of their own.
 * - Order: within a line as accepted; among lines as `TurnQueue.claim` says.
 * - How often: at least once. A turn that was interrupted is resumed from its log.
 * - Slow turns: the others wait in the log, which holds them however many they are.
 * - A crash loses nothing. The turns are claimed again when their leases have ended.
 * - End: `stop`, which leaves what still runs for the next start.
 * - Bound: the slots of each lane, and `maxPerNamespace` of them for one channel.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #slots: Record<Lane, number>;
  readonly #running = new Map<string, RunningTurn>();
  readonly #down = new AbortController();
  #isStarted = false;
  #runner: Runner | undefined;
  #claims = 0;
  #pumping: Promise<void> | undefined;
  /** Whether more work may have arrived while `#pumping` was claiming. */
  #again = false;
  #cancelAlarm = () => {};
  #cancelSettling = () => {};
  #isKeepingLeases = false;
  /** Leases of turns that wait, by turn: the log may keep them for this worker. */
  readonly #waiting = new Map<string, string>();
  #listening: (() => Promise<void>)[] = [];

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#slots = {
      urgent: deps.concurrent_commands,
      command: deps.concurrent_commands,
      message: deps.concurrent,
    };
  }

  /** Sets how turns are run. Called once; until then turns stay queued. */
  serve(runner: Runner): void {
    this.#runner = runner;
  }

  /** Starts claiming turns. After a minute, a crash counts as the first one again (`TurnLog.settle`). */
  start(): void {
    this.#isStarted = true;
    this.#cancelSettling = this.#tellLogAfter(settledAfterMs, () => this.#deps.log.settle());
    this.#listening = this.#listen();
    this.wake();
  }

  /** Hears what other processes do. While that fails, only looks find their work. */
  #listen(): (() => Promise<void>)[] {
    const { shared, clock, logger } = this.#deps;
    if (shared === undefined) return [];
    const { calls } = shared;
    const onSignal = (turnId: string | undefined) => void this.#onSignal(turnId);
    return [() => calls.onWork(this.wake), () => calls.onSignal(onSignal)].map((listen) =>
      keepListening(listen, { clock, logger }),
    );
  }

  async #onSignal(turnId: string | undefined): Promise<void> {
    try {
      for (const [id, { controller }] of this.#running)
        if (turnId === undefined || turnId === id) await this.#heedStop(id, controller);
    } catch (error) {
      // Read again at the next renewal.
      this.#deps.logger.warn({ err: error }, "Signals could not be read");
    }
  }

  /** Looks for work: something was accepted, signalled or finished. Does nothing before `start`. */
  readonly wake = (): void => {
    if (!this.#isStarted || this.#down.signal.aborted || this.#runner === undefined) return;
    this.#again = true;
    this.#pumping ??= this.#pump(this.#runner)
      .catch((error: unknown) => {
        this.#deps.logger.error({ err: error }, "The turn log cannot be read; trying again in a moment");
        this.#wakeAfter(brokenLogPauseMs);
      })
      .finally(() => {
        this.#pumping = undefined;
        if (this.#again) this.wake();
      });
  };

  /** Aborts a running turn. False when it does not run here. */
  abort(turnId: string): boolean {
    const turn = this.#running.get(turnId);
    turn?.controller.abort(new WorkEnded("stop_requested", "Stopped"));
    return turn !== undefined;
  }

  /** The number of running turns. */
  running(): number {
    return this.#running.size;
  }

  /** Takes no more turns, waits `drainMs` for the running ones, and leaves the rest for the next start. */
  async stop(drainMs: number): Promise<void> {
    this.#down.abort();
    this.#cancelAlarm();
    this.#cancelSettling();
    for (const end of this.#listening) await end();
    await this.#pumping;
    await this.#deps.log.leave().catch((error: unknown) => {
      this.#deps.logger.warn(
        { err: error },
        "The stop could not be stored; the next start will treat it as a crash",
      );
    });
    const all = Promise.all([...this.#running.values()].map((turn) => turn.done));
    const patience = new AbortController();
    await Promise.race([all, this.#deps.clock.sleep(drainMs, patience.signal).catch(() => {})]);
    patience.abort();
    for (const { controller } of this.#running.values())
      controller.abort(new ShuttingDown("The bot is stopping"));
    await all;
  }

  async #pump(runner: Runner): Promise<void> {
    do {
      this.#again = false;
      for (;;) {
        const now = this.#deps.clock.now();
        const claimed = await this.#claimNext();
        if (claimed === undefined) break;
        this.#startTurn(claimed, runner, now);
      }
    } while (this.#again && !this.#down.signal.aborted);
    await this.#setAlarm();
  }

  async #claimNext(): Promise<ClaimedTurn | undefined> {
    const { log, owner, lease_ms } = this.#deps;
    const lanes = (["urgent", "command", "message"] as const).filter((lane) => this.#hasRoom(lane));
    if (this.#down.signal.aborted || lanes.length === 0) return undefined;
    this.#claims += 1;
    return log.claim(`${owner}:${this.#claims}`, lease_ms, {
      lanes,
      max_per_namespace: {
        command: maxPerNamespace(this.#slots.command),
        message: maxPerNamespace(this.#slots.message),
      },
      running: [...this.#running.keys()],
    });
  }

  #hasRoom(lane: Lane): boolean {
    return [...this.#running.values()].filter((turn) => turn.lane === lane).length < this.#slots[lane];
  }

  async #setAlarm(): Promise<void> {
    const { log, shared } = this.#deps;
    const ms = await log.untilDue();
    if (shared !== undefined) this.#wakeAfter(Math.min(maxLookMs, Math.max(50, ms ?? maxLookMs)));
    else if (ms !== undefined) this.#wakeAfter(Math.max(50, ms));
  }

  #wakeAfter(ms: number): void {
    this.#cancelAlarm();
    this.#cancelAlarm = this.#deps.clock.after(ms, this.wake);
  }

  /** Calls `tell` after `ms` and retries until it succeeds. Returns a function that cancels it. */
  #tellLogAfter(ms: number, tell: () => Promise<void>): () => void {
    const { clock, logger } = this.#deps;
    let cancel = () => {};
    const onFailure = (error: unknown) => {
      logger.error({ err: error }, "The turn log cannot be written; trying again in a moment");
      if (!this.#down.signal.aborted) schedule(brokenLogPauseMs);
    };
    const schedule = (after: number) => {
      cancel = clock.after(after, () => tell().then(() => this.wake(), onFailure));
    };
    schedule(ms);
    return () => cancel();
  }

  #startTurn(claimed: ClaimedTurn, runner: Runner, claimedAt: number): void {
    const { turn_id, lease, inbound, trial_ms } = claimed;
    const controller = new AbortController();
    const clear = () => this.#deps.log.clear(turn_id, lease);
    const cancelTrial = trial_ms === undefined ? undefined : this.#tellLogAfter(trial_ms, clear);
    const turn: RunningTurn = {
      lane: laneOf(inbound),
      lease,
      controller,
      done: Promise.resolve(),
      heldUntil: Number.POSITIVE_INFINITY,
      cancelExpiry: () => {},
    };
    this.#extend(turn_id, turn, claimedAt);
    this.#waiting.delete(turn_id);
    turn.done = this.#runTurn(claimed, runner, turn).finally(() => {
      cancelTrial?.();
      turn.cancelExpiry();
      this.#running.delete(turn_id);
      this.wake();
    });
    this.#running.set(turn_id, turn);
    this.#keepLeases();
  }

  /** Notes that the log gave or renewed a lease no earlier than `since`. With other processes on the log, the turn ends in time without another. */
  #extend(turnId: string, turn: RunningTurn, since: number): void {
    const { clock, lease_ms, shared } = this.#deps;
    if (shared === undefined) return;
    turn.heldUntil = since + lease_ms * givenUpAfter;
    turn.cancelExpiry();
    turn.cancelExpiry = clock.after(turn.heldUntil - clock.now(), () =>
      turn.controller.abort(new LeaseLostError(turnId)),
    );
  }

  async #runTurn(claimed: ClaimedTurn, runner: Runner, turn: RunningTurn): Promise<void> {
    const { clock, shared } = this.#deps;
    const { controller } = turn;
    const cancelDeadline = clock.after(runner.deadlineOf(claimed) - clock.now(), () =>
      controller.abort(new DeadlineError("The turn reached its time limit")),
    );
    const isHeld = () => clock.now() < turn.heldUntil;
    const writer = new TurnWriter(this.#deps, claimed, isHeld, runner.observers(claimed));
    // After an event that could not be written, no other is.
    let last: Promise<void> = Promise.resolve();
    const emit: Emit = (event) => {
      last = last.then(() => {
        if (isGivenUp(controller.signal.reason)) throw controller.signal.reason;
        return writer.write(event);
      });
      return last;
    };
    try {
      await this.#heedStop(claimed.turn_id, controller);
      await runner.run(claimed, emit, controller.signal, isHeld);
      if (shared !== undefined && writer.isWaiting) this.#waiting.set(claimed.turn_id, claimed.lease);
    } catch (error) {
      controller.abort(error);
      if (!isGivenUp(error)) await retryLater(this.#deps, claimed, writer, error);
    } finally {
      cancelDeadline();
    }
    if (controller.signal.reason instanceof ShuttingDown) await handOver(this.#deps, claimed, writer);
  }

  /** Aborts a turn that somebody has stopped: before it was claimed, or through another process. */
  async #heedStop(turnId: string, controller: AbortController): Promise<void> {
    const signals = await this.#deps.log.signals(turnId);
    if (signals.some((signal) => signal.type === "stop"))
      controller.abort(new WorkEnded("stop_requested", "Stopped"));
  }

  /** Renews the leases of running turns, drops turns that another worker now owns, and aborts those that were stopped. */
  #keepLeases(): void {
    if (this.#isKeepingLeases) return;
    this.#isKeepingLeases = true;
    const { clock, logger, lease_ms } = this.#deps;
    clock.after(lease_ms / 3, async () => {
      this.#isKeepingLeases = false;
      if (this.#running.size + this.#waiting.size === 0) return;
      this.#keepLeases();
      try {
        await this.#renewLeases();
      } catch (error) {
        logger.error({ err: error }, "Leases could not be renewed");
      }
    });
  }

  async #renewLeases(): Promise<void> {
    const { log, lease_ms, clock } = this.#deps;
    const running = [...this.#running].map(([turn_id, { lease }]) => ({ turn_id, lease }));
    const waiting = [...this.#waiting].map(([turn_id, lease]) => ({ turn_id, lease }));
    const now = clock.now();
    const lost = new Set(await log.renew([...running, ...waiting], lease_ms));
    for (const { turn_id, lease } of running) {
      const turn = this.#running.get(turn_id);
      // It may have ended in the meantime and be running again under another lease.
      if (turn?.lease !== lease) continue;
      if (lost.has(turn_id)) {
        turn.heldUntil = 0;
        turn.controller.abort(new LeaseLostError(turn_id));
      } else this.#extend(turn_id, turn, now);
    }
    for (const { turn_id, lease } of waiting)
      if (lost.has(turn_id) && this.#waiting.get(turn_id) === lease) this.#waiting.delete(turn_id);
    for (const [turn_id, { controller }] of this.#running) await this.#heedStop(turn_id, controller);
  }
}
