/** People as their platform knows them now: a plan runs with the rights its maker has at that time. */
import { type ChatPerson, type ChatPlatform, PlatformError } from "../../core/ports/chat-platform.ts";
import type { Plan } from "../../core/ports/schedules.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { Planning } from "./planning.ts";

/**
 * A person as the platform knows them now. `gone`: why plans of theirs no longer run, a sentence for people. `away`: the platform cannot be
 * asked at the moment.
 */
export type PersonNow = { is: "there"; author: Author } | { is: "gone"; because: string } | { is: "away" };

/** Anyone who did something in a place of a platform. @param judge why this person may not have a plan; undefined when they may */
export async function personNow(
  { platforms, refusalOf }: Planning,
  place: Place,
  id: string,
  judge = async (_person: ChatPerson, _platform: ChatPlatform): Promise<string | undefined> => undefined,
): Promise<PersonNow> {
  const platform = platforms.of(place.namespace);
  if (platform === undefined) return { is: "away" };
  try {
    const found = await platform.person(place, id);
    const because = refusalOf(found, place) ?? (await judge(found, platform));
    if (because !== undefined) return { is: "gone", because: `${found.name}: ${because}` };
    const { name, trust, time_zone } = found;
    return { is: "there", author: { id, name, trust, time_zone } };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.isTemporary) return { is: "away" };
    return { is: "gone", because: error.message };
  }
}

/** The maker of a plan, and whether they may still have it. */
export async function makerNow(
  planning: Planning,
  namespace: string,
  { maker, on_platform, thread }: Pick<Plan, "maker" | "on_platform" | "thread">,
): Promise<PersonNow> {
  if (!on_platform) return { is: "there", author: maker };
  return personNow(planning, { namespace, thread }, maker.id, async ({ id, trust }, { actions }) => {
    if (trust === "guest") return "Guests cannot have schedules, triggers or goals.";
    if (actions === undefined) return undefined;
    const access = await actions.access(namespace, id);
    if (access === undefined) return "They or I can no longer read the channel.";
    return access.write ? undefined : "They or I can no longer write in the channel.";
  });
}
