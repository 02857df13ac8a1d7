import { z } from "zod";
import type { TurnReading } from "../../../core/log/turn-log.ts";
import { noUsage, plusUsage, type UsageTotal } from "../../../core/log/usage.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { type Json, type JsonObject, toJson } from "../../../core/values/json.ts";
import type { ChatMessage } from "../chat-intake.ts";
import type { ChatPolicy } from "../chat-policy.ts";

const dayMs = 86_400_000;

/** Time after which a judgement counts as lost with its process, ms; longer than one takes. */
const lostAfterMs = 60_000;

const daySchema = z.object({
  /** Days since the epoch, UTC. */
  day: z.number(),
  /** Keys of the messages that were given to the model. */
  judged: z.array(z.string()),
  /** Until when a judgement is under way, ms since the epoch. */
  busy_until: z.number(),
  /** Threads in which an answer was offered. */
  offered: z.array(z.string()),
  usage: z.custom<UsageTotal>(),
});
type OfferDay = z.infer<typeof daySchema>;

/** A message about which an answer may be offered. */
type Candidate = Pick<ChatMessage, "key" | "place">;

/** What was judged and offered in channels today. All processes on a store count together, and what a process began before it died counts. */
export type OfferDays = ReturnType<typeof createOfferDays>;

const keyOf = (namespace: string) => `chat-offers:${namespace}`;

export function createOfferDays(
  store: KeyValue,
  clock: Pick<Clock, "now">,
  { per_day, judged_per_day }: ChatPolicy["offers"],
) {
  const today = (value: Json | undefined): OfferDay => {
    const day = Math.floor(clock.now() / dayMs);
    const { data } = daySchema.safeParse(value);
    return data?.day === day ? data : { day, judged: [], busy_until: 0, offered: [], usage: noUsage };
  };
  const mayOffer = ({ offered }: OfferDay, { place }: Candidate) =>
    offered.length < per_day && !offered.includes(place.thread);
  const isOpen = (day: OfferDay, message: Candidate) =>
    mayOffer(day, message) &&
    day.judged.length < judged_per_day &&
    !day.judged.includes(message.key) &&
    day.busy_until <= clock.now();
  /** Changes the day if `may` allows it. */
  const change = async (
    { place }: Candidate,
    may: (day: OfferDay) => boolean,
    next: (day: OfferDay, allowed: boolean) => OfferDay,
  ) => {
    let allowed = false;
    await store.update<JsonObject>(keyOf(place.namespace), (value) => {
      const day = today(value);
      allowed = may(day);
      return toJson(next(day, allowed)) as JsonObject;
    });
    return allowed;
  };
  return {
    /** Whether the day still has room for a judgement of this message and an offer. */
    hasRoom: async (message: Candidate) =>
      isOpen(today(await store.get(keyOf(message.place.namespace))), message),
    /** Begins a judgement. False if there is no room, if the message was judged before, or if another judgement of the channel is under way. */
    begin: (message: Candidate) =>
      change(
        message,
        (day) => isOpen(day, message),
        (day, allowed) =>
          allowed
            ? { ...day, judged: [...day.judged, message.key], busy_until: clock.now() + lostAfterMs }
            : day,
      ),
    /** Ends it. Returns whether the answer may be offered, which then counts as offered. */
    end: (message: Candidate, { usage, helps }: { usage: UsageTotal; helps: boolean }) =>
      change(
        message,
        (day) => helps && mayOffer(day, message),
        (day, allowed) => ({
          ...day,
          busy_until: 0,
          usage: plusUsage(day.usage, usage),
          offered: allowed ? [...day.offered, message.place.thread] : day.offered,
        }),
      ),
  };
}

/**
 * What turns have cost, and for a channel what judging its messages has cost today (UTC). `since`, ms since the epoch, is a time of today;
 * judgements of earlier days are not kept.
 */
export function usageWithJudgements({
  log,
  store,
}: {
  log: Pick<TurnReading, "usage">;
  store: KeyValue;
}): TurnReading["usage"] {
  return async (filter) => {
    const ofTurns = await log.usage(filter);
    if (filter.namespace === undefined) return ofTurns;
    const { data } = daySchema.safeParse(await store.get(keyOf(filter.namespace)));
    const isOver = data === undefined || data.day * dayMs < filter.since;
    return isOver ? ofTurns : plusUsage(ofTurns, data.usage);
  };
}
