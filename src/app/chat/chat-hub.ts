import { type ChatPlatform, PlatformError } from "../../core/ports/chat-platform.ts";
import type { Meter } from "../../core/ports/model.ts";
import type { ChatIntake } from "./chat-intake.ts";

/** A platform's line to the outside, as the composition root starts and stops it. */
export interface ChatConnection {
  /** `slack`, `discord`. */
  readonly id: string;
  /** Begins to connect and keeps trying. Never rejects: what is wrong is logged and told by `status`. */
  start(): void;
  /** Takes no more events, waits for those being stored, and disconnects. */
  stop(): Promise<void>;
  /** Whether it is connected, or what is wrong and what to do. */
  status(): { ok: boolean; detail: string };
}

/** Where platforms and the app meet. */
export interface ChatHub {
  /** Registers a platform: turns of its namespaces are shown there. Answers where it hands in what it receives. */
  connect(platform: ChatPlatform): ChatIntake;
}

/** The same platform; what it does not do is counted. */
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
