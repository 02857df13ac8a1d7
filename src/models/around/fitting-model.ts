import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../core/ports/model.ts";
import { createRequestSize } from "../request-size.ts";
import { ShownText } from "../shown-text.ts";
import { shortenedRequest } from "./shortened-request.ts";

/** How often a request that is too long is shortened before its error is told. */
const attempts = 6;

/** Sizes are estimated; a request is taken for too long from this part of the window on. */
const certainty = 0.9;

/**
 * The model, sent what fits: a conversation longer than its window, as another model may have had it, is cut to its latest
 * part. A model whose window is not known, or is smaller than known, is sent less and less until it takes the request; the
 * size it took is remembered.
 * @param answerTokens most tokens of an answer, which share the window
 */
export function withFitting(model: Model, answerTokens: number): Model {
  const sizeOf = createRequestSize();
  const boundOf = createRequestSize((text) => text.length);
  const { window } = model;
  let most = window === undefined ? Number.POSITIVE_INFINITY : roomIn(window, answerTokens);

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    let room = most;
    // Counting tokens takes time; most requests are short of the limit in characters.
    if (boundOf(request) <= room || sizeOf(request) <= room) {
      const shown = new ShownText();
      try {
        for await (const event of model.stream(request)) yield shown.pass(event);
        return;
      } catch (error) {
        if (!isTooLong(error)) throw error;
        request.signal.throwIfAborted();
        yield* shown.void();
      }
      room = sizeOf(request) / 2;
    }
    yield* shortened(request, room);
  }

  async function* shortened(request: ModelRequest, first: number): AsyncGenerator<ModelEvent> {
    let room = first;
    for (let attempt = 1; ; attempt += 1, room /= 2) {
      const shown = new ShownText();
      try {
        for await (const event of model.stream(shortenedRequest(request, room))) {
          yield withoutBlocks(shown.pass(event));
        }
        most = Math.min(most, room);
        return;
      } catch (error) {
        if (!isTooLong(error) || attempt === attempts) throw error;
        request.signal.throwIfAborted();
        yield* shown.void();
      }
    }
  }

  return { ...model, stream };
}

function roomIn(window: number, answerTokens: number): number {
  return (window - Math.min(answerTokens, window / 2)) * certainty;
}

function isTooLong(error: unknown): boolean {
  return error instanceof ModelError && error.code === "context_too_long";
}

/** Reasoning about the shortened request is none about the whole one. */
function withoutBlocks(event: ModelEvent): ModelEvent {
  if (event.type !== "finished") return event;
  const { provider_blocks: _, ...message } = event.message;
  return { ...event, message };
}
