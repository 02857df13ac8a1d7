import type { App } from "../../src/app/app.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";

/** Maximum wait for anything that should happen, ms, unless told: less than a test may take, so that its failure says what did not come. */
const patienceMs = 40_000;

/**
 * What `work` answers. The signal ends what it listens to. @throws Error that names `what` after so many ms, even if the work takes
 * the signal for a proper end.
 */
export async function within<T>(
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  ms = patienceMs,
): Promise<T> {
  const over = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`Waited ${ms} ms in vain for ${what}`));
    over.abort();
  }, ms);
  try {
    return await Promise.race([late.promise, work(over.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The events of a turn from after a number until its end or until the signal, live ones included. @throws Error after so many ms in
 * which it has not ended, or if there is no such turn
 */
export async function* follow(
  app: Pick<App, "events">,
  turnId: string,
  {
    after = -1,
    ms = patienceMs,
    until,
  }: { after?: number; ms?: number; until?: AbortSignal | undefined } = {},
): AsyncGenerator<TurnEvent> {
  const late = AbortSignal.timeout(ms);
  const signal = until === undefined ? late : AbortSignal.any([late, until]);
  const events = await app.events(turnId, after, signal);
  if (events === undefined) throw new Error(`no turn ${turnId}`);
  let last: TurnEvent | undefined;
  for await (const event of events) {
    last = event;
    yield event;
  }
  if (late.aborted && until?.aborted !== true && last?.type !== "turn_finished")
    throw new Error(`Waited ${ms} ms in vain for the end of ${turnId}, after ${JSON.stringify(last)}`);
}
