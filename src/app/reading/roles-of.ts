import { type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { RolesOf } from "../../core/skill/skill-identifier.ts";

/** Roles as the platform knows them now. None where there is no platform, or while it does not tell: then a right by role is not given. */
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
