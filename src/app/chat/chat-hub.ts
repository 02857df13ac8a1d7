import { type ChatPlatform, PlatformError } from "../../core/chat-platform.ts";
import type { Meter } from "../../core/meter.ts";
import type { ChatIntake } from "./chat-intake.ts";

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
