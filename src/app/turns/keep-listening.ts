import type { Clock, Log } from "../../core/ports/storage.ts";

/** Time until it is tried again, ms. */
const pauseMs = 5_000;

/** Listens to other processes; while that fails, it is tried again. Returns a function that ends it. */
export function keepListening(
  listen: () => Promise<() => Promise<void>>,
  { clock, logger }: { clock: Clock; logger: Pick<Log, "error"> },
): () => Promise<void> {
  const over = new AbortController();
  const attempt = async (): Promise<(() => Promise<void>) | undefined> => {
    while (!over.signal.aborted) {
      try {
        return await listen();
      } catch (error) {
        logger.error({ err: error }, "The database cannot be listened to; trying again in a moment");
        await clock.sleep(pauseMs, over.signal).catch(() => {});
      }
    }
    return undefined;
  };
  const listening = attempt();
  return async () => {
    over.abort();
    await (await listening)?.();
  };
}
