import type { TurnRecord } from "../../../core/log/turn-log.ts";
import type { Author, Origin } from "../../../core/values/inbound.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";
import type { SaidTo } from "../../turns/command-reader.ts";
import type { Submission } from "../../turns/submit.ts";
import type { ChatMessage } from "../chat-intake.ts";
import { type IntakeContext, NotStoredError } from "./intake-context.ts";
import type { Spoken } from "./thread-states.ts";
import { topicOf } from "./whisperer.ts";

/** A message that the bot takes. */
export interface TakenMessage extends Pick<ChatMessage, "key" | "place" | "id" | "in_thread"> {
  author: Author;
  /** The text as it was written, except for a mention of the bot that the platform removed. */
  text: string;
  to: SaidTo;
  origin: Origin;
  /** The text was changed after it had been answered. */
  edited?: true | undefined;
}

/** Maximum messages of a thread that are read to find out who is in it. */
const maxThreadMessages = 100;

/**
 * Stores a message as a turn, and returns whether it was new. A refusal of the app is whispered to its author.
 * @throws NotStoredError when it could not be stored
 */
export async function acceptMessage(context: IntakeContext, message: TakenMessage): Promise<boolean> {
  const { app, whisperer, platform } = context;
  const { key, place, id, author, text, to, origin } = message;
  const submission: Submission = { ...place, text, to, author, key, origin };
  // Before the turn can begin, which removes the mark at its end.
  const marked = platform.markSeen(place, id, true);
  const submitted = app.submit(submission);
  const settle = async () => {
    const outcome = await submitted.catch(() => undefined);
    await marked;
    if (outcome?.ok && (await isAnswering(context, outcome.value.turn_id))) return;
    await platform.markSeen(place, id, false);
  };
  context.background(settle, "The mark of a message could not be settled");
  const outcome = await submitted;
  if (!outcome.ok && outcome.status === 503) throw new NotStoredError(outcome.message);
  if (!outcome.ok) {
    await whisperer.sayOnce({ place, person: author.id, about: id }, topicOf(message), outcome.message);
    return false;
  }
  return outcome.value.accepted;
}

/** A quick turn may have ended, in another process too, before the mark was there. */
async function isAnswering({ log }: IntakeContext, turnId: string): Promise<boolean> {
  const answering = await findAnswering(log, turnId);
  return answering !== undefined && answering.status !== "finished";
}

/** The turn that answers a message: its own, or the one that absorbed it. Undefined if it was deleted. */
export async function findAnswering(
  log: Pick<IntakeContext["log"], "get">,
  turnId: string,
): Promise<TurnRecord | undefined> {
  const turn = await log.get(turnId);
  return turn?.merged_into === undefined ? turn : log.get(turn.merged_into);
}

/** Records that the bot takes part in the thread of a message it has taken. */
export async function noteTaken(context: IntakeContext, place: Place, spoken: Spoken): Promise<void> {
  if (isDirectMessage(place.namespace)) return;
  const state = await context.threads.note(place, spoken, true);
  if (state?.company === "unknown") settleCompany(context, place, state.asker);
}

/** Finds out whether the asker is the only person in a thread the bot was called into. Does not wait for it. */
function settleCompany(context: IntakeContext, place: Place, asker: string): void {
  context.background(async () => {
    const messages = await context.platform.readThread(place, maxThreadMessages);
    const others = messages.some(({ author }) => !author.self && !author.bot && author.id !== asker);
    await context.threads.settle(place, others ? "company" : "alone");
  }, "A thread could not be read; in it only mentions are answered");
}
