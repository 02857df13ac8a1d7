import { z } from "zod";
import { durationInWords } from "../../../base/duration-in-words.ts";
import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { type MessageTag, type OutgoingMessage, PlatformError } from "../../../core/ports/chat-platform.ts";
import { type Author, inboundSchema, mayStop } from "../../../core/values/inbound.ts";
import { type Json, toJson } from "../../../core/values/json.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ButtonPress } from "../chat-intake.ts";
import { acceptMessage, noteTaken, type TakenMessage } from "./accept-message.ts";
import { authorOf, type IntakeContext } from "./intake-context.ts";

/** Messages that came too late or were changed: the bot asks once per thread whether to answer them. */
export type LateMessages = ReturnType<typeof createLateMessages>;

const lateThreadSchema = z.object({
  /** Identifies the question; changes with each decision. */
  token: z.string(),
  open: z.boolean(),
  /** The number of messages the question covers. */
  count: z.number(),
  /** Keys of the messages already asked about, latest last. */
  keys: z.array(z.string()),
  newest: z.object({
    key: z.string(),
    id: z.string(),
    in_thread: z.boolean(),
    author: inboundSchema.shape.author,
    text: z.string(),
    to: z.enum(["bot", "room"]),
    origin: inboundSchema.shape.origin.unwrap(),
    edited: z.literal(true).optional(),
  }),
  /** The posted message of the question, once there is one. */
  reference: z.string().optional(),
  /** How many of its messages the posted question mentions. */
  shown: z.number().optional(),
});
type LateThread = z.infer<typeof lateThreadSchema>;

/** Maximum keys kept per thread. */
const rememberedKeys = 100;

/** Maximum characters of a message that the question quotes. */
const quotedCharacters = 200;

const over = "This question is closed. Write again what you need.";

export function createLateMessages(context: IntakeContext) {
  const { store, platform, newId } = context;
  const mutex = new KeyedMutex();
  const keyOf = ({ namespace, thread }: Place) => `chat-late:${namespace}:${thread}`;
  const read = async (place: Place) => parse(await store.get(keyOf(place)));
  const write = (place: Place, state: LateThread) => store.set(keyOf(place), toJson(state));
  const oneInThread = <T>(place: Place, work: () => Promise<T>) => mutex.run(keyOf(place), work);

  const wordsOf = (place: Place, { newest: { text, to } }: LateThread) =>
    context.app.reader.read(text, place, to).text;

  const show = async (place: Place, state: LateThread, mayBeThere: boolean) => {
    const tag: MessageTag = { turn_id: state.token, purpose: "question", part: 0 };
    const card = { ...questionAbout(state, context.clock.now(), wordsOf(place, state)), tag };
    const to = { message: state.newest.id, person: state.newest.author.id };
    const known = state.reference ?? (mayBeThere ? await platform.find(place, tag) : undefined);
    if (known !== undefined) await platform.edit(place, known, card);
    const reference = known ?? (await platform.post(place, card, to));
    await write(place, { ...state, reference, shown: state.count });
  };
  const close = async (place: Place, state: LateThread, pressed?: string) => {
    const reference = state.reference ?? pressed;
    await write(place, { ...withoutWords(state), open: false, reference: undefined, shown: undefined });
    if (reference === undefined) return;
    const remove = () => platform.remove(place, reference);
    context.background(remove, "The question about a late message could not be removed");
  };

  return {
    /**
     * Asks about a message, together with others of its thread. Never asks twice about the same message.
     * @throws PlatformError when the question could not be posted: the message has to be delivered again
     */
    ask: (message: TakenMessage) =>
      oneInThread(message.place, async () => {
        const before = await read(message.place);
        const known = before?.keys.includes(message.key) ?? false;
        if (before !== undefined && known && (!before.open || before.shown === before.count)) return;
        const after = before !== undefined && known ? before : withMessage(before, message, newId());
        await write(message.place, after);
        // An earlier attempt may have posted the question and stopped before noting it.
        const mayBeThere = before?.open === true;
        await show(message.place, after, mayBeThere).catch((error: unknown) => giveUp(context, after, error));
      }),

    /** Somebody pressed a button of the question. Returns a text to tell them, if any. @throws NotStoredError */
    decide: (token: string, wanted: boolean, press: ButtonPress, by: Author) =>
      oneInThread(press.place, async () => {
        const { place } = press;
        const state = await read(place);
        if (state === undefined || !state.open || state.token !== token) return over;
        const { newest } = state;
        if (!mayStop(by, { author: newest.author, namespace: place.namespace }))
          return `Only ${newest.author.name}, or a manager of the channel, may decide this.`;
        if (wanted) await submit(context, place, newest, by);
        await close(place, state, press.reference);
        return undefined;
      }),

    /** The message was deleted: the bot no longer asks about it. */
    drop: (key: string, place: Place) =>
      oneInThread(place, async () => {
        const state = await read(place);
        const isMeant = state?.newest.key === key || state?.newest.key.startsWith(editKey(key, ""));
        if (state?.open === true && isMeant) await close(place, state);
      }),
  };
}

