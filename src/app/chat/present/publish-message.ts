import { backoff } from "../../../base/backoff.ts";
import { errorText } from "../../../base/error-text.ts";
import { type OutgoingMessage, PlatformError, wordsOf } from "../../../core/ports/chat-platform.ts";
import type { PresentedTurn } from "./presented-turn.ts";

/** A message without its tag. */
export type Content = Omit<OutgoingMessage, "tag">;

/** The result of posting: the message's reference, or the error. */
export type Published = { ok: true; reference: string } | { ok: false; error: PlatformError };

/** Time for retrying a message before its turn waits instead, ms. */
const maxRetryMs = 10_000;
const maxTries = 5;
const pauses = { minMs: 500, maxMs: maxRetryMs };

/** The reference of a message that only the asker sees, which cannot be edited or removed. */
export const whispered = "whisper";

/** Shows a message to the asker alone, with retries. Rejects only when the turn is given up. */
export async function whisperMessage(turn: PresentedTurn, message: Content): Promise<Published> {
  const { platform, place, to, redact } = turn;
  return persist(turn, message, async (now) => {
    await platform.whisper(place, to.person, redactMessage(now, redact), to);
    return whispered;
  });
}

/**
 * Posts a message with retries. A transient failure is retried for some seconds; a message refused as malformed is retried once as plain
 * text. Rejects only when the turn is given up.
 */
export async function persist(
  { clock, givenUp }: PresentedTurn,
  wanted: Content,
  attempt: (message: Content) => Promise<string>,
): Promise<Published> {
  const begun = clock.now();
  let message = wanted;
  for (let tries = 1; ; tries += 1) {
    givenUp.throwIfAborted();
    try {
      return { ok: true, reference: await attempt(message) };
    } catch (thrown) {
      const error = platformErrorOf(thrown);
      if (error.code === "invalid" && message === wanted) {
        message = plainMessage(wanted);
        continue;
      }
      const pause = error.retryAfterMs ?? backoff(tries, pauses);
      const isOver = tries >= maxTries || clock.now() + pause - begun > maxRetryMs;
      if (!error.isTemporary || isOver) return { ok: false, error };
      await clock.sleep(pause, givenUp);
    }
  }
}

/** An error that the platform's code did not foresee. It may be transient, or a defect that every retry meets again. */
export class UnforeseenError extends PlatformError {}

/** The error of a platform. An unforeseen one is first treated as transient. */
export function platformErrorOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const message = errorText(error);
  return new UnforeseenError("unavailable", message, { cause: error });
}

/** The message as plain text; choices that were buttons are listed in it. */
function plainMessage({ timed, buttons = [], files, ...said }: Content): Content {
  const choices = buttons
    .filter(({ action }) => action.role === "answer")
    .map((button) => `- ${button.label}`);
  return {
    markdown: [wordsOf(said), choices.join("\n")].filter(Boolean).join("\n\n"),
    plain: true,
    timed,
    files,
  };
}

/** The message without secrets. Files are left as they are: their texts are redacted where they are made. */
export function redactMessage(
  { files, ...message }: OutgoingMessage,
  redact: PresentedTurn["redact"],
): OutgoingMessage {
  return { ...redact(message), files };
}
