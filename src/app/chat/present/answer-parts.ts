import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { OutgoingButton, ProgressCard } from "../../../core/ports/chat-platform.ts";
import { closeFence } from "./markdown-fences.ts";
import { lastReference, PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { platformErrorOf, whispered } from "./publish-message.ts";

/**
 * The messages of an answer. The first one shows the turn's progress above its text, or alone while there is no text.
 *
 * Where people would not notice an edit, progress has a message of its own, which is removed when the answer begins: on platforms that
 * post progress quietly, for work in the background, and when the turn has waited since it was posted, so that a question follows it. An
 * answer that took long becomes new messages at its end (`renew`).
 */
export type AnswerParts = ReturnType<typeof createAnswerParts>;

/** @param changed called with whether a message is now shown that notified people */
export function createAnswerParts(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  changed: (isShown: boolean) => void,
) {
  const { platform, place, logger, turn_id } = turn;
  const isQuiet = platform.limits.posts_quietly === true || turn.background !== undefined;
  const before = isQuiet ? undefined : shownBeforeWait(events);
  let apart: PostedMessage | undefined;
  if (isQuiet) apart = new PostedMessage(turn, events, { purpose: "progress", part: 0 });
  else if (before !== undefined) apart = new PostedMessage(turn, events, { purpose: "answer", part: 0 });
  const parts: PostedMessage[] = [];
  /** Messages that others replace at the end. */
  const obsolete: PostedMessage[] = [];
  /** When the messages were posted, by reference, those in the log and about to be stored, without removed ones. */
  const noted = new Map(
    events.flatMap((event) => (isOfAnswer(event) ? [[event.reference, event.at] as const] : [])),
  );

  const part = (index: number): PostedMessage => {
    const known = parts[index];
    if (known !== undefined) return known;
    const made = new PostedMessage(turn, events, { purpose: "answer", part: index }, before);
    parts[index] = made;
    return made;
  };
  for (const event of events) {
    if (!isOfAnswer(event) || event.purpose !== "answer") continue;
    for (let index = parts.length; index <= event.part; index += 1) part(index);
  }
  const note = ({ reference, tag }: PostedMessage) => {
    if (reference === undefined || noted.has(reference)) return;
    noted.set(reference, turn.clock.now());
    turn.note({ type: "message_posted", purpose: tag.purpose, part: tag.part, reference });
    if (tag.purpose === "answer") changed(true);
  };
  const away = async (message: PostedMessage, how: "takeAway" | "drop") => {
    const { reference } = message;
    if (reference !== undefined && (await message[how]())) noted.delete(reference);
  };
  const contentOf = (message: PostedMessage, markdown: string, progress: ProgressCard | undefined) => {
    const below = message.tag.purpose === "progress" ? "progress" : "answer";
    // The final answer removes the button, since each of its messages is written again at the end.
    const buttons: OutgoingButton[] = [{ action: { role: "stop", turn_id, below }, label: "Stop" }];
    return { markdown: closeFence(markdown), progress, buttons };
  };
  const grow = async (message: PostedMessage, markdown: string, progress: ProgressCard | undefined) => {
    try {
      await message.grow(markdown, contentOf(message, markdown, progress));
    } finally {
      note(message);
    }
  };
  const takeAway = async (from: number) => {
    for (const message of parts.slice(from)) await away(message, "takeAway");
    if (from === 0) changed(false);
  };
  const remove = async (reference: string) => {
    try {
      await platform.remove(place, reference);
      noted.delete(reference);
    } catch (error) {
      logger.debug({ err: platformErrorOf(error), turn_id }, "An obsolete message could not be removed");
    }
  };

  return {
    /** The message of a part, whether posted or not. */
    part,
    /** Whether any message is posted. */
    isShown: () => [apart, ...parts].some((message) => message?.reference !== undefined),
    /** Shows a part as written so far. @throws PlatformError */
    async grow(index: number, markdown: string, progress?: ProgressCard): Promise<void> {
      if (index === 0 && markdown === "" && apart !== undefined) {
        if (parts.some(({ reference }) => reference !== undefined)) await takeAway(0);
        return grow(apart, markdown, progress);
      }
      await grow(part(index), markdown, progress);
      if (index > 0 || apart === undefined) return;
      await away(apart, "drop");
      if (!isQuiet) apart = undefined;
    },
    /** Removes the messages that this process has shown from part `from` on. A message that cannot be removed is overwritten later. */
    async takeAway(from: number): Promise<void> {
      if (from === 0 && apart !== undefined) await away(apart, "takeAway");
      await takeAway(from);
    },
    /**
     * If a message of the answer was posted before `time`, all parts are posted anew: people were notified of the old messages, and edits
     * notify nobody. The old ones stay until `keep`. Times are ms since the epoch.
     * @param readyAt when the answer was ready; parts that were posted since then stay
     */
    renew(time: number, readyAt: number): void {
      const postedAt = ({ reference = "" }: PostedMessage) =>
        noted.get(reference) ?? Number.POSITIVE_INFINITY;
      if (!parts.some((message) => postedAt(message) < time)) return;
      for (const [index, old] of parts.entries()) {
        if (postedAt(old) >= readyAt) continue;
        parts[index] = new PostedMessage(turn, events, old.tag, old.reference);
        obsolete.push(old);
      }
    },
    /** Removes every message except the first `count` parts, even those posted by another process. */
    async keep(count: number): Promise<void> {
      if (apart !== undefined && turn.resumed) await apart.adopt().catch(() => undefined);
      for (const message of [...parts.slice(count), apart, ...obsolete]) {
        if (message !== undefined) await away(message, "drop");
      }
      const kept = new Set(parts.slice(0, count).map(({ reference }) => reference));
      for (const reference of noted.keys()) if (!kept.has(reference)) await remove(reference);
    },
  };
}

type Posted = Extract<TurnEvent, { type: "message_posted" }>;

function isOfAnswer(event: TurnEvent): event is Posted {
  if (event.type !== "message_posted" || event.reference === whispered) return false;
  return event.purpose === "answer" || event.purpose === "progress";
}

/** The reference of the first message, if the turn has waited since it was posted and before the answer was ready. */
function shownBeforeWait(events: readonly TurnEvent[]): string | undefined {
  const reference = lastReference(events, "answer", 0);
  if (reference === undefined) return undefined;
  const posted = events.findLastIndex((event) => isOfAnswer(event) && event.reference === reference);
  const ready = events.findIndex((event) => event.type === "answer_ready");
  const end = ready < 0 ? events.length : ready;
  return events.slice(posted, end).some(({ type }) => type === "turn_waiting") ? reference : undefined;
}
