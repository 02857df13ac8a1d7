import type { ChatActions } from "../../core/ports/chat-actions.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { isDirectMessage, placeLine } from "../../core/values/place.ts";
import type { WhereText } from "../../core/values/profile.ts";
import type { PlaceDescriber } from "../reading/place-description.ts";

let orList: Intl.ListFormat | undefined;

/** The limits of the agent on a platform, as the end of a sentence that begins with “You cannot”. */
function cannotOn(actions: ChatActions | undefined): string {
  if (actions === undefined) return "see other channels and threads, post elsewhere, or react to messages";
  const missing = [
    ...(actions.people === undefined ? ["look up or notify people"] : []),
    ...(actions.react === undefined ? ["react"] : []),
    ...(actions.pin === undefined ? ["pin"] : []),
    ...(actions.posts ? [] : ["post elsewhere"]),
    ...(actions.people === undefined ? [] : ["notify everyone at once", "act where you were not invited"]),
  ];
  orList ??= new Intl.ListFormat("en", { type: "disjunction" });
  return orList.format(missing);
}

/**
 * Describes the place of a message for the instructions, in the same words for all messages of a channel. In a direct message the
 * person is part of the place.
 */
export function createWhere(
  describer: PlaceDescriber,
  botName: string,
  actionsOf: (namespace: string) => ChatActions | undefined,
): (inbound: Pick<Inbound, "namespace" | "author">) => Promise<WhereText> {
  return async ({ namespace, author }) => {
    const person = isDirectMessage(namespace) ? author : undefined;
    const { formatting, mentions } = describer.writing({ namespace });
    const description = await describer.describe({ namespace });
    return {
      place: placeLine(description, { bot: botName, person }),
      unnamed: description.kind === "channel" && description.name === undefined ? true : undefined,
      formatting: `${formatting} ${mentions}`,
      cannot: cannotOn(actionsOf(namespace)),
    };
  };
}
