import { isGivenUp } from "../../turns/given-up.ts";

/** A signal that is aborted only when the turn is left to another worker or the next start; `release` when it is no longer needed. */
export function followGivenUp(signal: AbortSignal): { givenUp: AbortSignal; release(): void } {
  const controller = new AbortController();
  const follow = () => {
    if (isGivenUp(signal.reason)) controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  signal.addEventListener("abort", follow);
  return { givenUp: controller.signal, release: () => signal.removeEventListener("abort", follow) };
}

/** Settles as the work does, or rejects at once when the turn is given up: nobody waits for a platform then. */
export async function orGivenUp<T>(givenUp: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(givenUp.reason);
  if (givenUp.aborted) giveUp();
  givenUp.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    givenUp.removeEventListener("abort", giveUp);
  }
}
