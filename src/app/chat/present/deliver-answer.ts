import { backoff } from "../../../base/backoff.ts";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import { unlessAborted } from "../../../base/time-limit.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/log/turn-event.ts";
import type { PlatformError, PlatformErrorCode } from "../../../core/ports/chat-platform.ts";
import type { LiveAnswer } from "./live-answer.ts";
import { type AnswerFrame, type AnswerMessage, type AnswerReady, planAnswer } from "./plan-answer.ts";
import { lastReference } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { type Aside, pointThere, publishAside } from "./private-answer.ts";
import {
  type Content,
  type Published,
  UnforeseenError,
  whispered,
  whisperMessage,
} from "./publish-message.ts";

export interface Delivery extends AnswerFrame {
  ready: AnswerReady;
  /** When the answer was ready, ms since the epoch. */
  readyAt: number;
  /** As `ChatPolicy.notify_after_ms`. */
  notifyAfterMs: number;
  /** The stored events when this worker took the turn. */
  events: readonly TurnEvent[];
  live: LiveAnswer;
  /** Where a private answer is posted; undefined where it is whispered. */
  aside: Aside | undefined;
}

/** Result of the delivery. `waiting`: the platform cannot be reached; another worker continues at `until` (ms since the epoch). */
export type Delivered = { kind: "delivered" } | { kind: "refused" } | { kind: "waiting"; until: number };

/** Pauses between attempts of workers, and the time after which delivery is given up, ms. */
const waits = { minMs: 5_000, maxMs: 5 * 60_000 };
const giveUpAfterMs = 24 * 3_600_000;
/** Maximum retries of an unforeseen error, about half a minute in total: a defect must not block the thread for longer. */
const maxUnforeseenWaits = 3;

/** Posts the missing parts of an answer. Yields an event for each part, or the error that prevents it. */
export async function* deliverAnswer(
  turn: PresentedTurn,
  delivery: Delivery,
): AsyncGenerator<TurnEventBody, Delivered> {
  const { ready, readyAt, live, aside } = delivery;
  const after = sinceReady(delivery.events);
  const purpose = aside === undefined ? "answer" : "private";
  const place = aside?.ok ? aside.turn.place : undefined;
  let reference: string | undefined;
  // post-4
  if (ready.private) await unlessAborted(turn.givenUp, () => live.keep(0));
  // Whoever stopped the turn is watching.
  else if (ready.outcome !== "stopped") live.renew(readyAt - delivery.notifyAfterMs, readyAt);
  const plan = planAnswer(turn, ready, delivery);
  for (const [part, message] of plan.entries()) {
    reference = lastReference(after, purpose, part);
    if (reference !== undefined) continue;
    const published = await unlessAborted(turn.givenUp, () => publishPart(turn, delivery, part, message));
    if (!published.ok) return yield* undelivered(turn, delivery, part, published.error);
    reference = published.reference;
    yield { type: "message_posted", purpose, part, reference, place };
  }
  if (!ready.private) await unlessAborted(turn.givenUp, () => live.keep(plan.length));
  if (aside?.ok && reference !== undefined) yield* point(turn, aside.turn, reference, after);
  return { kind: "delivered" };
}

/** A part cannot be posted: the turn waits for a retry, or the asker is told. */
async function* undelivered(
  turn: PresentedTurn,
  delivery: Delivery,
  part: number,
  error: PlatformError,
): AsyncGenerator<TurnEventBody, Delivered> {
  const { ready, live } = delivery;
  const until = waitUntil(turn, delivery, error);
  if (until !== undefined) return { kind: "waiting", until };
  yield refusal(turn, error);
  if (!ready.private) await unlessAborted(turn.givenUp, () => live.keep(part));
  // A stopped turn has no answer.
  if (ready.outcome !== "stopped") await unlessAborted(turn.givenUp, () => tellAsker(turn, error));
  return { kind: "refused" };
}

/** Posts one line in the thread that points to a private answer elsewhere. */
async function* point(
  turn: PresentedTurn,
  aside: PresentedTurn,
  last: string,
  after: readonly TurnEvent[],
): AsyncGenerator<TurnEventBody, void> {
  const isTold = after.some((event) => event.type === "message_posted" && event.purpose === "pointer");
  if (isTold || turn.platform.whispers_here !== true) return;
  await unlessAborted(turn.givenUp, () => pointThere(turn, aside, last));
  yield { type: "message_posted", purpose: "pointer", part: 0, reference: whispered };
}