/** Key of a message as edited at this time, ms since the epoch. */
export function editKey(key: string, editedAt: number | ""): string {
  return `${key}:edit:${editedAt}`;
}

/** A question that could not be posted or changed now is when the message is delivered again. */
function giveUp({ logger }: IntakeContext, state: LateThread, error: unknown): void {
  if (!(error instanceof PlatformError) || error.isTemporary) throw error;
  logger.warn(
    { err: error, message: state.newest.key },
    "It could not be asked whether a late message is still wanted",
  );
}

function withMessage(before: LateThread | undefined, message: TakenMessage, token: string): LateThread {
  const { place: _place, ...newest } = message;
  const open = before?.open === true ? before : undefined;
  const isChange = message.edited === true && open?.newest.id === message.id;
  const isNewer = open === undefined || newest.origin.said_at >= open.newest.origin.said_at;
  return {
    token: open?.token ?? token,
    open: true,
    count: (open?.count ?? 0) + (isChange ? 0 : 1),
    keys: [...(before?.keys ?? []), message.key].slice(-rememberedKeys),
    newest: isNewer ? newest : open.newest,
    reference: open?.reference,
    shown: open?.shown,
  };
}

/** The text is kept no longer than the question about it: afterwards the turn has it, or it is not wanted. */
function withoutWords(state: LateThread): LateThread {
  const { newest } = state;
  return { ...state, newest: { ...newest, text: "", origin: { ...newest.origin, files: [] } } };
}

/** The author as of now: their rights may have changed since. */
async function submit(
  context: IntakeContext,
  place: Place,
  newest: LateThread["newest"],
  by: Author,
): Promise<void> {
  const author =
    by.id === newest.author.id ? by : authorOf(await context.platform.person(place, newest.author.id));
  await acceptMessage(context, { ...newest, place, author });
  const { in_thread } = newest;
  await noteTaken(context, place, { author: author.id, by_bot: false, mentions_others: false, in_thread });
}

function questionAbout({ token, count, newest }: LateThread, now: number, words: string): OutgoingMessage {
  const ago = durationInWords(now - newest.origin.said_at);
  const text = words.replace(/\s+/g, " ");
  const quoted = text.length > quotedCharacters ? `${beginningOf(text, quotedCharacters)}…` : text;
  const markdown = newest.edited
    ? `You changed your question. Answer it again?\n\n> ${quoted}`
    : count === 1
      ? `I was not connected when this was written ${ago} ago, so I did nothing yet. Still want this?\n\n> ${quoted}`
      : `I was not connected when ${count} messages for me were written here, so I did nothing yet. Still want the latest, written ${ago} ago?\n\n> ${quoted}`;
  return {
    markdown,
    buttons: [
      { action: { role: "late", token, wanted: true }, label: "Yes, answer it", style: "primary" },
      { action: { role: "late", token, wanted: false }, label: "No" },
    ],
  };
}

function parse(value: Json | undefined): LateThread | undefined {
  const state = lateThreadSchema.safeParse(value);
  return state.success ? state.data : undefined;
}
