import type { ChatPlatforms } from "../../../core/chat-platform.ts";
import type { Clock } from "../../../core/clock.ts";
import type { FileStore } from "../../../core/file-store.ts";
import type { KeyValue } from "../../../core/key-value.ts";
import type { Log } from "../../../core/log.ts";
import type { Redact } from "../../../core/redact.ts";
import type { TurnLog } from "../../../core/turn-log.ts";
import type { ChatPolicy } from "../chat-policy.ts";

/** What showing turns on chat platforms needs. */
export interface TurnPresenterDeps {
  log: Pick<TurnLog, "read" | "signals" | "steering">;
  /** How long a question stays open, ms. */
  question_ms: number;
  platforms: ChatPlatforms;
  store: KeyValue;
  clock: Clock;
  redact: Redact;
  logger: Log;
  chat: ChatPolicy;
  /** The name people call the bot by. */
  name: string;
  /** Where the files are that tools made; without it they are only named. */
  files?: FileStore | undefined;
}
