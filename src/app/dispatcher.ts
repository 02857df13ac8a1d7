import type { Clock } from "../core/clock.ts";
import type { Inbound } from "../core/inbound.ts";
import type { Redact } from "../core/redact.ts";
import { DeadlineError } from "../core/turn.ts";
import type { TurnEventBody } from "../core/turn-event.ts";
import { type ClaimedTurn, LeaseLostError, type TurnLog } from "../core/turn-log.ts";
import type { Feed } from "./feed.ts";
import { isGivenUp, ShuttingDown } from "./given-up.ts";
import type { Log } from "./log.ts";
import { createTurnWriter, type TurnWriter } from "./turn-writer.ts";

/** Takes turns from the log and runs them: one line per thread, threads in parallel, commands at once. */
export interface Dispatcher {
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
  /** Message turns at the same time; commands do not count. */
  concurrent: number;
  lease_ms: number;
  owner: string;
  /** Ends of turns, ms since the epoch. */
  deadlineOf(claimed: ClaimedTurn): number;
  run(claimed: ClaimedTurn, signal: AbortSignal): AsyncGenerator<TurnEventBody, void>;
}

/** The reason of an abort by a person. */
class StopRequested extends Error {
  readonly code = "stop_requested";
}

interface RunningTurn {
  kind: Inbound["kind"];
  controller: AbortController;
  done: Promise<void>;
}

/** After the log could not be written, how long until it is tried again. */
const brokenLogPause = 5_000;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { log, clock, logger, owner, lease_ms } = deps;
  const running = new Map<string, RunningTurn>();
  const down = new AbortController();
  let pumping: Promise<void> | undefined;
  let again = false;
  let cancelAlarm = () => {};
  let keepingLeases = false;

  const messages = () => [...running.values()].filter((turn) => turn.kind === "message").length;

  const claimNext = () => {
    const kinds: Inbound["kind"][] = messages() < deps.concurrent ? ["command", "message"] : ["command"];
    return down.signal.aborted ? undefined : log.claim(owner, clock.now(), lease_ms, kinds);
  };

  const pump = async () => {
    do {
      again = false;
      for (let claimed = await claimNext(); claimed !== undefined; claimed = await claimNext())
        start(claimed);
    } while (again && !down.signal.aborted);
    await setAlarm();
  };

  const wake = () => {
    if (down.signal.aborted) return;
    again = true;
    pumping ??= pump()
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
    const due = await log.nextDue();
    if (due !== undefined) wakeAfter(Math.max(50, due - clock.now()));
  };

  const start = (claimed: ClaimedTurn) => {
    const controller = new AbortController();
    const done = runOne(claimed, controller).finally(() => {
      running.delete(claimed.turn_id);
      wake();
    });
    running.set(claimed.turn_id, { kind: claimed.inbound.kind, controller, done });
    keepLeases();
  };

  const runOne = async (claimed: ClaimedTurn, controller: AbortController) => {
    const cancel = clock.after(deps.deadlineOf(claimed) - clock.now(), () =>
      controller.abort(new DeadlineError("The turn reached its time limit")),
    );
    const writer = createTurnWriter(deps, claimed);
    try {
      await record(claimed, controller, writer);
    } catch (error) {
      controller.abort(error);
      if (!isGivenUp(error)) reportInterruption(claimed, writer, error);
    } finally {
      cancel();
    }
  };

  /** Writes the turn's events until it ends, or until this worker has to give it up. */
  const record = async (claimed: ClaimedTurn, controller: AbortController, writer: TurnWriter) => {
    const signals = await log.signals(claimed.turn_id);
    if (signals.some((signal) => signal.type === "stop")) controller.abort(new StopRequested("Stopped"));
    for await (const event of deps.run(claimed, controller.signal)) {
      if (isGivenUp(controller.signal.reason)) return;
      await writer.write(event);
    }
  };

  const reportInterruption = ({ turn_id }: ClaimedTurn, writer: TurnWriter, error: unknown) => {
    logger.error({ err: error, turn_id }, "A turn was interrupted; it is kept and taken up again");
    const message = `This is kept, and answered later: ${error instanceof Error ? error.message : String(error)}`;
    writer.show({ type: "error", code: "interrupted", message });
    wakeAfter(lease_ms);
  };

  /** Renews the leases of everything that runs, for as long as anything does; what another worker has is given up. */
  const keepLeases = () => {
    if (keepingLeases) return;
    keepingLeases = true;
    clock.after(lease_ms / 3, async () => {
      keepingLeases = false;
      if (running.size === 0) return;
      keepLeases();
      try {
        const lost = await log.renew(owner, [...running.keys()], clock.now(), lease_ms);
        for (const turnId of lost) running.get(turnId)?.controller.abort(new LeaseLostError(turnId));
      } catch (error) {
        logger.error({ err: error }, "Leases could not be renewed");
      }
    });
  };

  return {
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
      await pumping;
      const all = Promise.all([...running.values()].map((turn) => turn.done));
      const patience = new AbortController();
      await Promise.race([all, clock.sleep(drainMs, patience.signal).catch(() => {})]);
      patience.abort();
      for (const turn of running.values()) turn.controller.abort(new ShuttingDown("The bot is stopping"));
      await all;
    },
  };
}
