import { errorText } from "../../../base/error-text.ts";
import { type OutgoingMessage, PlatformError } from "../../../core/chat-platform.ts";
import type { MessageSlot, PresentedTurn } from "./presented-turn.ts";

/** A message without its name. */
export type Content = Omit<OutgoingMessage, "tag">;

/** What came of posting: the message's reference, or why it is not there. */
export type Published = { ok: true; reference: string } | { ok: false; error: PlatformError };

/** How long a message is tried before its turn waits instead, ms. */
const patience = 10_000;
const mostTries = 5;
const firstPause = 500;

/**
 * Brings a message to the platform: posts it, or edits the one in the slot. What fails in passing is tried again for some seconds;
 * what is refused as malformed is tried once more as plain text. Rejects only when the turn is given up.
 */
export async function publishMessage(
  turn: PresentedTurn,
  slot: MessageSlot,
  message: Content,
): Promise<Published> {
  return persist(turn, message, (now) => placeMessage(turn, slot, now));
}

/** As `publishMessage`, for the asker alone. */
export async function whisperMessage(turn: PresentedTurn, message: Content): Promise<Published> {
  const { platform, place, to, redact } = turn;
  return persist(turn, message, async (now) => {
    await platform.whisper(place, to.person, redactMessage(now, redact), to);
    return "whisper";
  });
}

async function persist(
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
      const pause = error.retryAfterMs ?? firstPause * 2 ** (tries - 1);
      const isOver = tries >= mostTries || clock.now() + pause - begun > patience;
      if (!passes(error) || isOver) return { ok: false, error };
      await clock.sleep(pause, givenUp);
    }
  }
}

/**
 * Posts the message, or edits the one in the slot, once. A post whose outcome is unclear is looked for before the next one.
 * @throws PlatformError, or whatever the platform throws
 */
export async function placeMessage(
  turn: PresentedTurn,
  slot: MessageSlot,
  content: Content,
): Promise<string> {
  const { platform, place, to, redact } = turn;
  const message = redactMessage({ ...content, tag: slot.tag }, redact);
  const before = slot.reference;
  const edited = await editKnown(turn, slot, message);
  if (edited !== undefined) return edited;
  // The one that was known is gone; a later one may have been posted and not noted.
  slot.lookFirst = before !== undefined;
  const found = await editKnown(turn, slot, message, before);
  if (found !== undefined) return found;
  try {
    slot.reference = await platform.post(place, message, to);
    return slot.reference;
  } catch (error) {
    if (platformErrorOf(error).code === "unavailable") slot.lookFirst = true;
    throw error;
  }
}

/** Edits the message in the slot, or the one that is found. Undefined when there is none, or it is gone. */
async function editKnown(
  { platform, place }: PresentedTurn,
  slot: MessageSlot,
  message: OutgoingMessage,
  gone?: string,
): Promise<string | undefined> {
  if (slot.reference === undefined && slot.lookFirst) {
    const found = await platform.find(place, slot.tag);
    slot.reference = found === gone ? undefined : found;
    slot.lookFirst = false;
  }
  const { reference } = slot;
  if (reference === undefined) return undefined;
  try {
    await platform.edit(place, reference, message);
    return reference;
  } catch (error) {
    if (platformErrorOf(error).code !== "gone") throw error;
    slot.reference = undefined;
    return undefined;
  }
}

/** Whether it passes by itself. */
export function passes({ code }: PlatformError): boolean {
  return code === "unavailable" || code === "rate_limited";
}

/** Something the platform's own code did not foresee. It may pass, or be a defect that every further try meets again. */
export class UnforeseenError extends PlatformError {}

/** What a platform threw. Anything it did not foresee is taken for a disturbance at first. */
export function platformErrorOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const message = errorText(error);
  return new UnforeseenError("unavailable", message, { cause: error });
}

/** The message as text alone; choices that were buttons are listed in it. */
function plainMessage({ markdown, timed, buttons = [], files }: Content): Content {
  const choices = buttons
    .filter(({ action }) => action.role === "answer")
    .map((button) => `- ${button.label}`);
  return {
    markdown: [markdown, choices.join("\n")].filter(Boolean).join("\n\n"),
    plain: true,
    ...(timed === undefined ? {} : { timed }),
    ...(files === undefined ? {} : { files }),
  };
}

/** The message without secrets. Files are left as they are: their texts are redacted where they are made. */
export function redactMessage(
  { files, ...message }: OutgoingMessage,
  redact: PresentedTurn["redact"],
): OutgoingMessage {
  return { ...redact(message), ...(files === undefined ? {} : { files }) };
}
