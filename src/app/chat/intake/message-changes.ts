import { LRUCache } from "lru-cache";
import type { TurnReading, TurnRecord } from "../../../core/log/turn-log.ts";
import type { Origin } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ChatEdit } from "../chat-intake.ts";
import { findAnswering } from "./accept-message.ts";
import { type IntakeContext, NotStoredError } from "./intake-context.ts";
import { editKey, type LateMessages } from "./late-messages.ts";
import type { TakeMessage } from "./take-message.ts";
import { takeBack } from "./turn-buttons.ts";

/** Handles a message whose text may have changed. */
export type TakeEdit = (edit: ChatEdit) => Promise<void>;

/** Maximum age of a message that is taken as new because its edit addresses the bot. */
const maxNewAgeMs = 15 * 60_000;

/** Maximum edited messages whose latest text is kept in memory. */
const remembered = 2_000;

/** Maximum total characters of their texts. */
const maxCharactersInMemory = 2_000_000;

/** Maximum time since the answer for which an edited question is offered another answer. */
const maxOfferAgeMs = 24 * 3_600_000;

/**
 * While the turn of the message runs, the new text goes into it. Afterwards the author is asked whether to answer their last question
 * in the thread again. @throws NotStoredError
 */
export function createTakeEdit(
  context: IntakeContext,
  takeMessage: TakeMessage,
  late: LateMessages,
): TakeEdit {
  const { app, log, clock } = context;
  /** Latest texts by key: link previews also arrive as edits, even after a real edit. */
  const latest = new LRUCache<string, string>({
    max: remembered,
    maxSize: maxCharactersInMemory,
    sizeCalculation: (text) => text.length + 1,
  });

  return async (edit) => {
    const { key, text, edited_at: _edited_at, ...message } = edit;
    const turnId = await log.find(key);
    if (turnId === undefined) {
      const isFresh = clock.now() - edit.said_at <= maxNewAgeMs;
      if (isFresh) await takeMessage({ ...message, key, text });
      return;
    }
    const [turn, into] = await Promise.all([log.get(turnId), findAnswering(log, turnId)]);
    if (turn === undefined || into === undefined || !isAuthorsOwn(into, edit)) return;
    const now = storedText(app, edit);
    if (now === (latest.get(key) ?? turn.text.trim())) return;
    if (into.status !== "finished") await steer(context, into, edit);
    else await offerAgain(context, late, into, edit);
    latest.set(key, now);
  };
}

function isAuthorsOwn(turn: TurnRecord, edit: ChatEdit): boolean {
  return turn.kind === "message" && turn.author.id === edit.author && turn.namespace === edit.place.namespace;
}

/** The text of a message in the form in which the log keeps it. */
function storedText({ reader }: IntakeContext["app"], { text, place }: ChatEdit): string {
  return reader.read(text, place, "bot").text.trim();
}

/** Asks the author whether to answer the question in its new form. */
async function offerAgain(
  { app, log, clock }: IntakeContext,
  late: LateMessages,
  turn: TurnRecord,
  edit: ChatEdit,
): Promise<void> {
  const { namespace, thread, author } = turn;
  const answeredAt = turn.finished_at ?? turn.accepted_at;
  if (turn.text === "" || clock.now() - answeredAt > maxOfferAgeMs) return;
  const latest = await log.list({ namespace, thread, limit: maxSearchedTurns });
  const last = latest.find((each) => each.kind === "message" && each.author.id === author.id);
  const origin = last === undefined ? undefined : await originOf(log, last.turn_id);
  if (last === undefined || origin?.message !== edit.id) return;
  if (last.status !== "finished" || storedText(app, edit) === last.text.trim()) return;
  await late.ask({
    key: editKey(edit.key, edit.edited_at),
    place: { namespace, thread },
    id: edit.id,
    in_thread: edit.in_thread,
    author,
    text: edit.text,
    to: "bot",
    origin: { ...origin, said_at: edit.edited_at, files: [...edit.files] },
    edited: true,
  });
}

/** The author as stored in the log: only the author may steer a turn, with the rights of the original question. */
async function steer({ app, whisperer }: IntakeContext, turn: TurnRecord, edit: ChatEdit): Promise<void> {
  const { namespace, thread, author } = turn;
  const outcome = await app.submit({
    namespace,
    thread,
    author,
    text: `I edited my message. It now says: ${edit.text.trim()}`,
    to: "room",
    key: editKey(edit.key, edit.edited_at),
    origin: { message: edit.id, said_at: edit.edited_at, files: [...edit.files], in_thread: edit.in_thread },
  });
  if (outcome.ok) return;
  if (outcome.status === 503) throw new NotStoredError(outcome.message);
  await whisperer.say({ place: edit.place, person: author.id, about: edit.id }, outcome.message);
}

/**
 * A message was deleted: deletes its answers, including those to its edits, with the rights of its author. Resolves once its turns are
 * stopped.
 */
export async function takeRemoval(
  context: IntakeContext,
  late: LateMessages,
  { key, place }: { key: string; place: Place },
): Promise<void> {
  const { log, logger } = context;
  const turnId = await log.find(key);
  if (turnId === undefined) return late.drop(key, place);
  const turn = await log.get(turnId);
  if (turn === undefined || turn.namespace !== place.namespace) return;
  await late.drop(key, { namespace: turn.namespace, thread: turn.thread });
  for (const each of [turn, ...(await otherTurnsOf(log, turn))]) {
    await takeBack(context, each, each.author, async (reason) => {
      logger.warn({ turn_id: each.turn_id, reason }, "The answer to a deleted message could not be deleted");
    });
  }
}

/** Maximum turns of a thread that are searched for those of one message, latest first. */
const maxSearchedTurns = 50;

/** The message on the platform that a turn answers; undefined for turns that came from elsewhere. */
async function originOf(log: TurnReading, turnId: string): Promise<Origin | undefined> {
  const [first] = await log.read(turnId);
  return first?.type === "inbound" ? first.inbound.origin : undefined;
}

/** The other turns that answer the same message: those of its edits, and repeated ones. */
async function otherTurnsOf(log: TurnReading, turn: TurnRecord): Promise<TurnRecord[]> {
  const { namespace, thread, turn_id, author } = turn;
  const message = (await originOf(log, turn_id))?.message;
  if (message === undefined) return [];
  const near = await log.list({ namespace, thread, limit: maxSearchedTurns });
  const mine = near.filter(
    (each) => each.turn_id !== turn_id && each.author.id === author.id && each.merged_into === undefined,
  );
  const origins = await Promise.all(mine.map((each) => originOf(log, each.turn_id)));
  return mine.filter((_, at) => origins[at]?.message === message);
}
