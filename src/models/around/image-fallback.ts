import { hash } from "node:crypto";
import { madeOnce } from "../../base/made-once.ts";
import {
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelRequest,
} from "../../core/ports/model.ts";
import type { Message, MessageImage, ToolMessage, UserMessage } from "../../core/values/message.ts";
import { attempted } from "./attempt.ts";

/** Codes of refused pictures: a bad request, a request that is too large, or (from routers) an unknown model. */
const refusals: ReadonlySet<ModelErrorCode> = new Set([
  "invalid_request",
  "context_too_long",
  "declined",
  "not_configured",
]);

type MessageWithImages = UserMessage | ToolMessage;

/** Maximum width and height of a picture, pixels: https://platform.claude.com/docs/en/build-with-claude/vision. */
const maxSide = 8_000;

/**
 * Leaves out pictures with more pixels than models take, and repeats a request without pictures when the model refuses it: first without
 * pictures that it has not accepted before, then without any. A picture that was left out of an accepted request stays out of all later
 * ones, so that sent messages do not change; its message says so.
 * @param takesImages false for a model that is known to take no pictures, which are then left out at once
 */
export function withImageFallback(model: Model, takesImages = true): Model {
  const pictures = new KnownPictures();
  return {
    ...model,
    // Most requests have no pictures, and every layer costs time for each piece of an answer.
    stream(request) {
      if (!request.messages.some(hasImages)) return model.stream(request);
      if (takesImages) return streamBounded(model, pictures, request);
      const messages = request.messages.map((message) => withoutImages(message, () => true));
      return model.stream({ ...request, messages });
    },
  };
}

async function* streamBounded(
  model: Model,
  pictures: KnownPictures,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const { imageSize } = await import("image-size");
  const isTooLarge = ({ base64 }: MessageImage) => {
    try {
      // A copy, since a small buffer shares its memory, which is read beyond the end of a picture that is cut off.
      const { width, height } = imageSize(new Uint8Array(Buffer.from(base64, "base64")));
      return Math.max(width, height) > maxSide;
    } catch {
      // The model says what is wrong with a picture that has no size.
      return false;
    }
  };
  const why = ` (more than ${maxSide} pixels wide or high)`;
  const messages = request.messages.map((message) =>
    withoutImages(message, (image) => pictures.isTooLarge(image, isTooLarge), why),
  );
  yield* stream(model, pictures, { ...request, messages });
}

function stream(model: Model, pictures: KnownPictures, request: ModelRequest): AsyncIterable<ModelEvent> {
  const isOut = pictures.refused();
  const shown = imagesIn(request.messages).filter((image) => !isOut(image));
  const fresh = shown.filter((image) => !pictures.isTaken(image));
  const trials = [[], fresh, shown].filter((left, index) => index === 0 || left.length > 0);
  // If all pictures are new, leaving out the new ones leaves none.
  if (fresh.length === shown.length && trials.length > 1) trials.pop();
  const attempt = (left: readonly MessageImage[], ...next: MessageImage[][]): AsyncIterable<ModelEvent> => {
    const out = new Set(left);
    const messages = request.messages.map((message) =>
      withoutImages(message, (image) => isOut(image) || out.has(image)),
    );
    return attempted(model.stream({ ...request, messages }), {
      pass(event) {
        if (event.type === "finished")
          pictures.remember(
            shown.filter((image) => !out.has(image)),
            left,
          );
        return event;
      },
      recover(error) {
        const isRefusal = error instanceof ModelError && refusals.has(error.code);
        const [more, ...others] = next;
        if (!isRefusal || more === undefined) throw error;
        request.signal.throwIfAborted();
        return attempt(more, ...others);
      },
    });
  };
  return attempt([], ...trials.slice(1));
}

/** Pictures that a model has accepted and refused, identified by their content. */
class KnownPictures {
  readonly #taken = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #tooLarge = new WeakMap<MessageImage, boolean>();
  readonly #digests = new WeakMap<MessageImage, string>();

  /** @param measure is asked once for each picture */
  isTooLarge(image: MessageImage, measure: (image: MessageImage) => boolean): boolean {
    return madeOnce(this.#tooLarge, image, () => measure(image));
  }

  refused(): (image: MessageImage) => boolean {
    return (image) => this.#refused.size > 0 && this.#refused.has(this.#digest(image));
  }

  isTaken(image: MessageImage): boolean {
    return this.#taken.has(this.#digest(image));
  }

  remember(taken: readonly MessageImage[], refused: readonly MessageImage[]): void {
    for (const image of taken) this.#taken.add(this.#digest(image));
    for (const image of refused) this.#refused.add(this.#digest(image));
  }

  #digest(image: MessageImage): string {
    return madeOnce(this.#digests, image, () => hash("sha256", image.base64, "base64"));
  }
}

function imagesIn(messages: readonly Message[]): MessageImage[] {
  return messages.flatMap((message) => (hasImages(message) ? (message.images ?? []) : []));
}

function hasImages(message: Message): message is MessageWithImages {
  return (message.role === "user" || message.role === "tool") && (message.images ?? []).length > 0;
}

function withoutImages(message: Message, isOut: (image: MessageImage) => boolean, why = ""): Message {
  if (!hasImages(message)) return message;
  const { images = [], ...rest } = message;
  const kept = images.filter((image) => !isOut(image));
  const left = images.length - kept.length;
  if (left === 0) return message;
  const came = left === 1 ? "A picture" : `${left} pictures`;
  const note = `[${came}${why} came with this message, and this model could not be shown them. Say so.]`;
  const text = `${rest.text}\n\n${note}`;
  return kept.length === 0 ? { ...rest, text } : { ...rest, text, images: kept };
}
