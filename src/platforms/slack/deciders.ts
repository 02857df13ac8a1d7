import { PlatformError } from "../../core/chat-platform.ts";
import type { SlackTarget } from "./slack-place.ts";
import type { WorkspaceLists } from "./workspace-lists.ts";

/** As many as are told who may decide. */
const mostDeciders = 20;

interface DecidersDeps {
  lists: WorkspaceLists;
  /** Configured, for all workspaces. */
  operators: readonly string[];
  creatorOf(team: string, channel: string): Promise<string>;
}

/**
 * Ids of people who may decide in a place, those who are in the channel first. Managers are its creator and who runs the workspace, as far
 * as they are in it. What Slack does not tell now is left out.
 */
export async function decidersOf(
  { lists, operators, creatorOf }: DecidersDeps,
  { team, channel }: SlackTarget,
  approver: "manager" | "operator",
): Promise<string[]> {
  const isManager = approver === "manager";
  if (channel === undefined) return isManager ? [] : operators.slice(0, mostDeciders);
  const members = await lists.members(team, channel).catch(nothingOf(new Set<string>()));
  const isHere = (id: string) => members.has(id);
  if (!isManager) {
    const away = operators.filter((id) => !isHere(id));
    return [...operators.filter(isHere), ...away].slice(0, mostDeciders);
  }
  const [creator, people] = await Promise.all([
    creatorOf(team, channel).catch(nothingOf("")),
    lists.people(team).catch(nothingOf([])),
  ]);
  const admins = people.filter(({ is_admin, is_owner }) => is_admin === true || is_owner === true);
  const ids = [creator, ...admins.map(({ id = "" }) => id)];
  return [...new Set(ids)].filter(isHere).slice(0, mostDeciders);
}

function nothingOf<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PlatformError) return nothing;
    throw error;
  };
}
