import { escapeMarkdown } from "../../../base/markdown-text.ts";
import type { PlatformError, PlatformErrorCode } from "../../../core/chat-platform.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/turn-event.ts";
import type { AnswerFiles } from "./answer-files.ts";
import type { AnswerSlot } from "./answer-slots.ts";
import { orGivenUp } from "./given-up-turn.ts";
import type { LiveAnswer } from "./live-answer.ts";
import { type AnswerMessage, type AnswerReady, planAnswer } from "./plan-answer.ts";
import { lastReference, type PresentedTurn } from "./presented-turn.ts";
import {
  type Published,
  passes,
  platformErrorOf,
  publishMessage,
  redactMessage,
  UnforeseenError,
  whisperMessage,
} from "./publish-message.ts";

export interface Delivery {
  ready: AnswerReady;
  /** When the answer was ready, ms since the epoch. */
  readyAt: number;
  /** What was stored when this worker took the turn. */
  events: readonly TurnEvent[];
  live: LiveAnswer;
  files: AnswerFiles;
}

/** How it went. `waiting`: the platform cannot be reached; another worker goes on at `until` (ms since the epoch). */
export type Delivered = { kind: "delivered" } | { kind: "refused" } | { kind: "waiting"; until: number };

/** Pauses between workers that try, and when it is given up, ms. */
const firstWait = 5_000;
const longestWait = 5 * 60_000;
const giveUpAfter = 24 * 3_600_000;
/** A defect must not hold the thread up for so long: what nobody foresaw is met again this often, some half a minute in all. */
const unforeseenWaits = 3;

/** Posts the parts of an answer that are not there yet. Yields what was posted, or why it cannot be. */
export async function* deliverAnswer(
  turn: PresentedTurn,
  delivery: Delivery,
): AsyncGenerator<TurnEventBody, Delivered> {
  const { ready, live } = delivery;
  const { before, after } = splitAt(delivery.events);
  if (ready.private) await removeParts(turn, live, 0);
  const plan = planAnswer(turn, ready, delivery.files, isLive(delivery));
  for (const [part, message] of plan.entries()) {
    if (lastReference(after, "answer", part) !== undefined) continue;
    const published = await orGivenUp(turn.givenUp, publishPart(turn, delivery, part, message));
    if (published.ok) {
      yield { type: "message_posted", purpose: "answer", part, reference: published.reference };
      continue;
    }
    const until = waitUntil(turn, delivery, published.error);
    if (until !== undefined) return { kind: "waiting", until };
    yield refusal(turn, published.error);
    if (!ready.private) await orGivenUp(turn.givenUp, removeParts(turn, live, part));
    await orGivenUp(turn.givenUp, tellAsker(turn, published.error));
    return { kind: "refused" };
  }
  if (!ready.private) await removeParts(turn, live, plan.length);
  return { kind: "delivered" };

  /** Whether the first message stood in the channel before the answer was ready, and still does. */
  function isLive({ ready: { private: isPrivate } }: Delivery): boolean {
    if (isPrivate) return false;
    if (before === undefined) return live.slot(0).reference !== undefined;
    const shown = lastReference(before, "answer", 0);
    const posted = lastReference(after, "answer", 0);
    return shown !== undefined && (posted === undefined || posted === shown);
  }
}

/** What was stored before the answer was ready, and after; `before` is undefined while it was not. */
function splitAt(events: readonly TurnEvent[]): {
  before: readonly TurnEvent[] | undefined;
  after: readonly TurnEvent[];
} {
  const at = events.findIndex((event) => event.type === "answer_ready");
  return at < 0
    ? { before: undefined, after: [] }
    : { before: events.slice(0, at), after: events.slice(at + 1) };
}

async function publishPart(
  turn: PresentedTurn,
  { ready, live }: Delivery,
  part: number,
  message: AnswerMessage,
): Promise<Published> {
  if (ready.private) return withoutFilesIfRefused(message, (now) => whisperMessage(turn, now));
  const slot = live.slot(part);
  const reference = await finishStream(turn, slot, message);
  if (reference !== undefined) return { ok: true, reference };
  const publish = (now: AnswerMessage) => publishMessage(turn, slot, now);
  let published = await withoutFilesIfRefused(message, publish);
  // A platform may take less in an edit than in a new message.
  if (isFormRefused(published) && slot.reference !== undefined) {
    await removeParts(turn, live, part, part + 1);
    published = await publish(message);
  }
  if (!isFormRefused(published)) return published;
  turn.logger.warn({ err: published.error, turn_id: turn.turn_id }, "An answer is posted as a file");
  return publish(asFile(turn, message, part));
}

/** Whether the platform might take the same answer in another form. A moderation rule is not worked around. */
function isFormRefused(published: Published): published is Extract<Published, { ok: false }> {
  return !published.ok && isOneOf(published.error, "invalid", "too_large");
}

