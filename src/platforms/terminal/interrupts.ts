export interface Interrupts {
  /** Aborts when the person leaves. */
  readonly left: AbortSignal;
  /** Ctrl-C, with the text that stood in the input line. */
  press(line: string): void;
  /** A turn begins to be watched; the signal aborts when watching must end before the turn does. */
  begin(turnId: string): AbortSignal;
  end(): void;
  /** Something was sent: the next Ctrl-C is a first one again. */
  forget(): void;
}

/**
 * What Ctrl-C means: it stops the turn that runs, else empties the input line, else asks for one more, which leaves. A second
 * one while a turn stops leaves at once.
 */
export function createInterrupts(act: {
  stop(turnId: string): void;
  empty(): void;
  warn(): void;
}): Interrupts {
  const left = new AbortController();
  let running: { turnId: string; stopping: boolean; watch: AbortController } | undefined;
  let warned = false;
  const leave = () => {
    running?.watch.abort();
    left.abort();
  };
  return {
    left: left.signal,
    press(line) {
      if (running !== undefined) {
        if (running.stopping) return leave();
        running.stopping = true;
        return act.stop(running.turnId);
      }
      if (line !== "") return act.empty();
      if (warned) return leave();
      warned = true;
      act.warn();
    },
    begin(turnId) {
      running = { turnId, stopping: false, watch: new AbortController() };
      return running.watch.signal;
    },
    end() {
      running = undefined;
    },
    forget() {
      warned = false;
    },
  };
}
