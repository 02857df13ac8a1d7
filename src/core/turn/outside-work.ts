import type { ToolContext, ToolResult } from "../skill/tool.ts";
import { WaitingForPerson } from "../values/waiting.ts";
import type { OutsideCall, OutsideStep } from "./parked-calls.ts";

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
