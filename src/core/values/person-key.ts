import { partsOf } from "./place.ts";

/**
 * What stands for one person wherever they are on their platform: `platform:workspace:user`. The id of a user alone does not: two
 * platforms, and two workspaces of one, may give the same id to different people.
 */
export function personKey(namespace: string, userId: string): string {
  const { platform, workspace } = partsOf(namespace);
  return `${platform}:${workspace}:${userId}`;
}

/**
 * A person as pages outside the chat show them: `Ada (Slack)`.
 * @param place a namespace or a `personKey`: what begins with the platform
 */
export function shownPerson(place: string, name: string): string {
  const { platform } = partsOf(place);
  return `${name} (${platform.slice(0, 1).toUpperCase()}${platform.slice(1)})`;
}