/** The events stored since the answer was ready; empty before that. */
function sinceReady(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const at = events.findIndex((event) => event.type === "answer_ready");
  return at < 0 ? [] : events.slice(at + 1);
}

async function publishPart(
  turn: PresentedTurn,
  { ready, live, aside, events }: Delivery,
  part: number,
  message: AnswerMessage,
): Promise<Published> {
  if (aside !== undefined && !aside.ok) return aside;
  if (aside !== undefined)
    return withoutFilesIfRefused(message, (now) => publishAside(aside, sinceReady(events), part, now));
  if (ready.private) return withoutFilesIfRefused(message, (now) => whisperMessage(turn, now));
  const posted = live.part(part);
  // Later parts must stay below it.
  if (posted.callsUnnoticed(message)) await live.keep(part);
  const reference = await posted.finish(message);
  if (reference !== undefined) return { ok: true, reference };
  let published = await withoutFilesIfRefused(message, (now) => posted.publish(now));
  // A platform may accept less in an edit than in a new message.
  if (isFormRefused(published) && posted.reference !== undefined) {
    await posted.drop();
    published = await posted.publish(message);
  }
  if (!isFormRefused(published)) return published;
  turn.logger.warn({ err: published.error, turn_id: turn.turn_id }, "An answer is posted as a file");
  return posted.publish(asFile(turn, message, part));
}

/** Whether the platform might accept the same answer in another form. A moderation rule is not worked around. */
function isFormRefused(published: Published): published is Extract<Published, { ok: false }> {
  return !published.ok && isOneOf(published.error, "invalid", "too_large");
}

/** A part of an answer as a file, with a line that explains it. */
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

/** A message whose files are refused is delivered without them. */
export async function withoutFilesIfRefused(
  message: Content,
  publish: (message: Content) => Promise<Published>,
): Promise<Published> {
  const published = await publish(message);
  const { files, ...rest } = message;
  if (published.ok || files === undefined || !isOneOf(published.error, "invalid", "too_large", "forbidden"))
    return published;
  const names = files.map((file) => escapeMarkdown(file.name)).join(", ");
  const note = `*Not attached: ${names}. The platform did not accept it; it is in the console.*`;
  return publish({ ...rest, markdown: `${rest.markdown}\n\n${note}` });
}

const isOneOf = ({ code }: PlatformError, ...codes: PlatformErrorCode[]) => codes.includes(code);

/** When to retry the delivery, ms since the epoch; undefined when it is given up. */
function waitUntil(
  { clock }: PresentedTurn,
  { events, readyAt }: Delivery,
  error: PlatformError,
): number | undefined {
  const now = clock.now();
  if (!error.isTemporary || now - readyAt >= giveUpAfterMs) return undefined;
  const waited = sinceReady(events).filter((event) => event.type === "turn_waiting").length;
  if (error instanceof UnforeseenError && waited >= maxUnforeseenWaits) return undefined;
  const pause = backoff(waited + 1, waits);
  return now + Math.max(pause, error.retryAfterMs ?? 0);
}

function refusal({ logger, turn_id, place }: PresentedTurn, error: PlatformError): TurnEventBody {
  logger.warn({ err: error, turn_id, ...place }, "An answer could not be delivered; it is kept in the log");
  const message = `The answer could not be posted: ${error.message} It is kept: you can find it in the console and through the API.`;
  return { type: "error", code: "not_delivered", message };
}

/** Tells the asker, if possible, that their answer cannot be posted. */
async function tellAsker(turn: PresentedTurn, error: PlatformError): Promise<void> {
  const markdown = `I have an answer for you, but could not post it: ${error.message} The answer is kept: an operator of the bot can find it in the console. ${adviceAfter(error)}`;
  const told = await whisperMessage(turn, { markdown });
  if (told.ok) return;
  turn.logger.warn(
    { err: told.error, turn_id: turn.turn_id },
    "The asker could not be told that an answer was not posted",
  );
}

function adviceAfter(error: PlatformError): string {
  if (isOneOf(error, "forbidden", "gone")) return "Ask me again where I may write, or in a direct message.";
  return isOneOf(error, "blocked")
    ? "Ask me again in other words, or in a direct message."
    : "Ask me again, or ask for a shorter answer.";
}
