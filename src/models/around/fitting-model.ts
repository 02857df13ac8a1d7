import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../core/ports/model.ts";
import { foldedRequest } from "../../core/transcript/keep-transcript.ts";
import type { Message } from "../../core/values/message.ts";
import { countTokens, createRequestSize, messageSize, sum, toolSize } from "../count-tokens.ts";
import { attempted } from "./attempt.ts";

/** Maximum attempts to shorten a request that is too long. */
const attempts = 6;

/** About as many characters are a token, at least. */
const charactersPerToken = 4;

/** The share of the window that a request may take: sizes are estimates. */
const certainty = 0.9;

/**
 * Sends the model only what fits. A conversation that exceeds its window, for example from a model with a larger one, is cut to its
 * latest part. If the window is unknown, or smaller than expected, requests shrink until the model accepts one; that size is
 * remembered. A refusal without a reason counts as one of size, once, for a request much larger than any that was accepted or than
 * half the window.
 * @param answerTokens maximum tokens of an answer, which share the window
 */
export function withFitting(model: Model, answerTokens: number): Model {
  const sizeOf = createRequestSize();
  const boundOf = createRequestSize((text) => text.length);
  const { window } = model;
  let maxRoom = window === undefined ? Number.POSITIVE_INFINITY : roomIn(window, answerTokens);

  /** Characters of the largest request that was accepted. */
  let largest = 0;
  const isLarge = (request: ModelRequest) =>
    boundOf(request) > 1.5 * largest || (window !== undefined && sizeOf(request) > window / 2);

  const shortened = (request: ModelRequest, room: number, attempt = 1): AsyncIterable<ModelEvent> =>
    attempted(model.stream(shortenedRequest(request, room)), {
      pass(event) {
        if (event.type !== "finished") return event;
        // A refusal that was not one of size does not make later requests smaller than what the model takes.
        maxRoom = Math.min(maxRoom, Math.max(room, largest / charactersPerToken));
        return withoutBlocks(event);
      },
      recover(error) {
        if (!isTooLong(error) || attempt === attempts) throw error;
        request.signal.throwIfAborted();
        return shortened(request, room / 2, attempt + 1);
      },
    });
  /** The refusal of the whole request says more than that of its part. */
  const onceShortened = (request: ModelRequest, room: number, error: ModelError) =>
    attempted(shortened(request, room, attempts), {
      recover(second) {
        throw second instanceof ModelError && second.code === "invalid_request" ? error : second;
      },
    });
  const shrinks = (request: ModelRequest, room: number) =>
    sizeOf(shortenedRequest(request, room)) < sizeOf(request) * 0.9;
  const stream = (request: ModelRequest): AsyncIterable<ModelEvent> => {
    const room = maxRoom;
    // Counting tokens takes time, and most requests have fewer characters than the limit has tokens.
    if (boundOf(request) > room && sizeOf(request) > room) return shortened(request, room);
    return attempted(model.stream(request), {
      pass(event) {
        if (event.type === "finished") largest = Math.max(largest, boundOf(request));
        return event;
      },
      recover(error) {
        const half = sizeOf(request) / 2;
        if (isTooLong(error)) {
          request.signal.throwIfAborted();
          return shortened(request, half);
        }
        const isUnclear = error instanceof ModelError && error.code === "invalid_request";
        if (!isUnclear || !isLarge(request) || !shrinks(request, half)) throw error;
        request.signal.throwIfAborted();
        return onceShortened(request, half, error);
      },
    });
  };

  return { ...model, stream };
}

function roomIn(window: number, answerTokens: number): number {
  return (window - Math.min(answerTokens, window / 2)) * certainty;
}

function isTooLong(error: unknown): boolean {
  return error instanceof ModelError && error.code === "context_too_long";
}

/** Drops reasoning, because it belongs to the shortened request and not to the whole one. */
function withoutBlocks(event: Extract<ModelEvent, { type: "finished" }>): ModelEvent {
  const { provider_blocks: _, ...message } = event.message;
  return { ...event, message };
}

/** Minimum tokens of a shortened text. */
const minText = 100;

/** The note before the first remaining message. */
const leftOut = "[Earlier messages of this conversation are left out: they do not fit this model.]";

/**
 * A copy of the request of about `room` tokens: folded, without pictures and provider blocks, and without the oldest messages up to a
 * message of a person. If the last message of a person with its answer is still too long, long texts are shortened to their
 * beginnings and ends, and then the first rounds are left out. The cut moves in steps, so that the copies of a growing conversation
 * begin in the same way for a while.
 */
function shortenedRequest(request: ModelRequest, room: number): ModelRequest {
  const { no_calls, ...rest } = request;
  const folded = foldedRequest(rest);
  const fixed = countTokens(folded.system) + sum(folded.tools.map((tool) => toolSize(tool)));
  const space = Math.max(minText, room - fixed);
  const kept = cutAtPerson(folded.messages.map(plain), space);
  const messages = withoutFirstRounds(withShortTexts(kept, space), space);
  const isCut = messages.length < folded.messages.length;
  return {
    ...folded,
    messages: isCut ? withNote(messages) : messages,
    no_calls,
  };
}

function plain(message: Message): Message {
  switch (message.role) {
    case "assistant": {
      const { provider_blocks: _, ...rest } = message;
      return rest;
    }
    case "system":
      return message;
    default: {
      const { images: _, ...rest } = message;
      return rest;
    }
  }
}

/** The messages from the first message of a person from which the conversation fits. */
function cutAtPerson(messages: readonly Message[], space: number): readonly Message[] {
  const sizes = messages.map((message) => messageSize(message));
  const excess = sum(sizes) - space;
  if (excess <= 0) return messages;
  const step = space / 4;
  const over = Math.ceil(excess / step) * step;
  const starts = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  let dropped = 0;
  let index = 0;
  for (const start of starts) {
    for (; index < start; index += 1) dropped += sizes[index] ?? 0;
    if (dropped >= over) return messages.slice(start);
  }
  return messages.slice(starts.at(-1) ?? 0);
}

/** Shortens long texts until the messages fit. */
function withShortTexts(messages: readonly Message[], space: number): readonly Message[] {
  let short = messages;
  for (let max = space / 2; !fits(short, space) && max >= minText; max /= 2) {
    const maxTokens = max;
    short = messages.map((message) => shortened(message, maxTokens));
  }
  return short;
}

/** Leaves out the first rounds: a message of the model and the results of its calls. The first message, a person's, stays. */
function withoutFirstRounds(messages: readonly Message[], space: number): readonly Message[] {
  let left = messages;
  while (!fits(left, space)) {
    const next = left.findIndex(({ role }, index) => index > 1 && role !== "tool");
    if (next === -1) return left;
    left = [...left.slice(0, 1), ...left.slice(next)];
  }
  return left;
}

function fits(messages: readonly Message[], space: number): boolean {
  return sum(messages.map((message) => messageSize(message))) <= space;
}

function shortened(message: Message, maxTokens: number): Message {
  const tokens = countTokens(message.text);
  if (tokens <= maxTokens || message.role === "assistant") return message;
  const half = Math.floor((message.text.length * maxTokens) / tokens / 2);
  const text = `${message.text.slice(0, half)}\n[… shortened to fit this model …]\n${message.text.slice(-half)}`;
  return { ...message, text };
}

function withNote(messages: readonly Message[]): readonly Message[] {
  const [first, ...others] = messages;
  if (first?.role !== "user") return [{ role: "user", text: leftOut }, ...messages];
  return [{ ...first, text: `${leftOut}\n\n${first.text}` }, ...others];
}
