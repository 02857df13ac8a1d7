/** Gives a request up when its server says nothing for too long, or when the caller no longer wants it. */
export interface SilenceWatch {
  /** Aborts on silence, and with the caller's signal. */
  readonly signal: AbortSignal;
  /** The silence that was too long, if any: how long it was, and whether the server had said something before. */
  expired(): { ms: number; heard: boolean } | undefined;
  /** The server said something. */
  heard(): void;
  /** From now until `heard` it is the reader who takes the time, not the server. */
  pause(): void;
  /** Ends the watch. It aborts nothing: a finished request's connection is used again. */
  release(): void;
}

/**
 * @param longestMs milliseconds without a sign of the server
 * @param firstMs milliseconds until its first sign; `longestMs` unless told
 */
export function watchSilence(caller: AbortSignal, longestMs: number, firstMs = longestMs): SilenceWatch {
  const controller = new AbortController();
  let paused = false;
  let heard = false;
  let expired: { ms: number; heard: boolean } | undefined;
  let timer: NodeJS.Timeout;
  const abort = () => controller.abort(caller.reason);
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      if (paused) {
        timer.refresh();
        return;
      }
      expired = { ms, heard };
      controller.abort();
    }, ms);
  };
  wait(firstMs);
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    heard: () => {
      paused = false;
      if (heard) {
        timer.refresh();
        return;
      }
      heard = true;
      clearTimeout(timer);
      wait(longestMs);
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
