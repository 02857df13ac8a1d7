/**
 * What stands for one person wherever they are on their platform: `platform:workspace:user`. The id of a user alone does not: two
 * platforms, and two workspaces of one, may give the same id to different people.
 */
export function personKey(namespace: string, userId: string): string {
  const [platform = "", workspace = ""] = namespace.split(":");
  return `${platform}:${workspace}:${userId}`;
}
