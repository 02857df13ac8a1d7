/** How cards of approvals name people: those whom a card is about, and those who may decide it. */

import type { ChatActions, KnownPerson } from "../ports/chat-actions.ts";
import { type ChatPlatform, type Decider, PlatformError } from "../ports/chat-platform.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { isCalled, labelOf, mentioned, wordsOf } from "../values/label.ts";
import type { Place } from "../values/place.ts";

/** Maximum people of one name that are counted. */
const maxNamesakes = 50;

const standings = { guest: "a guest", outsider: "from another company", bot: "a bot" };

type Named = Pick<KnownPerson, "id" | "name" | "full_name" | "standing">;

/**
 * A person on a card, in words that nobody else can take: `"Ben" <@U2BEN> (a guest; 1 other is called so)`. People choose their names, so the
 * mention says who it is, and the brackets what a reader could miss. Without a directory, there is only the mention.
 */
export async function personOnCard({ turn, ports }: TurnScope, person: Named): Promise<string> {
  const { id, name } = person;
  const { namespace } = turn.place;
  const alike = await peopleLike(ports.chats.actions(namespace), namespace, turn.author.id, person);
  const others = alike.filter((each) => each.id !== id && isCalled(each, name)).length;
  const { standing, full_name = name } = alike.find((each) => each.id === id) ?? person;
  const notes = [
    ...(standing === undefined ? [] : [standings[standing]]),
    ...(others === 0 ? [] : [others === 1 ? "1 other is called so" : `${others} others are called so`]),
  ];
  const full = full_name === name ? "" : `"${labelOf(full_name)}", `;
  return `${full}${mentioned(name, id)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** A directory that does not answer hides neither the question nor whom it is about. */
async function peopleLike(
  actions: ChatActions | undefined,
  namespace: string,
  asker: string,
  { id, name }: Named,
): Promise<readonly KnownPerson[]> {
  try {
    const queries = [wordsOf(name), id].filter(Boolean);
    const found = await Promise.all(
      queries.map((words) => actions?.people?.(namespace, { words, asker, most: maxNamesakes })),
    );
    return [...new Map(found.flatMap((each) => each?.people ?? []).map((each) => [each.id, each])).values()];
  } catch (error) {
    if (error instanceof PlatformError) return [];
    throw error;
  }
}

/** Maximum people whose names are looked up. */
const maxNamedDeciders = 5;

/** A person who may decide, with their name if it is known. */
export interface NamedDecider extends Decider {
  name?: string | undefined;
}

/** People who may decide a request for this approver in the place, except for one; those who see the place come first. Never throws. */
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
        index < maxNamedDeciders ? { ...each, name: await nameOf(platform, place, each.id) } : each,
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

/** Some names, and the number of others: `Ann, Ben or 3 others`. */
export function anyOf(some: readonly string[], more: number): string {
  const all = more === 0 ? some : [...some, more === 1 ? "1 other" : `${more} others`];
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} or ${last}`;
}
