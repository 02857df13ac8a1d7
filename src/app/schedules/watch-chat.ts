import { beginningOf } from "../../base/markdown-text.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
import {
  dueKinds,
  hasWords,
  isEmojiOf,
  type ScheduleLimits,
  type Trigger,
  type TriggerCondition,
  type TriggerEvent,
  type WatchedThread,
  watchedThreadSchema,
} from "../../core/ports/schedule.ts";
import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import { cut } from "../../core/values/cut.ts";
import type { Place } from "../../core/values/place.ts";
import { emojiNames } from "../reading/emoji-names.ts";
import type { HeldEvents } from "./held-events.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Entry } from "./planning.ts";
import { noteEvent } from "./run-trigger.ts";

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

/** Matches messages and reactions in channels against triggers. Never rejects. */
export interface ChatWatch {
  heard(message: HeardMessage): Promise<void>;
  reacted(reaction: HeardReaction): Promise<void>;
  /** Handles a watched thread that is due: no answer is known yet. */
  quiet(entry: DueEntry): Promise<void>;
  /** Starts watching the thread in which a trigger was made. */
  watchHere(entry: Entry<Trigger>): Promise<void>;
}

export interface WatchDeps {
  book: PlanBook;
  events: HeldEvents;
  due: DueEntries;
  log: Pick<TurnReading, "list">;
  limits: ScheduleLimits;
  now(): number;
  /** An entry may have come due. */
  wake(): void;
  report(error: unknown, where: string): void;
}

/** Maximum watched threads in one channel. */
const maxWatched = 200;

/** Maximum age of a message or reaction that triggers react to, ms. */
const maxAgeMs = 3_600_000;

const hour = 3_600_000;

export function createChatWatch(deps: WatchDeps): ChatWatch {
  const { book, due, now, report } = deps;
  const safely = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      report(error, "watching a chat for triggers");
    }
  };
  return {
    heard: (message) =>
      safely(async () => {
        const { place, by_bot, said_at } = message;
        if (by_bot || now() - said_at > maxAgeMs) return;
        for (const trigger of await book.triggers(place.namespace))
          if (trigger.value.paused === undefined) await hearFor(deps, trigger, message);
      }),
    reacted: (reaction) =>
      safely(async () => {
        const { place, reference, person, emoji, added, at, key } = reaction;
        if (!added || now() - at > maxAgeMs) return;
        const happened = `The reaction ${emoji} was added to a message.`;
        for (const { id, value } of await book.triggers(place.namespace))
          if (await isOf(value.condition, reaction))
            await note(deps, id, { key, at, by: person, thread: place.thread, happened, reference });
      }),
    quiet: async ({ id, namespace, value }) => {
      const { data: watched } = watchedThreadSchema.safeParse(value);
      if (watched !== undefined && !(await isAnswered(deps, namespace, watched))) {
        const { trigger, thread, at, by, text } = watched;
        const happened = cut(`Nobody has answered this since: ${text}`, 2_000);
        await note(deps, trigger, { key: `quiet:${thread}:${at}`, at, by, thread, happened });
      }
      await due.remove(id);
    },
    async watchHere({ id, namespace, value: { condition, maker, thread, made_at, text } }) {
      if (condition.on !== "quiet" || !condition.here) return;
      const value = { trigger: id, thread, by: maker.id, text: beginningOf(text, 1_000), at: made_at };
      await watch(deps, namespace, made_at + condition.hours * hour, value);
    },
  };
}

async function note(deps: WatchDeps, trigger: string, event: TriggerEvent): Promise<void> {
  if ((await noteEvent(deps.book, deps, trigger, event)) === "held") deps.wake();
}

/** Watches a thread for a trigger, unless it does already. */
async function watch(
  { due, wake }: WatchDeps,
  namespace: string,
  due_at: number,
  value: WatchedThread,
): Promise<void> {
  const id = watchedId(value.trigger, value.thread);
  if ((await due.get(id)) !== undefined) return;
  await due.add({ id, namespace, kind: dueKinds.watched, due_at, value });
  wake();
}

function watchedId(trigger: string, thread: string): string {
  return `${trigger}.${thread}`;
}

async function isOf(condition: TriggerCondition, { emoji, person }: HeardReaction): Promise<boolean> {
  if (condition.on !== "reaction" || (condition.by ?? person) !== person) return false;
  return isReactionOf(condition.emoji, emoji);
}

/** Compares names and characters: Slack names a reaction (`+1`), Discord gives the character. `wanted` may have several of either. */
async function isReactionOf(wanted: string, reaction: string): Promise<boolean> {
  if (isEmojiOf(wanted, reaction)) return true;
  const names = await emojiNames(reaction);
  const others = await Promise.all(wanted.replaceAll(":", "").split(/\s+/).map(emojiNames));
  return others.flat().some((name) => names.includes(name));
}

async function hearFor(
  deps: WatchDeps,
  { id, value: { condition } }: Entry<Trigger>,
  { key, place, author, text, said_at, addressed, in_thread, edited_at }: HeardMessage,
): Promise<void> {
  const { due } = deps;
  if (condition.on === "message") {
    // A message to the bot has a turn of its own.
    if (addressed !== "none" || !hasWords(condition.words, text)) return;
    await note(deps, id, { key, at: said_at, by: author, thread: place.thread, happened: cut(text, 8_000) });
    return;
  }
  if (condition.on !== "quiet" || edited_at !== undefined) return;
  const watched = await due.get(watchedId(id, place.thread));
  if (watched !== undefined) {
    if (watchedThreadSchema.safeParse(watched.value).data?.by !== author) await due.remove(watched.id);
    return;
  }
  if (condition.here || in_thread || addressed !== "none") return;
  const others = await due.list({ namespace: place.namespace, kind: dueKinds.watched, most: maxWatched });
  if (others.length >= maxWatched) return;
  const { thread, namespace } = place;
  const value = { trigger: id, thread, by: author, text: beginningOf(text, 1_000), at: said_at };
  await watch(deps, namespace, said_at + condition.hours * hour, value);
}

/** Whether the bot has had a turn of another person in the thread since the watch began. */
async function isAnswered(
  { log }: WatchDeps,
  namespace: string,
  { thread, by, at }: WatchedThread,
): Promise<boolean> {
  const turns = await log.list({ namespace, thread, limit: 20 });
  return turns.some(({ accepted_at, author }) => accepted_at > at && author.id !== by);
}
