import { beginningOf } from "../../base/markdown-text.ts";
import {
  type DueEntry,
  dueKinds,
  type Trigger,
  type WatchedThread,
  watchedThreadSchema,
} from "../../core/ports/schedules.ts";
import { cut } from "../../core/values/cut.ts";
import type { Place } from "../../core/values/place.ts";
import { emojiNames } from "../reading/emoji-names.ts";
import { noteEvent } from "./held-events.ts";
import type { Entry } from "./plan-book.ts";
import type { Planning } from "./planning.ts";
import { hasWords, isEmojiOf } from "./trigger-words.ts";

/** A message, as far as triggers look at it. */
interface HeardMessage {
  key: string;
  place: Place;
  author: string;
  by_bot: boolean;
  text: string;
  said_at: number;
  addressed: "mention" | "direct" | "reply" | "none";
  in_thread: boolean;
  edited_at?: number;
}

/** A reaction to a message. */
interface HeardReaction {
  place: Place;
  reference: string;
  person: string;
  emoji: string;
  added: boolean;
  at: number;
  key: string;
}

/** Maximum watched threads in one channel. */
const maxWatched = 200;

/** Maximum age of a message or reaction that triggers react to, ms. */
const maxAgeMs = 3_600_000;

const hour = 3_600_000;

/** Matches messages and reactions in channels against triggers. Never rejects. */
export class ChatWatch {
  readonly #planning: Planning;

  constructor(planning: Planning) {
    this.#planning = planning;
  }

  async heard(message: HeardMessage): Promise<void> {
    if (message.by_bot) return;
    await this.#each(message.place, message.said_at, async (trigger) => {
      if (trigger.value.paused === undefined) await this.#hearFor(trigger, message);
    });
  }

  async #hearFor({ id, value: { condition } }: Entry<Trigger>, message: HeardMessage): Promise<void> {
    const { due } = this.#planning;
    const { key, place, author, text, said_at, addressed, in_thread, edited_at } = message;
    const { thread, namespace } = place;
    if (condition.on === "message") {
      // A message to the bot has a turn of its own.
      if (addressed !== "none" || !hasWords(condition.words, text)) return;
      const event = { key, at: said_at, by: author, thread, happened: cut(text, 8_000) };
      return void (await noteEvent(this.#planning, id, event));
    }
    if (condition.on !== "quiet" || edited_at !== undefined) return;
    const watched = await due.get(watchedId(id, thread));
    if (watched !== undefined) {
      if (watchedThreadSchema.safeParse(watched.value).data?.by !== author) await due.remove(watched.id);
      return;
    }
    if (condition.here || in_thread || addressed !== "none") return;
    const others = await due.list({ namespace, kind: dueKinds.watched, most: maxWatched });
    if (others.length >= maxWatched) return;
    const value = { trigger: id, thread, by: author, text: beginningOf(text, 1_000), at: said_at };
    await watch(this.#planning, namespace, condition.hours, value);
  }

  async reacted({ place, reference, person, emoji, added, at, key }: HeardReaction): Promise<void> {
    if (!added) return;
    const happened = `The reaction ${emoji} was added to a message.`;
    const event = { key, at, by: person, thread: place.thread, happened, reference };
    await this.#each(place, at, async ({ id, value: { condition } }) => {
      if (condition.on !== "reaction" || (condition.by ?? person) !== person) return;
      if (await isReactionOf(condition.emoji, emoji)) await noteEvent(this.#planning, id, event);
    });
  }

  /** The triggers of a channel, for something that just happened there. */
  async #each({ namespace }: Place, at: number, look: (trigger: Entry<Trigger>) => Promise<void>) {
    const { book, clock, report } = this.#planning;
    if (clock.now() - at > maxAgeMs) return;
    try {
      for (const trigger of await book.of("trigger", namespace)) await look(trigger);
    } catch (error) {
      report(error, "watching a chat for triggers");
    }
  }
}

/** Handles a watched thread that is due: no answer is known yet. */
export async function endWatch(planning: Planning, { id, namespace, value }: DueEntry): Promise<void> {
  const { data: watched } = watchedThreadSchema.safeParse(value);
  if (watched !== undefined) {
    const { trigger, thread, at, by, text } = watched;
    const turns = await planning.log.list({ namespace, thread, limit: 20 });
    // A turn of another person is an answer, too.
    const isAnswered = turns.some(({ accepted_at, author }) => accepted_at > at && author.id !== by);
    const happened = cut(`Nobody has answered this since: ${text}`, 2_000);
    const event = { key: `quiet:${thread}:${at}`, at, by, thread, happened };
    if (!isAnswered) await noteEvent(planning, trigger, event);
  }
  await planning.due.remove(id);
}

/** Starts watching the thread in which a trigger was made. */
export async function watchHere(planning: Planning, { id, namespace, value }: Entry<Trigger>): Promise<void> {
  const { condition, maker, thread, made_at, text } = value;
  if (condition.on !== "quiet" || !condition.here) return;
  const watched = { trigger: id, thread, by: maker.id, text: beginningOf(text, 1_000), at: made_at };
  await watch(planning, namespace, condition.hours, watched);
}

/** Watches a thread for a trigger, unless it does already. */
async function watch({ due, wake }: Planning, namespace: string, hours: number, value: WatchedThread) {
  const id = watchedId(value.trigger, value.thread);
  if ((await due.get(id)) !== undefined) return;
  await due.add({ id, namespace, kind: dueKinds.watched, due_at: value.at + hours * hour, value });
  wake();
}

function watchedId(trigger: string, thread: string): string {
  return `${trigger}.${thread}`;
}

/** Compares names and characters: Slack names a reaction (`+1`), Discord gives the character. `wanted` may have several of either. */
async function isReactionOf(wanted: string, reaction: string): Promise<boolean> {
  if (isEmojiOf(wanted, reaction)) return true;
  const names = await emojiNames(reaction);
  const others = await Promise.all(wanted.replaceAll(":", "").split(/\s+/).map(emojiNames));
  return others.flat().some((name) => names.includes(name));
}
