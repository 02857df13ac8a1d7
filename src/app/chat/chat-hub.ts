import { type ChatPlatform, PlatformError } from "../../core/ports/chat-platform.ts";
import type { Meter } from "../../core/ports/model.ts";
import type { ChatIntake } from "./chat-intake.ts";

/** The connection to a platform, which the composition root starts and stops. */
export interface ChatConnection {
  /** `slack`, `discord`. */
  readonly id: string;
  /**
   * Connects and keeps retrying. Never rejects: problems are logged and reported by `status`. A process that does not receive only sends:
   * it shows turns and answers by the platform's HTTP API, and leaves events, commands and missed messages to other processes.
   */
  start(options: { receives: boolean }): void;
  /** Accepts no more events, waits for those being stored, and disconnects. */
  stop(): Promise<void>;
  /** Whether it works as started; if not, the problem and its remedy. */
  status(): { ok: boolean; detail: string };
}

/** Where platforms and the app meet. */
export interface ChatHub {
  /** Registers a platform: turns of its namespaces are shown there. Returns the intake for its events. */
  connect(platform: ChatPlatform): ChatIntake;
}

/** The same platform, with its failed calls counted. */
export function meteredPlatform(platform: ChatPlatform, meter: Meter): ChatPlatform {
  const failed = (error: unknown) => {
    meter.platformError(platform.id, error instanceof PlatformError ? error.code : "unexpected");
    throw error;
  };
  return new Proxy(platform, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        const answer: unknown = Reflect.apply(member, target, given);
        return answer instanceof Promise ? answer.catch(failed) : answer;
      };
    },
  });
}
