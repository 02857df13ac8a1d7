import { errorText } from "../../base/error-text.ts";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import {
  type ClaimedTurn,
  type Lane,
  LeaseLostError,
  laneOf,
  type TurnLog,
} from "../../core/log/turn-log.ts";
import type { Clock, Log } from "../../core/ports/storage.ts";
import { DeadlineError } from "../../core/scope/turn.ts";
import type { Redact } from "../../core/values/redact.ts";
import type { Feed } from "./feed.ts";
import { isGivenUp, ShuttingDown } from "./given-up.ts";
import { createTurnWriter, type TurnWriter } from "./turn-writer.ts";

/** Takes turns from the log and runs them: one line per thread, threads in parallel, commands beside them. */
export interface Dispatcher {
  /** Says how turns are run, once; until then they stay queued. */
  serve(runner: Runner): void;
  /** Begins to work. From a minute later on a crash counts as the first one (`TurnLog.settle`). */
  start(): void;
  /** There may be work: something was accepted, signalled or finished. */
  wake(): void;
  /** Aborts a running turn. False when it does not run here. */
  abort(turnId: string): boolean;
  /** How many turns run now. */
  running(): number;
  /** Takes no more turns, waits `drainMs` for the running ones, and leaves the rest for the next start. */
  stop(drainMs: number): Promise<void>;
}

export interface DispatcherDeps {
  log: TurnLog;
  feed: Feed;
  clock: Clock;
  logger: Log;
  redact: Redact;
  /** Message turns at the same time. */
  concurrent: number;
  /** Commands at the same time, those that stop something not counted: they have as many slots of their own. */
  concurrent_commands: number;
  lease_ms: number;
  /** Names this process; no other may have the same. */
  owner: string;
}

/** Runs turns. */
interface Runner {
  /** The end of a turn, ms since the epoch. */
  deadlineOf(claimed: ClaimedTurn): number;
  run(claimed: ClaimedTurn, signal: AbortSignal): AsyncGenerator<TurnEventBody, void>;
}

/** The reason of an abort by a person. */
class StopRequested extends Error {
  readonly code = "stop_requested";
}

interface RunningTurn {
  lane: Lane;
  lease: string;
  controller: AbortController;
  done: Promise<void>;
}

/** After the log could not be written, how long until it is tried again. */
const brokenLogPause = 5_000;

/** How long the bot runs until a crash is not taken for a consequence of the one before, ms. */
const settledAfter = 60_000;

/**
 * Most turns of one channel at the same time: three quarters of the slots where there are four or more, so that a channel whose
 * turns hang leaves room for the others. When others wait, the channel with the fewest running turns is next anyway.
 */
