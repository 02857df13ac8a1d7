import { destination, type LevelWithSilent, type Logger, pino } from "pino";
import type { Redact } from "../core/values/redact.ts";

/** Structured lines on stderr, without secrets. Standard output stays free for what a command prints. */
export function createLogger(level: LevelWithSilent, redact: Redact): Logger {
  const stderr = destination({ dest: 2, sync: true });
  const write = (line: string) => {
    const logged: unknown = JSON.parse(line);
    const clean = redact(logged);
    // A text is searched as it was, not as it is written in JSON: a secret may have a line break in it.
    return stderr.write(clean === logged ? line : `${JSON.stringify(clean)}\n`);
  };
  return pino({ level, base: null }, { write });
}
