import { type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { RolesOf } from "../../core/skill/skill-identifier.ts";

/**
 * The current roles of a person on the platform. Empty without a platform, or while it does not answer; rights by role then do not apply.
 */
export function createRolesOf(platforms: ChatPlatforms): RolesOf {
  return async (place, person) => {
    try {
      return (await platforms.of(place.namespace)?.person(place, person))?.roles ?? [];
    } catch (error) {
      if (error instanceof PlatformError) return [];
      throw error;
    }
  };
}
