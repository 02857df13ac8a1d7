import { destination, type LevelWithSilent, type Logger, pino } from "pino";
import type { Redact } from "../core/values/redact.ts";

/** Structured lines on stderr, without secrets. Standard output stays free for what a command prints. */
export function createLogger(level: LevelWithSilent, redact: Redact): Logger {
  const stderr = destination({ dest: 2, sync: true });
  return pino({ level, base: null }, { write: (line: string) => stderr.write(redact(line)) });
}
