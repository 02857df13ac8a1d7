import type { ChatPlatform, Decider } from "../ports/chat-platform.ts";
import type { Place } from "../values/place.ts";

/** How many of them are looked up by name. */
const mostNamed = 5;

/** Somebody who may decide, as people call them; without a name where it is not known. */
export interface NamedDecider extends Decider {
  name?: string | undefined;
}

/** People who may decide what asks for this approver in the place, but for one; those who see it first. Never throws. */
export async function namedDeciders(
  platform: ChatPlatform | undefined,
  place: Place,
  approver: "manager" | "operator",
  without: string,
): Promise<NamedDecider[]> {
  const found = (await platform?.deciders?.(place, approver)) ?? [];
  return Promise.all(
    found
      .filter(({ id }) => id !== without)
      .map(async (each, index) =>
        index < mostNamed ? { ...each, name: await nameOf(platform, place, each.id) } : each,
      ),
  );
}

async function nameOf(
  platform: ChatPlatform | undefined,
  place: Place,
  id: string,
): Promise<string | undefined> {
  try {
    return (await platform?.person(place, id))?.name;
  } catch {
    return undefined;
  }
}

/** Some of them, and how many more there are: `Ann, Ben or 3 others`. */
export function anyOf(some: readonly string[], more: number): string {
  const all = more === 0 ? some : [...some, more === 1 ? "1 other" : `${more} others`];
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} or ${last}`;
}