/** A part of an answer as a file, with a line that says so. */
function asFile(
  { platform }: PresentedTurn,
  { markdown, files = [] }: AnswerMessage,
  part: number,
): AnswerMessage {
  const name = part === 0 ? "answer.md" : `answer-${part + 1}.md`;
  const what = part === 0 ? "this answer" : "this part of the answer";
  const file = { name, media_type: "text/markdown", data: new TextEncoder().encode(markdown) };
  return {
    markdown: `${platform.writing.name} did not accept ${what} as a message. It is in the file ${name}.`,
    plain: true,
    files: [...files.filter((each) => each.name !== name), file],
  };
}

/** How often, and after what pause (ms) at most, a stream is finished that the platform slows down. */
const mostFinishes = 3;
const longestFinishPause = 3_000;

/** The reference of the message if its stream lived and could be finished. */
async function finishStream(
  { redact, clock, givenUp, logger, turn_id }: PresentedTurn,
  slot: AnswerSlot,
  message: AnswerMessage,
): Promise<string | undefined> {
  const { stream, tag } = slot;
  slot.stream = undefined;
  for (let tries = 1; stream !== undefined; tries += 1) {
    try {
      await stream.finish(redactMessage({ ...message, tag }, redact));
      return stream.reference;
    } catch (thrown) {
      const error = platformErrorOf(thrown);
      logger.debug({ err: thrown, turn_id }, "A stream was not finished");
      if (error.code !== "rate_limited" || tries >= mostFinishes) return undefined;
      await clock.sleep(Math.min(error.retryAfterMs ?? 1_000, longestFinishPause), givenUp);
    }
  }
  return undefined;
}

/** An answer whose files are refused is delivered without them. */
async function withoutFilesIfRefused(
  message: AnswerMessage,
  publish: (message: AnswerMessage) => Promise<Published>,
): Promise<Published> {
  const published = await publish(message);
  const { files, ...rest } = message;
  if (published.ok || files === undefined || !isOneOf(published.error, "invalid", "too_large", "forbidden"))
    return published;
  const names = files.map((file) => escapeMarkdown(file.name)).join(", ");
  const note = `*Not attached: ${names}. The platform did not take it; the console has it.*`;
  return publish({ ...rest, markdown: `${rest.markdown}\n\n${note}` });
}

const isOneOf = ({ code }: PlatformError, ...codes: PlatformErrorCode[]) => codes.includes(code);

/** Messages that stand there and are no part of the answer. */
async function removeParts(
  turn: PresentedTurn,
  live: LiveAnswer,
  from: number,
  to = live.count(),
): Promise<void> {
  for (let part = from; part < to; part += 1) {
    const slot = live.slot(part);
    if (slot.reference === undefined) continue;
    try {
      if (slot.stream !== undefined) await slot.stream.cancel();
      else await turn.platform.remove(turn.place, slot.reference);
    } catch (error) {
      turn.logger.debug(
        { err: error, turn_id: turn.turn_id },
        "A message that is void could not be taken away",
      );
    }
    slot.stream = undefined;
    slot.reference = undefined;
    slot.lookFirst = false;
  }
}

/** When the delivery goes on; undefined when it does not. */
function waitUntil(
  { clock }: PresentedTurn,
  { events, readyAt }: Delivery,
  error: PlatformError,
): number | undefined {
  const now = clock.now();
  if (!passes(error) || now - readyAt >= giveUpAfter) return undefined;
  const waits = splitAt(events).after.filter((event) => event.type === "turn_waiting").length;
  if (error instanceof UnforeseenError && waits >= unforeseenWaits) return undefined;
  const pause = Math.min(firstWait * 2 ** Math.min(waits, 20), longestWait);
  return now + Math.max(pause, error.retryAfterMs ?? 0);
}

function refusal({ logger, turn_id, place }: PresentedTurn, error: PlatformError): TurnEventBody {
  logger.warn({ err: error, turn_id, ...place }, "An answer could not be delivered; it is kept in the log");
  const message = `The answer could not be posted: ${error.message} It is kept: the console and the API have it.`;
  return { type: "error", code: "not_delivered", message };
}

/** Whoever waits for an answer that cannot be posted here is told, where they can be. */
async function tellAsker(turn: PresentedTurn, error: PlatformError): Promise<void> {
  const markdown = `I have an answer for you, but could not post it: ${error.message} The answer is kept: whoever runs me finds it in the console. ${adviceAfter(error)}`;
  const told = await whisperMessage(turn, { markdown });
  if (told.ok) return;
  turn.logger.warn(
    { err: told.error, turn_id: turn.turn_id },
    "Nobody could be told of an answer that was not posted",
  );
}

function adviceAfter(error: PlatformError): string {
  if (isOneOf(error, "forbidden", "gone"))
    return "Ask me again once I may write there, or in a direct message.";
  return isOneOf(error, "blocked")
    ? "Ask me again in other words, or in a direct message."
    : "Ask me again, or ask for a shorter answer.";
}
