import type { Place } from "../../../core/values/place.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import type { PersonDirectory } from "./person-directory.ts";
import { targetOf } from "./slack-place.ts";

/** A place as the Web API addresses it. */
export interface Room {
  team: string;
  channel: string;
  /** `ts` of the thread; undefined in the channel itself. */
  thread?: string | undefined;
  direct: boolean;
}

/** Shared by the parts of the platform. */
export interface SlackContext {
  workspaces: Workspaces;
  directory: PersonDirectory;
}

/** The channel of a place; opens the direct messages with a person if their channel is not known yet. @throws PlatformError */
export async function roomOf({ directory }: SlackContext, place: Place): Promise<Room> {
  const target = targetOf(place);
  const channel = target.channel ?? (await directory.directChannel(target.team, target.person));
  return { team: target.team, channel, thread: target.thread, direct: target.channel === undefined };
}
