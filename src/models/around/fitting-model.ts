import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../core/ports/model.ts";
import { foldedRequest } from "../../core/transcript/keep-transcript.ts";
import type { Message } from "../../core/values/message.ts";
import { countTokens } from "../count-tokens.ts";
import { createRequestSize, messageSize, toolSize } from "../request-size.ts";
import { ShownText } from "./failed-attempt.ts";

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

/** Texts are not shortened below this, tokens. */
const minText = 100;

/** Said before the first message that is left. */
const leftOut = "[Earlier messages of this conversation are left out: they do not fit this model.]";

/**
 * A copy of the request of about `room` tokens: folded, without the pictures and provider blocks, its oldest messages left
 * out up to a message of a person. When the last of these and what followed is still too long, its long texts are shortened
 * to their beginnings and ends, and then its first rounds are left out. The cut moves in steps, so that the copies of a
 * growing conversation begin alike for a while.
 */
function shortenedRequest(request: ModelRequest, room: number): ModelRequest {
  const { no_calls, ...rest } = request;
  const folded = foldedRequest(rest);
  const fixed = countTokens(folded.system) + folded.tools.reduce((sum, tool) => sum + toolSize(tool), 0);
  const space = Math.max(minText, room - fixed);
  const kept = cutAtPerson(folded.messages.map(plain), space);
  const messages = withoutFirstRounds(withShortTexts(kept, space), space);
  const isCut = messages.length < folded.messages.length;
  return {
    ...folded,
    messages: isCut ? withNote(messages) : messages,
    ...(no_calls === undefined ? {} : { no_calls }),
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

/** From the first message of a person on after which a conversation of this size fits. */
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

/** With texts no longer than the largest length at which all fit. */
function withShortTexts(messages: readonly Message[], space: number): readonly Message[] {
  let short = messages;
  for (let longest = space / 2; !fits(short, space) && longest >= minText; longest /= 2) {
    const most = longest;
    short = messages.map((message) => shortened(message, most));
  }
  return short;
}

/** A round is what the model said and the results of its calls; the first message, a person's, stays. */
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

function shortened(message: Message, longest: number): Message {
  const tokens = countTokens(message.text);
  if (tokens <= longest || message.role === "assistant") return message;
  const half = Math.floor((message.text.length * longest) / tokens / 2);
  const text = `${message.text.slice(0, half)}\n[… shortened to fit this model …]\n${message.text.slice(-half)}`;
  return { ...message, text };
}

function withNote(messages: readonly Message[]): readonly Message[] {
  const [first, ...others] = messages;
  if (first?.role !== "user") return [{ role: "user", text: leftOut }, ...messages];
  return [{ ...first, text: `${leftOut}\n\n${first.text}` }, ...others];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
