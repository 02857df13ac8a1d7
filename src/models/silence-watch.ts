export type SilenceWatch = ReturnType<typeof watchSilence>;

/**
 * Aborts a request when its model is silent for too long, or when the caller aborts. A server that only keeps the connection open is given
 * the longer time in the middle of an answer too, since a model may think for long.
 * @param maxMs maximum silence, ms
 * @param firstMs maximum wait for the first sign of the model, ms
 */
export function watchSilence(caller: AbortSignal, maxMs: number, firstMs = maxMs) {
  const controller = new AbortController();
  let paused = false;
  let heard = false;
  let kept = false;
  // Compared when the timer ends: starting it again at each sign would cost more.
  let last = performance.now();
  let expired: { ms: number; heard: boolean } | undefined;
  let timer: NodeJS.Timeout;
  const abort = () => controller.abort(caller.reason);
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      const limit = heard && !kept ? maxMs : firstMs;
      const left = paused ? limit : last + limit - performance.now();
      if (left > 0) {
        wait(left);
        return;
      }
      expired = { ms: limit, heard: limit === maxMs && heard };
      controller.abort();
    }, ms);
  };
  wait(firstMs);
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  return {
    /** Aborts on silence, and with the caller's signal. */
    signal: controller.signal,
    /** The silence that exceeded the limit, if any: its length, and whether the server had sent something before. */
    expired: () => expired,
    /** Notes that the model sent something, or that its server only keeps the connection open. */
    heard: (byModel = true) => {
      kept = !byModel;
      if (kept) return;
      paused = false;
      last = performance.now();
      if (heard) return;
      heard = true;
      clearTimeout(timer);
      wait(maxMs);
    },
    /** Pauses the watch until `heard`, while the reader is busy. */
    pause: () => {
      paused = true;
    },
    /** Ends the watch without aborting: the connection of a finished request is reused. */
    release: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", abort);
    },
  };
}
