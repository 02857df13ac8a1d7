import {
  type ChatPerson,
  type ChatPlatform,
  type ChatPlatforms,
  PlatformError,
} from "../../core/ports/chat-platform.ts";
import type { Goal, Schedule, Trigger } from "../../core/ports/schedule.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";

/**
 * A person as the platform knows them now. `gone`: why plans of theirs no longer run, a sentence for people. `away`: the platform cannot be
 * asked at the moment.
 */
export type PersonNow = { is: "there"; author: Author } | { is: "gone"; because: string } | { is: "away" };

export interface PeopleDeps {
  platforms: ChatPlatforms;
  /** Why a person may not use the bot in a place; undefined when they may. */
  refusalOf(person: ChatPerson, place: Place): string | undefined;
}

/** People as their platform knows them now: a plan runs with the rights its maker has at that time. */
export interface PeopleNow {
  /** The maker of a plan, and whether they may still have it. */
  maker(
    namespace: string,
    plan: Pick<Schedule | Trigger | Goal, "maker" | "on_platform" | "thread">,
  ): Promise<PersonNow>;
  /** Anyone who did something in a place of a platform. */
  person(place: Place, id: string): Promise<PersonNow>;
}

export function createPeopleNow({ platforms, refusalOf }: PeopleDeps): PeopleNow {
  const look = async (
    place: Place,
    id: string,
    judge: (person: ChatPerson, platform: ChatPlatform) => Promise<string | undefined>,
  ): Promise<PersonNow> => {
    const platform = platforms.of(place.namespace);
    if (platform === undefined) return { is: "away" };
    try {
      const found = await platform.person(place, id);
      const because = refusalOf(found, place) ?? (await judge(found, platform));
      if (because !== undefined) return { is: "gone", because: `${found.name}: ${because}` };
      const { name, trust, time_zone } = found;
      return { is: "there", author: { id, name, trust, ...(time_zone === undefined ? {} : { time_zone }) } };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.isTemporary) return { is: "away" };
      return { is: "gone", because: error.message };
    }
  };
  return {
    person: (place, id) => look(place, id, async () => undefined),
    async maker(namespace, { maker, on_platform, thread }) {
      if (!on_platform) return { is: "there", author: maker };
      return look({ namespace, thread }, maker.id, async ({ id, trust }, { actions }) => {
        if (trust === "guest") return "Guests cannot have schedules, triggers or goals.";
        if (actions === undefined) return undefined;
        const access = await actions.access(namespace, id);
        if (access === undefined) return "They or I can no longer read the channel.";
        return access.write ? undefined : "They or I can no longer write in the channel.";
      });
    },
  };
}
