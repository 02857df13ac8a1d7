import type { Inbound } from "../../core/inbound.ts";
import type { WhereText } from "../../core/instructions.ts";
import { isDirectMessage } from "../../core/place.ts";
import { placeLine } from "../../core/place-line.ts";
import type { PlaceDescriber } from "../reading/place-description.ts";

/** What the agent has no tools for, wherever it is. */
const cannot =
  "see or search other channels and threads, post elsewhere, react to messages, or come back later by yourself";

/**
 * Where a message was said, in words for the instructions: the same for all messages of a channel. The person of a direct message
 * is part of the place.
 */
export function createWhere(
  describer: PlaceDescriber,
  botName: string,
): (inbound: Pick<Inbound, "namespace" | "author">) => Promise<WhereText> {
  return async ({ namespace, author }) => {
    const person = isDirectMessage(namespace) ? author.name || author.id : undefined;
    const { formatting, mentions } = describer.writing({ namespace });
    const description = await describer.describe({ namespace });
    return {
      place: placeLine(description, { bot: botName, person }),
      ...(description.kind === "channel" && description.name === undefined ? { unnamed: true } : {}),
      formatting: `${formatting} ${mentions}`,
      cannot,
    };
  };
}
