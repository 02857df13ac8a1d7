import { LRUCache } from "lru-cache";
import type { TurnRecord } from "../../../core/turn-log.ts";
import { withoutMention } from "../../commands/parse-command.ts";
import type { ChatEdit } from "../chat-intake.ts";
import { type IntakeContext, NotStoredError } from "./intake-context.ts";
import { submittedText } from "./submitted-text.ts";
import type { TakeMessage } from "./take-message.ts";

/** Decides about a message whose text may have changed. */
export type TakeEdit = (edit: ChatEdit) => Promise<void>;

/** A message that is meant for the bot only now is taken as new if it is not older. */
const freshMs = 15 * 60_000;

/** Edited messages whose latest text is kept in memory. */
const remembered = 2_000;

/** Characters of their texts together. */
const rememberedCharacters = 2_000_000;

/**
 * While a turn is under way, the new text of its message goes into it. After it nothing happens: who wants another answer
 * asks again. @throws NotStoredError
 */
export function createTakeEdit(context: IntakeContext, takeMessage: TakeMessage): TakeEdit {
  const { app, log, clock } = context;
  /** By key: link previews come as edits after an edit, too. */
  const latest = new LRUCache<string, string>({
    max: remembered,
    maxSize: rememberedCharacters,
    sizeCalculation: (text) => text.length + 1,
  });

  return async (edit) => {
    const { key, text, edited_at: _edited_at, ...message } = edit;
    const turnId = await log.find(key);
    if (turnId === undefined) {
      const isFresh = clock.now() - edit.said_at <= freshMs;
      if (isFresh) await takeMessage({ ...message, key, text });
      return;
    }
    const turn = await log.get(turnId);
    const into = turn?.merged_into === undefined ? turn : await log.get(turn.merged_into);
    if (turn === undefined || into === undefined || !isOpenFor(into, edit)) return;
    const now = storedText(text, app.name);
    if (now === (latest.get(key) ?? turn.text.trim())) return;
    await steer(context, into, edit);
    latest.set(key, now);
  };
}

function isOpenFor(turn: TurnRecord, edit: ChatEdit): boolean {
  return (
    turn.status !== "finished" &&
    turn.kind === "message" &&
    turn.author.id === edit.author &&
    turn.namespace === edit.place.namespace
  );
}

/** As the log has the text of a message. */
function storedText(text: string, botName: string): string {
  return withoutMention(submittedText(text, true, botName), botName).trim();
}

/** The author as the log has them: who may steer a turn is its author, with the rights it was asked with. */
async function steer({ app, whisperer }: IntakeContext, turn: TurnRecord, edit: ChatEdit): Promise<void> {
  const { namespace, thread, author } = turn;
  const outcome = await app.submit({
    namespace,
    thread,
    author,
    text: `I edited my message. It now says: ${edit.text.trim()}`,
    key: `${edit.key}:edit:${edit.edited_at}`,
    origin: { message: edit.id, said_at: edit.edited_at, files: [...edit.files], in_thread: edit.in_thread },
  });
  if (outcome.ok) return;
  if (outcome.status === 503) throw new NotStoredError(outcome.message);
  await whisperer.say({ place: edit.place, person: author.id, about: edit.id }, outcome.message);
}
