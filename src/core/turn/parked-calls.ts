import type { Clock } from "../ports/storage.ts";
import type { ToolContext, ToolResult } from "../skill/tool.ts";
import { WaitingForPerson } from "../values/failure.ts";

/**
 * A call that runs outside of the bot's process, in a sandbox or a server, and may come back with requests that need the turn:
 * an approval, a question, a model.
 */
export interface OutsideCall {
  /** What comes next. A request that was not served to its end is answered again. Rejects with what made the call fail. */
  next(): Promise<OutsideStep>;
  /** Gives the call up. */
  cancel(): void;
}

/** The end of a call, or something it asks; `serve` throws `WaitingForPerson` when a person has to answer first. */
export type OutsideStep = { done: ToolResult } | { serve: (context: ToolContext) => Promise<void> };

/**
 * Keeps outside calls going while their turn waits for a person and has left its worker: the tool that is run again goes on with
 * the same call. A call that nobody comes back for is given up.
 */
export interface ParkedCalls {
  /** `start` gets a function that answers the context of the moment; undefined while the turn waits. */
  run(
    context: ToolContext,
    start: (current: () => ToolContext | undefined) => OutsideCall,
  ): Promise<ToolResult>;
  /** Gives up all that is parked. */
  close(): void;
}

interface Entry {
  call: OutsideCall;
  context: ToolContext | undefined;
  forget: () => void;
}

/** @param longest_ms how long a call stays parked: as long as a question stays open */
export function createParkedCalls(clock: Pick<Clock, "after">, longest_ms: number): ParkedCalls {
  const parked = new Map<string, Entry>();

  const take = (key: string, context: ToolContext): Entry | undefined => {
    const entry = parked.get(key);
    if (entry === undefined) return undefined;
    parked.delete(key);
    entry.forget();
    entry.context = context;
    return entry;
  };
  const park = (key: string, entry: Entry): void => {
    entry.context = undefined;
    entry.forget = clock.after(longest_ms, () => {
      parked.delete(key);
      entry.call.cancel();
    });
    parked.set(key, entry);
  };

  return {
    async run(context, start) {
      const key = `${context.turn_id} ${context.call_id}`;
      const entry = take(key, context) ?? begin(context, start);
      const cancel = () => entry.call.cancel();
      context.signal.addEventListener("abort", cancel, { once: true });
      try {
        context.signal.throwIfAborted();
        return await serve(entry, context);
      } catch (error) {
        if (error instanceof WaitingForPerson) park(key, entry);
        else entry.call.cancel();
        throw error;
      } finally {
        context.signal.removeEventListener("abort", cancel);
      }
    },
    close() {
      for (const { call, forget } of parked.values()) {
        forget();
        call.cancel();
      }
      parked.clear();
    },
  };
}

function begin(context: ToolContext, start: (current: () => ToolContext | undefined) => OutsideCall): Entry {
  const holder: { context: ToolContext | undefined } = { context };
  const call = start(() => holder.context);
  return Object.assign(holder, { call, forget: () => {} });
}

async function serve({ call }: Entry, context: ToolContext): Promise<ToolResult> {
  for (;;) {
    const step = await call.next();
    if ("done" in step) return step.done;
    await step.serve(context);
  }
}

/**
 * Does something with the context of the turn, one thing at a time. While the turn waits for a person `use` is called again each
 * time it comes back, until it no longer rejects with `WaitingForPerson`; so what it asks people needs a `key`.
 */
export type ServeTurn = <T>(use: (context: ToolContext) => Promise<T>) => Promise<T>;

interface Request {
  use(context: ToolContext): Promise<void>;
  fail(error: unknown): void;
}

/**
 * An outside call made of ordinary code: it goes on while its turn waits for a person, and asks for the turn where it needs it.
 * `signal` is aborted when the call is given up.
 */
export function createOutsideWork(
  work: (serve: ServeTurn, signal: AbortSignal) => Promise<ToolResult>,
): OutsideCall {
  const controller = new AbortController();
  const { signal } = controller;
  const requests: Request[] = [];
  let wake = Promise.withResolvers<void>();

  const serve: ServeTurn = <T>(use: (context: ToolContext) => Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (signal.aborted) reject(signal.reason);
    requests.push({ use: async (context) => resolve(await use(context)), fail: reject });
    wake.resolve();
    return promise;
  };
  const outcome = work(serve, signal).then(
    (result): OutsideStep => ({ done: result }),
    (error: unknown) => ({ failed: error }),
  );

  return {
    async next(): Promise<OutsideStep> {
      for (;;) {
        const [request] = requests;
        if (request !== undefined) return stepFor(request, () => requests.shift());
        wake = Promise.withResolvers();
        const ended = await Promise.race([outcome, wake.promise]);
        if (ended === undefined) continue;
        if ("failed" in ended) throw ended.failed;
        return ended;
      }
    },
    cancel() {
      controller.abort(new OutsideWorkStopped());
      for (const { fail } of requests.splice(0)) fail(signal.reason);
    },
  };
}

function stepFor(request: Request, done: () => void): OutsideStep {
  return {
    async serve(context) {
      try {
        await request.use(context);
      } catch (error) {
        if (error instanceof WaitingForPerson) throw error;
        request.fail(error);
      }
      done();
    },
  };
}

/** What waiting work of a call that was given up rejects with. */
class OutsideWorkStopped extends Error {
  readonly code = "stopped";
  constructor() {
    super("The call was given up.");
  }
}
