import type { Clock } from "../ports/storage.ts";
import type { ToolContext, ToolResult } from "../skill/tool.ts";
import { WaitingForPerson } from "../values/failure.ts";

/**
 * A call that runs outside the bot's process, in a sandbox or on a server, and may send requests that need the turn: an approval, a
 * question, a model.
 */
export interface OutsideCall {
  /**
   * Resolves to the next step. A request that was not served completely is returned again. Rejects with the error that made the call fail.
   */
  next(): Promise<OutsideStep>;
  /** Abandons the call. @param reason why the turn was aborted; absent if it did not return */
  cancel(reason?: unknown): void;
}

/** The end of a call, or a request it makes. `serve` throws `WaitingForPerson` when a person has to answer first. */
export type OutsideStep = { done: ToolResult } | { serve: (context: ToolContext) => Promise<void> };

interface Entry {
  call: OutsideCall;
  context: ToolContext | undefined;
  forget: () => void;
}

/**
 * Keeps outside calls alive while their turn waits for a person and has left its worker: when the tool runs again, it continues the same
 * call. A call whose turn does not return is abandoned.
 */
export class ParkedCalls {
  readonly #clock: Pick<Clock, "after">;
  readonly #longestMs: number;
  readonly #parked = new Map<string, Entry>();

  /** @param longestMs maximum time a call stays parked: as long as a question stays open */
  constructor(clock: Pick<Clock, "after">, longestMs: number) {
    this.#clock = clock;
    this.#longestMs = longestMs;
  }

  /** `start` gets a function that returns the current context; undefined while the turn waits. */
  async run(
    context: ToolContext,
    start: (current: () => ToolContext | undefined) => OutsideCall,
  ): Promise<ToolResult> {
    const key = `${context.turn_id} ${context.call_id}`;
    const entry = this.#take(key, context) ?? begin(context, start);
    const cancel = () => entry.call.cancel(context.signal.reason);
    context.signal.addEventListener("abort", cancel, { once: true });
    try {
      context.signal.throwIfAborted();
      return await serve(entry, context);
    } catch (error) {
      if (error instanceof WaitingForPerson) this.#park(key, entry);
      else cancel();
      throw error;
    } finally {
      context.signal.removeEventListener("abort", cancel);
    }
  }

  /** Abandons all parked calls. */
  close(): void {
    for (const { call, forget } of this.#parked.values()) {
      forget();
      call.cancel();
    }
    this.#parked.clear();
  }

  #take(key: string, context: ToolContext): Entry | undefined {
    const entry = this.#parked.get(key);
    if (entry === undefined) return undefined;
    this.#parked.delete(key);
    entry.forget();
    entry.context = context;
    return entry;
  }

  #park(key: string, entry: Entry): void {
    entry.context = undefined;
    entry.forget = this.#clock.after(this.#longestMs, () => {
      this.#parked.delete(key);
      entry.call.cancel();
    });
    this.#parked.set(key, entry);
  }
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
 * Runs `use` with the context of the turn, one request at a time. While the turn waits for a person, `use` is called again at each resume
 * until it no longer rejects with `WaitingForPerson`. Everything it asks people therefore needs a `key`.
 */
export type ServeTurn = <T>(use: (context: ToolContext) => Promise<T>) => Promise<T>;

interface Request {
  use(context: ToolContext): Promise<void>;
  fail(error: unknown): void;
}

/**
 * Makes an outside call of ordinary code. The code keeps running while its turn waits for a person, and asks for the turn's context where
 * it needs it. `signal` is aborted when the call is abandoned, with the reason of the turn's abort if there is one.
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
    cancel(reason = new OutsideWorkStopped()) {
      controller.abort(reason);
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

/** Error of pending requests when their call is abandoned. */
class OutsideWorkStopped extends Error {
  readonly code = "stopped";
  constructor() {
    super("The call was given up.");
  }
}
