import type { Message, UserMessage } from "../core/message.ts";
import {
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelRequest,
} from "../core/model.ts";
import { ShownText } from "./shown-text.ts";

/** How servers refuse pictures: as a bad request, as too large, or (routers) as an address that knows no such model. */
const refusals: ReadonlySet<ModelErrorCode> = new Set([
  "invalid_request",
  "context_too_long",
  "not_configured",
]);

/**
 * The model, asked again without pictures when it refuses a request that has some: it may not take any, or not these. A message
 * whose pictures were in a refused request is sent without them from then on, and says so.
 */
export function withImageFallback(model: Model): Model {
  const refused = new WeakMap<Message, Message>();
  return {
    id: model.id,
    generative: model.generative,
    async *stream(request) {
      const messages = request.messages.map((message) => refused.get(message) ?? message);
      const isTaken = yield* attempt(model, { ...request, messages });
      if (isTaken) return;
      for (const message of messages) if (hasImages(message)) refused.set(message, withoutImages(message));
      const plain = request.messages.map((message) => refused.get(message) ?? message);
      yield* model.stream({ ...request, messages: plain });
    },
  };
}

/** False when the pictures of the request may be why it was refused; the text so far is void then. */
async function* attempt(model: Model, request: ModelRequest): AsyncGenerator<ModelEvent, boolean> {
  const shown = new ShownText();
  try {
    for await (const event of model.stream(request)) yield shown.pass(event);
    return true;
  } catch (error) {
    const isRefusal = error instanceof ModelError && refusals.has(error.code);
    if (!isRefusal || !request.messages.some(hasImages)) throw error;
    request.signal.throwIfAborted();
    yield* shown.void();
    return false;
  }
}

function hasImages(message: Message): message is UserMessage {
  return message.role === "user" && message.images !== undefined && message.images.length > 0;
}

function withoutImages({ images = [], ...message }: UserMessage): UserMessage {
  const came = images.length === 1 ? "A picture" : `${images.length} pictures`;
  const note = `[${came} came with this message, and this model could not be shown them. Say so.]`;
  return { ...message, text: `${message.text}\n\n${note}` };
}
