import type { Clock } from "../ports/clock.ts";
import type { ToolContext, ToolResult } from "../skill/tool.ts";
import { WaitingForPerson } from "../values/waiting.ts";

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
