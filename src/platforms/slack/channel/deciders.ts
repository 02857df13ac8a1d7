import { type Decider, PlatformError } from "../../../core/ports/chat-platform.ts";
import { isPersonId, type SlackTarget } from "./slack-place.ts";
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
 * People who may decide in a place, those who are there first. Managers are the channel's creator and who runs the workspace, as far as
 * they are in it. What Slack does not tell now is left out.
 */
export async function decidersOf(
  deps: DecidersDeps,
  target: SlackTarget,
  approver: "manager" | "operator",
): Promise<Decider[]> {
  const { team, channel, person } = target;
  const members =
    channel === undefined
      ? new Set([person])
      : await deps.lists.members(team, channel).catch(nothingOf(new Set<string>()));
  const isManager = approver === "manager";
  // One setting may name the operators of all platforms.
  const ids = isManager ? await managersOf(deps, target) : deps.operators.filter(isPersonId);
  return [...new Set(ids)]
    .map((id) => ({ id, here: members.has(id) }))
    .filter(({ here }) => here || !isManager)
    .toSorted((a, b) => Number(b.here) - Number(a.here))
    .slice(0, mostDeciders);
}

async function managersOf(
  { lists, creatorOf }: DecidersDeps,
  { team, channel }: SlackTarget,
): Promise<string[]> {
  if (channel === undefined) return [];
  const [creator, people] = await Promise.all([
    creatorOf(team, channel).catch(nothingOf("")),
    lists.people(team).catch(nothingOf([])),
  ]);
  const admins = people.filter(({ is_admin, is_owner }) => is_admin === true || is_owner === true);
  return [creator, ...admins.map(({ id = "" }) => id)];
}

function nothingOf<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PlatformError) return nothing;
    throw error;
  };
}
