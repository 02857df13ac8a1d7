import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { OfferReply, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import { settingsOf } from "../../../core/skill/namespace-state.ts";
import type { Author } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import { offersOffKey } from "../../services/shapes.ts";
import type { ButtonPress, ChatMessage } from "../chat-intake.ts";
import { ExpiringEntries } from "../expiring-entries.ts";
import { acceptMessage, noteTaken } from "./accept-message.ts";
import type { IntakeContext } from "./intake-context.ts";
import { createOfferDays, type OfferDays } from "./offer-days.ts";
import { refusalOf } from "./refusal-of.ts";
import { whySilent, whySilentIn } from "./why-silent.ts";

/**
 * Speaking unasked, in channels with the reply mode `ambient`: the bot asks the writer of a question privately whether it shall answer.
 * A rule drops most messages; the small model judges the rest; both the judgements and the offers of a day are limited.
 */
export type UnaskedOffers = ReturnType<typeof createUnaskedOffers>;

/** What the person reads in place of the offer. */
export interface Closing {
  closing: string;
}

/** How long people get to answer a question before the model judges it. */
const patienceMs = 60_000;

/** How long an offer is open. */
const openMs = 30 * 60_000;

/** Maximum messages of a thread that are read. */
const maxThreadMessages = 100;

const maxQuoted = 200;

const openSchema = z.object({
  namespace: z.string(),
  thread: z.string(),
  key: z.string(),
  /** The platform's id of the message. Its text is not stored, but read again. */
  message: z.string(),
  in_thread: z.boolean(),
  until: z.number(),
});

const over = { closing: "This offer is closed. Mention me if you want an answer." };

/** A message that waits to be judged, or is being judged. One in a channel. */
interface Candidate {
  message: ChatMessage;
  /** Somebody went on, so nothing is offered. */
  dropped: boolean;
  stopWaiting(): void;
}

interface Offering {
  context: IntakeContext;
  days: OfferDays;
  /** Open offers by token and person. */
  open: ExpiringEntries;
  /** By namespace. */
  candidates: Map<string, Candidate>;
}

export function createUnaskedOffers(context: IntakeContext) {
  const { store, clock, policy, logger } = context;
  const offering: Offering = {
    context,
    days: createOfferDays(store, clock, policy.offers),
    open: new ExpiringEntries(store, clock, "chat-offer", { groups: 16, most: 256 }),
    candidates: new Map(),
  };
  return {
    /** Somebody wrote a message. `isForBot`: it is answered anyway. Never rejects. */
    async heard(message: ChatMessage, isForBot: boolean): Promise<void> {
      try {
        await hear(offering, message, isForBot);
      } catch (error) {
        logger.warn({ err: error, ...message.place }, "A message could not be considered for an offer");
      }
    },
    /** A message was changed, or deleted: it is not judged any more. */
    changed({ key, text }: { key: string; text?: string }): void {
      for (const candidate of offering.candidates.values())
        if (candidate.message.key === key && candidate.message.text !== text) drop(offering, candidate);
    },
    /** The place of an open offer to the person who pressed; undefined if they have none with this token. */
    async placeOf(token: string, person: string): Promise<Place | undefined> {
      const offer = await findOpen(offering, token, person);
      return offer && { namespace: offer.namespace, thread: offer.thread };
    },
    /** Begins the turn that was offered. @throws NotStoredError, PlatformError */
    accept: (token: string, by: Author) => accept(offering, token, by),
    /** Ends the offer, and all further ones if `never`. */
    async decline(token: string, reply: Exclude<OfferReply, "yes">, press: ButtonPress) {
      const isOpen = await close(offering, token, press.person);
      if (reply === "no") return isOpen ? { closing: "I stay silent." } : over;
      return setOffers(context, token, reply, press);
    },
  };
}

/** Looks at a message: it may end the wait of the one before it, and wait in its place. */
async function hear(offering: Offering, message: ChatMessage, isForBot: boolean): Promise<void> {
  const { context, days, candidates } = offering;
  const { namespace } = message.place;
  const isSilent = isForBot || whySilent(message, context.clock.now()) !== undefined;
  const before = candidates.get(namespace);
  if (before?.message.key === message.key) return;
  const goesOn = isForBot || !isSilent || message.author !== before?.message.author;
  if (before !== undefined && !message.by_bot && goesOn && isNear(message, before.message))
    drop(offering, before);
  if (isSilent || candidates.has(namespace) || !(await isWanted(offering, message))) return;
  if (!(await days.hasRoom(message)) || candidates.has(namespace)) return;
  const candidate: Candidate = { message, dropped: false, stopWaiting: () => {} };
  candidates.set(namespace, candidate);
  candidate.stopWaiting = context.clock.after(patienceMs, () =>
    context.background(
      () => consider(offering, candidate).finally(() => drop(offering, candidate)),
      "It could not be decided whether to offer an answer",
    ),
  );
}

/** Whether a message is in the conversation of another one: its thread, or for a message of the channel itself the channel. */
function isNear(message: ChatMessage, other: ChatMessage): boolean {
  return message.place.thread === other.place.thread || (!message.in_thread && !other.in_thread);
}

function drop({ candidates }: Offering, candidate: Candidate): void {
  candidate.dropped = true;
  candidate.stopWaiting();
  const { namespace } = candidate.message.place;
  if (candidates.get(namespace) === candidate) candidates.delete(namespace);
}

/** Whether the channel wants offers, and the person has not declined all of them. */
async function isWanted({ context }: Offering, { place, author }: ChatMessage): Promise<boolean> {
  const { reply, paused } = await settingsOf(context.store, place.namespace);
  if (reply !== "ambient" || paused !== undefined) return false;
  return (await context.store.get(offersOffKey(context.platform.id, author))) === undefined;
}

/** Judges a message that nobody has answered, and offers an answer if that would help. */
async function consider(offering: Offering, candidate: Candidate): Promise<void> {
  const { context, days } = offering;
  const { message } = candidate;
  const { namespace } = message.place;
  if (!(await mayOffer(offering, message)) || candidate.dropped) return;
  if (!(await days.begin(message))) return;
  const { error, ...judged } = await context.judge.judge(
    namespace,
    message.text,
    await settingsOf(context.store, namespace),
  );
  if (error !== undefined)
    context.logger.warn({ err: error, namespace }, "The model could not judge a message");
  const helps = judged.helps && !candidate.dropped && (await isWanted(offering, message));
  const isOffered = await days.end(message, { usage: judged.usage, helps });
  const outcome = { namespace, message: message.key, helps: judged.helps, offered: isOffered };
  context.logger.info(outcome, "The model judged a message that nobody addressed to the bot");
  if (isOffered) await offer(offering, message, judged.reason);
}

/** The checks before the model is asked. @throws PlatformError when the thread or the person cannot be read */
async function mayOffer(offering: Offering, message: ChatMessage): Promise<boolean> {
  const { threads, log, platform, policy, store, judge } = offering.context;
  const { place, author, key } = message;
  if (!(await isWanted(offering, message)) || (await threads.of(place)) !== undefined) return false;
  if ((await log.find(key)) !== undefined) return false;
  if (whySilentIn(await platform.readThread(place, maxThreadMessages), message) !== undefined) return false;
  const person = await platform.person(place, author);
  if (refusalOf(policy.access, person, place) !== undefined) return false;
  return judge.mayJudge(place.namespace, person, await settingsOf(store, place.namespace));
}

async function offer(
  { context, open }: Offering,
  { key, place, id, in_thread, author, text }: ChatMessage,
  reason: string,
): Promise<void> {
  const { clock, platform, newId } = context;
  const token = newId();
  const until = clock.now() + openMs;
  await open.change(`${token} ${author}`, () => ({ ...place, key, message: id, in_thread, until }));
  await platform.whisper(place, author, card(token, text, reason), { message: id, person: author });
}

function card(token: string, text: string, reason: string): OutgoingMessage {
  const quoted = oneLine(text, maxQuoted);
  return {
    unasked: true,
    markdown:
      `Shall I answer this? Only you see this question.\n\n> ${quoted}\n\n${escapeMarkdown(oneLine(reason, maxQuoted))}`.trim(),
    buttons: [
      { action: { role: "offer", token, reply: "yes" }, label: "Yes, answer it", style: "primary" },
      { action: { role: "offer", token, reply: "no" }, label: "No" },
      { action: { role: "offer", token, reply: "never" }, label: "Not for me" },
    ],
  };
}

async function findOpen({ open }: Offering, token: string, person: string) {
  return openSchema.safeParse(await open.get(`${token} ${person}`)).data;
}

/** Returns whether the offer was open. */
async function close({ open }: Offering, token: string, person: string): Promise<boolean> {
  return (await open.change(`${token} ${person}`, () => undefined)) !== undefined;
}

/** Stores whether a person gets offers. */
async function setOffers(
  { store, clock, platform, background }: IntakeContext,
  token: string,
  reply: "never" | "again",
  { place, person, id }: ButtonPress,
): Promise<Closing | undefined> {
  const key = offersOffKey(platform.id, person);
  if (reply === "again") {
    await store.delete(key);
    return { closing: "I may offer you an answer again." };
  }
  await store.set(key, { at: clock.now() });
  const told: OutgoingMessage = {
    unasked: true,
    closes: true,
    markdown: "I offer you no more answers, here and in other channels.",
    buttons: [{ action: { role: "offer", token, reply: "again" }, label: "Offer again" }],
  };
  const tell = () => platform.whisper(place, person, told, { message: id, person });
  background(tell, "A person could not be told that they get no more offers");
  return undefined;
}

/** The turn has the key of the message, so that it begins once. */
async function accept(offering: Offering, token: string, by: Author): Promise<Closing> {
  const { context } = offering;
  const found = await findOpen(offering, token, by.id);
  if (found === undefined) return over;
  const { namespace, thread, key, message: id, in_thread } = found;
  const place = { namespace, thread };
  const messages = await context.platform.readThread(place, maxThreadMessages);
  const message = messages.find((each) => each.id === id && each.author.id === by.id);
  if (message === undefined)
    return { closing: "I no longer find your message. Mention me with your question if you want an answer." };
  const { text, files } = message;
  const origin = { message: id, said_at: context.clock.now(), files: [...files], in_thread };
  await acceptMessage(context, { key, place, id, in_thread, author: by, text, to: "room", origin });
  await noteTaken(context, place, { author: by.id, by_bot: false, mentions_others: false, in_thread });
  await close(offering, token, by.id);
  return { closing: "I am answering it." };
}
