import type { SocketModeReceiver } from "@slack/bolt";
import { backoff } from "../../../base/backoff.ts";
import { unlessLate } from "../../../base/time-limit.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import { slackCall } from "./slack-call.ts";

type SocketClient = SocketModeReceiver["client"];

/** A Socket Mode connection that comes back by itself. */
export interface SocketLine {
  /** Runs until the signal; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SocketLineDeps {
  client: SocketClient;
  clock: Clock;
  logger: Log;
  /** The line stands; also after each time it was lost. */
  connected(): void;
  /** The line is gone, with the error if it could not be opened. */
  lost(error: unknown): void;
}

const waits = { minMs: 500, maxMs: 60_000 };
/** A line that stood this long was good: the next one is opened at once. */
const goodAfter = 10_000;
/** Longest wait for Slack to take leave, ms. */
const farewell = 2_000;

/**
 * Reconnecting is ours, and switched off in the SDK (5.1): its own attempt rejects without a handler when Slack cannot be
 * reached at that moment, and it gives up for good on lost network.
 */
export function createSocketLine({ client, clock, logger, connected, lost }: SocketLineDeps): SocketLine {
  const leave = () =>
    unlessLate(farewell, clock, client.disconnect()).catch((error: unknown) =>
      logger.debug({ err: error }, "the Slack socket was closed rudely"),
    );
  /** Opens the line, and resolves when it is gone. */
  const stand = async (signal: AbortSignal): Promise<void> => {
    const gone = Promise.withResolvers<"gone">();
    const over = () => gone.resolve("gone");
    client.once("disconnected", over);
    signal.addEventListener("abort", over, { once: true });
    try {
      const started = slackCall("open a connection", () => client.start());
      const first = await Promise.race([started, gone.promise]);
      if (first !== "gone") connected();
      // What opens after the end is closed again.
      else if (signal.aborted) void started.then(leave, () => {});
      await gone.promise;
    } finally {
      client.removeListener("disconnected", over);
      signal.removeEventListener("abort", over);
    }
  };
  return {
    async run(signal) {
      let failures = 0;
      while (!signal.aborted) {
        const since = clock.now();
        let failure: unknown;
        try {
          await stand(signal);
        } catch (error) {
          failure = error;
          logger.debug({ err: error }, "the Slack socket could not be opened");
        }
        if (signal.aborted) break;
        lost(failure);
        failures = clock.now() - since > goodAfter ? 1 : failures + 1;
        await clock.sleep(backoff(failures, waits), signal).catch(() => {});
      }
      await leave();
    },
  };
}
