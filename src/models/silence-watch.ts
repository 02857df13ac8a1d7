/** Gives a request up when its server says nothing for too long, or when the caller no longer wants it. */
export interface SilenceWatch {
  /** Aborts on silence, and with the caller's signal. */
  readonly signal: AbortSignal;
  /** Whether the server was silent for too long. */
  expired(): boolean;
  /** The server said something. */
  heard(): void;
  /** From now until `heard` it is the reader who takes the time, not the server. */
  pause(): void;
  /** Ends the watch. It aborts nothing: a finished request's connection is used again. */
  release(): void;
}

/** @param longestMs milliseconds without a sign of the server, the wait for its first one included. */
export function watchSilence(caller: AbortSignal, longestMs: number): SilenceWatch {
  const controller = new AbortController();
  let paused = false;
  let expired = false;
  const abort = () => controller.abort(caller.reason);
  const timer = setTimeout(() => {
    if (paused) {
      timer.refresh();
      return;
    }
    expired = true;
    controller.abort();
  }, longestMs);
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    heard: () => {
      paused = false;
      timer.refresh();
    },
    pause: () => {
      paused = true;
    },
    release: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", abort);
    },
  };
}
