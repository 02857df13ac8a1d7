import type { Clock } from "../../core/clock.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { TurnLog } from "../../core/turn-log.ts";
import type { App } from "../app.ts";
import type { Log } from "../log.ts";
import type { ChatIntake } from "./chat-intake.ts";
import type { ChatPlatform } from "./chat-platform.ts";
import type { ChatPolicy } from "./chat-policy.ts";

export interface ChatIntakeDeps {
  app: App;
  platform: ChatPlatform;
  log: TurnLog;
  store: KeyValue;
  clock: Clock;
  logger: Log;
  policy: ChatPolicy;
}

export function createChatIntake({ app }: ChatIntakeDeps): ChatIntake {
  throw new Error(`not there yet for ${app.name}`);
}
