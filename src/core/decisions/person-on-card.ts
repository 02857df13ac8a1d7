import type { ChatActions, KnownPerson } from "../ports/chat-actions.ts";
import { PlatformError } from "../ports/chat-platform.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { isCalled, labelOf, mentioned, wordsOf } from "../values/label.ts";

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
