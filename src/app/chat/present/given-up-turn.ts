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
