interface Actions {
  stop(turnId: string): void;
  /** Empties the input line. False if nothing was typed. */
  clear(): boolean;
  warn(): void;
}

/**
 * Ctrl-C: it stops the running turn, otherwise empties the input line, otherwise asks for a second Ctrl-C, which leaves the chat. A
 * second one while a turn is stopping leaves at once.
 */
export function createInterrupts(act: Actions) {
  const left = new AbortController();
  let running: { turnId: string; stopping: boolean; watch: AbortController } | undefined;
  let warned = false;
  const leave = () => {
    running?.watch.abort();
    left.abort();
  };
  return {
    /** Aborts when the person leaves. */
    left: left.signal,
    press() {
      if (running !== undefined) {
        if (running.stopping) return leave();
        running.stopping = true;
        return act.stop(running.turnId);
      }
      if (act.clear()) return;
      if (warned) return leave();
      warned = true;
      act.warn();
    },
    /** A turn is shown; the signal aborts when the person stops watching it. */
    begin(turnId: string): AbortSignal {
      running = { turnId, stopping: false, watch: new AbortController() };
      return running.watch.signal;
    },
    end() {
      running = undefined;
    },
    /** Something was sent: the next Ctrl-C counts as the first again. */
    forget() {
      warned = false;
    },
  };
}
