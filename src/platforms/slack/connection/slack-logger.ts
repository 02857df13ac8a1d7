import type { Logger, LogLevel } from "@slack/bolt";
import type { Log } from "../../../core/ports/storage.ts";

/**
 * Slack's own log lines in ours. They are details of the connection: what a person should know is logged by this folder, so
 * errors and warnings of the SDK are `debug` here, and its debug lines, which quote messages and tokens, are dropped.
 */
export function createSlackLogger(logger: Log): Logger {
  const write =
    (level: string) =>
    (...parts: unknown[]) => {
      logger.debug({ slack_sdk: level }, parts.map(String).join(" "));
    };
  return {
    debug: () => {},
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    setLevel: () => {},
    getLevel: () => "warn" as LogLevel,
    setName: () => {},
  };
}
