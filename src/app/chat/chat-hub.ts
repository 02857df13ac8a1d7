import type { ChatIntake } from "./chat-intake.ts";
import type { ChatPlatform } from "./chat-platform.ts";

/** Where platforms and the app meet. */
export interface ChatHub {
  /** Registers a platform: turns of its namespaces are shown there. Answers where it hands in what it receives. */
  connect(platform: ChatPlatform): ChatIntake;
}

/** The platforms of this process, by the namespaces they have. */
export interface ChatPlatforms {
  add(platform: ChatPlatform): void;
  of(namespace: string): ChatPlatform | undefined;
}

export function createChatPlatforms(): ChatPlatforms {
  const platforms = new Map<string, ChatPlatform>();
  return {
    add(platform) {
      platforms.set(platform.id, platform);
    },
    of: (namespace) => platforms.get(namespace.slice(0, namespace.indexOf(":"))),
  };
}