function maxPerNamespace(slots: number): number {
  return slots - Math.floor(slots / 4);
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { log, clock, logger, owner, lease_ms } = deps;
  const running = new Map<string, RunningTurn>();
  const down = new AbortController();
  const slots: Record<Lane, number> = {
    urgent: deps.concurrent_commands,
    command: deps.concurrent_commands,
    message: deps.concurrent,
  };
  const max_per_namespace = {
    command: maxPerNamespace(slots.command),
    message: maxPerNamespace(slots.message),
  };
  let runner: Runner | undefined;
  let claims = 0;
  let pumping: Promise<void> | undefined;
  let again = false;
  let cancelAlarm = () => {};
  let cancelSettling = () => {};
  let keepingLeases = false;

  const hasRoom = (lane: Lane) =>
    [...running.values()].filter((turn) => turn.lane === lane).length < slots[lane];

  const claimNext = () => {
    const lanes = (["urgent", "command", "message"] as const).filter(hasRoom);
    if (down.signal.aborted || lanes.length === 0) return undefined;
    claims += 1;
    const options = { lanes, max_per_namespace, steady: clock.steady(), running: [...running.keys()] };
    return log.claim(`${owner}:${claims}`, clock.now(), lease_ms, options);
  };

  const pump = async (by: Runner) => {
    do {
      again = false;
      for (let claimed = await claimNext(); claimed !== undefined; claimed = await claimNext())
        startTurn(claimed, by);
    } while (again && !down.signal.aborted);
    await setAlarm();
  };

  const wake = () => {
    if (down.signal.aborted || runner === undefined) return;
    again = true;
    pumping ??= pump(runner)
      .catch((error: unknown) => {
        logger.error({ err: error }, "The turn log cannot be read; trying again in a moment");
        wakeAfter(brokenLogPause);
      })
      .finally(() => {
        pumping = undefined;
        if (again) wake();
      });
  };

  const wakeAfter = (ms: number) => {
    cancelAlarm();
    cancelAlarm = clock.after(ms, wake);
  };

  const setAlarm = async () => {
    const ms = await log.untilDue(clock.now(), clock.steady());
    if (ms !== undefined) wakeAfter(Math.max(50, ms));
  };

  /** Stores after `ms` what the log is to know, and tries again until it does. Answers what calls it off. */
  const tellLogAfter = (ms: number, tell: () => Promise<void>) => {
    let cancel = () => {};
    const schedule = (after: number) => {
      cancel = clock.after(after, () =>
        tell().then(wake, (error: unknown) => {
          logger.error({ err: error }, "The turn log cannot be written; trying again in a moment");
          if (!down.signal.aborted) schedule(brokenLogPause);
        }),
      );
    };
    schedule(ms);
    return () => cancel();
  };

  const startTurn = (claimed: ClaimedTurn, by: Runner) => {
    const { turn_id, lease, inbound, trial_ms } = claimed;
    const controller = new AbortController();
    const cancelTrial =
      trial_ms === undefined ? () => {} : tellLogAfter(trial_ms, () => log.clear(turn_id, lease));
    const done = runOne(claimed, by, controller).finally(() => {
      cancelTrial();
      running.delete(turn_id);
      wake();
    });
    running.set(turn_id, { lane: laneOf(inbound), lease, controller, done });
    keepLeases();
  };

  const runOne = async (claimed: ClaimedTurn, by: Runner, controller: AbortController) => {
    const cancel = clock.after(by.deadlineOf(claimed) - clock.now(), () =>
      controller.abort(new DeadlineError("The turn reached its time limit")),
    );
    const writer = createTurnWriter(deps, claimed);
    try {
      const signals = await log.signals(claimed.turn_id);
      if (signals.some((signal) => signal.type === "stop")) controller.abort(new StopRequested("Stopped"));
      await record(by.run(claimed, controller.signal), controller, writer);
    } catch (error) {
      controller.abort(error);
      if (!isGivenUp(error)) await interrupted(claimed, writer, error);
    } finally {
      cancel();
    }
    if (controller.signal.reason instanceof ShuttingDown) await handOver(claimed, writer);
  };

  /** Writes the turn's events until it ends, or until this worker has to give it up. */
  const record = async (
    events: AsyncGenerator<TurnEventBody, void>,
    { signal }: AbortController,
    writer: TurnWriter,
  ) => {
    for await (const event of events) {
      if (isGivenUp(signal.reason)) return;
      await writer.write(event);
    }
  };

  /** The turn is tried again after a while. A run that failed by itself, with a log that works, counts against it. */
  const interrupted = async ({ turn_id, lease }: ClaimedTurn, writer: TurnWriter, error: unknown) => {
    logger.error({ err: error, turn_id }, "A turn was interrupted; it is kept and taken up again");
    const message = `This is kept, and answered later: ${errorText(error)}`;
    writer.show({ type: "error", code: "interrupted", message });
    await log
      .release(turn_id, lease, clock.steady() + lease_ms, !writer.broken())
      .catch(untilLeaseEnds(turn_id));
  };

  /** The next start goes on with the turn; nothing is wrong with it. */
  const handOver = async ({ turn_id, lease }: ClaimedTurn, writer: TurnWriter) => {
    await writer
      .flush()
      .then(() => log.release(turn_id, lease, 0))
      .catch(untilLeaseEnds(turn_id));
  };

  const untilLeaseEnds = (turn_id: string) => (error: unknown) => {
    if (!isGivenUp(error))
      logger.warn({ err: error, turn_id }, "A turn could not be given back; it goes on when its lease ends");
  };

  /** Renews the leases of running turns, and drops turns that another worker now owns. */
  const keepLeases = () => {
    if (keepingLeases) return;
    keepingLeases = true;
    clock.after(lease_ms / 3, async () => {
      keepingLeases = false;
      if (running.size === 0) return;
      keepLeases();
      try {
        const leases = [...running].map(([turn_id, { lease }]) => ({ turn_id, lease }));
        const lost = new Set(await log.renew(leases, clock.steady(), lease_ms));
        for (const { turn_id, lease } of leases.filter((one) => lost.has(one.turn_id))) {
          const turn = running.get(turn_id);
          // It may have ended meanwhile, and run again under another lease.
          if (turn?.lease === lease) turn.controller.abort(new LeaseLostError(turn_id));
        }
      } catch (error) {
        logger.error({ err: error }, "Leases could not be renewed");
      }
    });
  };

  return {
    serve(by) {
      runner = by;
    },
    start() {
      cancelSettling = tellLogAfter(settledAfter, () => log.settle());
      wake();
    },
    wake,
    running: () => running.size,
    abort(turnId) {
      const turn = running.get(turnId);
      turn?.controller.abort(new StopRequested("Stopped"));
      return turn !== undefined;
    },
    async stop(drainMs) {
      down.abort();
      cancelAlarm();
      cancelSettling();
      await pumping;
      await log.leave().catch((error: unknown) => {
        logger.warn(
          { err: error },
          "That the bot stops could not be stored; its next start takes it for a crash",
        );
      });
      const all = Promise.all([...running.values()].map((turn) => turn.done));
      const patience = new AbortController();
      await Promise.race([all, clock.sleep(drainMs, patience.signal).catch(() => {})]);
      patience.abort();
      for (const turn of running.values()) turn.controller.abort(new ShuttingDown("The bot is stopping"));
      await all;
    },
  };
}
