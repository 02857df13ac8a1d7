import type { ChatPerson } from "../../../core/ports/chat-platform.ts";
import type { Trust } from "../../../core/values/inbound.ts";
import { isDirectMessage, type Place, partsOf } from "../../../core/values/place.ts";
import type { ChatPolicy } from "../chat-policy.ts";
import { mayAnswerBot } from "./other-bots.ts";

/** Why a person may not use the bot in a place, and who can change that; undefined when they may. Operators always may. */
export function refusalOf(
  access: ChatPolicy["access"],
  person: Pick<ChatPerson, "id" | "trust" | "standing" | "roles">,
  place: Place,
): string | undefined {
  if (person.trust === "operator") return undefined;
  const reason = placeRefusal(access, person, place.namespace) ?? personRefusal(access, person);
  return reason === undefined ? undefined : `${reason} Nothing was done.`;
}

function placeRefusal(
  access: ChatPolicy["access"],
  { standing, trust }: Pick<ChatPerson, "standing" | "trust">,
  namespace: string,
): string | undefined {
  const { workspace } = partsOf(namespace);
  // Direct messages on Discord belong to no server.
  const isInOne = workspace !== "dm";
  if (isInOne && !access.workspaces.some((each) => each === "*" || each === workspace))
    return `I am not allowed to answer in this workspace${orOperator("access.workspaces", trust)}`;
  if (isDirectMessage(namespace)) {
    const { direct_messages } = access;
    if (direct_messages === "nobody")
      return `I take no direct messages. Ask me in a channel${orOperator("access.direct_messages", trust)}`;
    if (standing === "stranger" && direct_messages === "members")
      return `I take direct messages only from people of a server I am in${orOperator("access.direct_messages", trust)}`;
    return undefined;
  }
  if (isListed(access.channels, namespace)) return undefined;
  return `I am not allowed to answer in this channel${orOperator("access.channels", trust)}`;
}

/** Whether a list of channel ids, namespaces or `*` names this channel. */
export function isListed(channels: readonly string[], namespace: string): boolean {
  const channel = namespace.slice(namespace.lastIndexOf(":") + 1);
  return channels.some((each) => each === "*" || each === channel || each === namespace);
}

function personRefusal(
  access: ChatPolicy["access"],
  { id, trust, standing, roles }: Pick<ChatPerson, "id" | "trust" | "standing" | "roles">,
): string | undefined {
  if (standing === "bot")
    return mayAnswerBot(access, id) ? undefined : `I do not answer bots${orOperator("access.bots", trust)}`;
  if (standing === "outsider" && !access.outsiders)
    return `I do not answer people of other organisations${orOperator("access.outsiders", trust)}`;
  const isGuest = standing === "guest" || (standing === "member" && trust === "guest");
  if (isGuest && !access.guests) return `I do not answer guests${orOperator("access.guests", trust)}`;
  const isListed = access.users.some((each) => each === "*" || each === id);
  if (isListed || roles.some((role) => access.roles.includes(role))) return undefined;
  return `Only some people and roles may use me, and you are not among them${orOperator("access.users", trust)}`;
}

/** Guests and strangers read no name of a setting. */
function orOperator(setting: string, trust: Trust): string {
  const where = trust === "guest" ? "" : ` (\`${setting}\`)`;
  return `; an operator of the bot can change that${where}.`;
}
