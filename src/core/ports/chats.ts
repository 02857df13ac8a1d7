import type { Author } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";
import type { ChatActions, FoundMessages, MessageQuery } from "./chat-actions.ts";
import type { MessageTag, OutgoingMessage } from "./chat-platform.ts";

/** A message of the bot, and whose turn it was made in. */
interface OwnMessage {
  turn_id: string;
  /** Platform id of the person the turn was for. */
  author: string;
  /** It is part of the turn's answer, rather than sent beside it. */
  answer: boolean;
}

/**
 * The chats the bot is in, as its tools reach them. All of it is done as the bot: `chat-work.ts` decides first whether the person the turn
 * is for may have it done. Rejects with `PlatformError`.
 */
export interface Chats {
  /** Undefined where nothing can be done. */
  actions(namespace: string): ChatActions | undefined;
  search(namespace: string, query: MessageQuery): Promise<FoundMessages>;
  /** Answers the message's reference. A message that an interrupted process posted under its tag is found instead of posted again. */
  send(place: Place, message: OutgoingMessage & { tag: MessageTag }): Promise<string>;
  edit(place: Place, reference: string, message: OutgoingMessage): Promise<void>;
  /** Deletes a message of the bot; one that is part of an answer with its turn, so that nothing later repeats it. */
  remove(place: Place, reference: string, by: Author): Promise<void>;
  /** Which recent turn a message of the bot belongs to. */
  ownMessage(namespace: string, reference: string): Promise<OwnMessage | undefined>;
}
