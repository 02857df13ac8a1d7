import type { TurnReading } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { maxHappened, maxTogether, type Trigger, type TriggerEvent } from "../../core/ports/schedule.ts";
import { cut } from "../../core/values/cut.ts";
import { type Author, onBehalfOf } from "../../core/values/inbound.ts";
import type { Held, HeldEvents } from "./held-events.ts";
import type { PlanBook } from "./plan-book.ts";
import { conditionInWords } from "./plan-words.ts";
import type { Entry } from "./planning.ts";
import { begin, holdWhilePaused, pauseAndTell, type RunDeps, tryLater } from "./run-plan.ts";
import { shownTime } from "./times.ts";

export interface TriggerDeps extends RunDeps {
  events: HeldEvents;
  platforms: ChatPlatforms;
  /** Whether this process runs a job. */
  jobs: { isRunning(id: string): boolean };
  log: Pick<TurnReading, "get">;
  /** The zone in which a person reads times in a channel. */
  zoneFor(author: Author, namespace: string): Promise<string>;
}

/** The result for an event: it waits for a turn, is only counted because too many wait, is known already, or its trigger is off. */
export type Happened = "held" | "counted" | "known" | "off";

/** Stores an event for a trigger. Once this resolves, the event survives a crash; its turn begins as soon as the limits allow. */
export async function noteEvent(
  book: PlanBook,
  { events, limits, now }: Pick<TriggerDeps, "events" | "limits" | "now">,
  id: string,
  event: TriggerEvent,
): Promise<Happened> {
  const entry = await book.get(id);
  if (entry?.value.what !== "trigger" || entry.value.paused !== undefined) return "off";
  const became = await events.hold(entry as Entry<Trigger>, event);
  // Also for a known event: the bot may have crashed before it scheduled the turn.
  await book.change(id, ({ value, due_at }) => {
    if (value.what !== "trigger" || value.paused !== undefined) return undefined;
    const next = Math.max(now(), (value.started_at ?? 0) + limits.trigger_gap_ms);
    const earliest = Math.min(due_at ?? next, next);
    const more = value.more + (became === "full" ? 1 : 0);
    return { value: { ...value, noted: value.noted + 1, more }, due_at: earliest };
  });
  return became === "full" ? "counted" : became;
}

/** Begins a turn for the events of one place; events elsewhere get their own turn a little later. */
export async function runTrigger(deps: TriggerDeps, entry: Entry<Trigger>): Promise<void> {
  const { id, namespace, value: trigger } = entry;
  const held = await waiting(deps, entry);
  const [first] = held;
  // A clock that was set forward, or a machine that slept, leaves no time to renew it.
  const isLost = (vouchedUntil(trigger) ?? Infinity) <= deps.now() && !deps.jobs.isRunning(id);
  if (first === undefined && isLost) return tellLost(deps, entry);
  if (trigger.paused !== undefined || first === undefined) return settle(deps, entry, held, []);
  if (await deps.isPaused(namespace)) return holdWhilePaused(deps, id);
  const maker = await deps.people.maker(namespace, trigger);
  if (maker.is === "away") return tryLater(deps, id);
  if (maker.is === "gone") return pauseAndTell(deps, entry, maker.because);
  if ((await stillOpen(deps, trigger)).length >= deps.limits.open_turns) return holdWhilePaused(deps, id);
  const together = await toTell(deps, trigger, held, first);
  const caused = await withCausers(deps, namespace, trigger, together, maker.author);
  if (caused === "away") return tryLater(deps, id);
  if (caused.events.length === 0) return settle(deps, entry, held, together);
  const begun = await begin(deps, entry, {
    author: caused.author,
    place: await placeOf(deps, entry, first),
    key: `trigger:${id}:${trigger.starts}`,
    reads: first.thread !== undefined,
    cause: {
      because: conditionInWords(trigger.condition),
      happened: await tell(deps, entry, caused.events),
      ...(caused.by.length === 0 ? {} : { caused_by: caused.by }),
    },
  });
  if (begun === undefined) return tryLater(deps, id);
  return settle(deps, entry, held, together, begun);
}

/** The events that wait, oldest first. Settles events that a turn got before a crash. */
async function waiting({ events, now }: TriggerDeps, entry: Entry<Trigger>): Promise<Held[]> {
  const { value: trigger } = entry;
  const all = await events.of(entry);
  const isTold = ({ start = trigger.starts }: Held) => start < trigger.starts;
  await events.settle(all.filter(isTold), now());
  return all.filter((event) => !isTold(event));
}

/** The events for the next turn. After a crash they are the same as before it. */
async function toTell(
  { events }: TriggerDeps,
  { starts }: Trigger,
  held: readonly Held[],
  first: Held,
): Promise<Held[]> {
  const assigned = held.filter(({ start }) => start === starts);
  if (assigned.length > 0) return assigned;
  const chosen = fitting(held.filter(({ thread }) => thread === first.thread));
  await events.assign(chosen, starts);
  return chosen;
}

/** Where the turn answers. Not every platform says whether the message of a reaction is in a thread. */
async function placeOf(
  deps: TriggerDeps,
  { id, namespace, value: { on_platform } }: Entry<Trigger>,
  { thread, reference }: TriggerEvent,
) {
  if (thread === undefined)
    return { namespace, thread: `trigger.${id}`, ...(on_platform ? { in_channel: true as const } : {}) };
  const message = await messageOf(deps, namespace, reference);
  return { namespace, thread: message?.thread ?? thread };
}

/** Undefined when the message no longer exists. */
async function messageOf({ platforms }: TriggerDeps, namespace: string, reference: string | undefined) {
  if (reference === undefined) return undefined;
  return platforms
    .of(namespace)
    ?.actions?.message(namespace, reference)
    .catch(() => undefined);
}

/** Characters of all events in one turn, and of the text around each event. */
const maxTold = maxHappened * 2;
const overhead = 120;

/** The first event, and as many more as fit. */
function fitting(events: readonly Held[]): Held[] {
  let left = maxTold;
  return events.slice(0, maxTogether).filter(({ happened }, at) => {
    left -= happened.length + overhead;
    return at === 0 || left >= 0;
  });
}

/** Stores the turn that began, then settles its events. In this order a crash in between repeats nothing. */
async function settle(
  { book, events, now, limits }: TriggerDeps,
  { id, value: { noted } }: Entry<Trigger>,
  held: readonly Held[],
  taken: readonly Held[],
  turnId?: string,
) {
  let isOver = false;
  await book.change(id, ({ value }) => {
    if (value.what !== "trigger") return undefined;
    const begun = turnId === undefined ? {} : { starts: value.starts + 1, started_at: now(), more: 0 };
    const open = turnId === undefined ? value.open : [...value.open, turnId].slice(-limits.open_turns);
    isOver = turnId !== undefined && isLast(value.condition, taken);
    const isMore = held.length > taken.length || value.noted !== noted;
    const isDue = isMore && value.paused === undefined;
    const due_at = isDue ? now() + limits.trigger_gap_ms : vouchedUntil(value);
    return { value: { ...value, ...begun, open, failures: 0 }, due_at };
  });
  await events.settle(taken, now());
  if (isOver) await book.remove(id);
}

/** Whether a trigger waits for nothing more after a turn for these events. */
function isLast(condition: Trigger["condition"], taken: readonly TriggerEvent[]): boolean {
  if (condition.on === "quiet") return condition.here;
  return condition.on === "job" && taken.some(({ key }) => key === jobEnd);
}

/** The key of the event that a job has ended. */
export const jobEnd = "end";

/** Until when the process of a job vouches for it; undefined for other triggers. */
export function vouchedUntil({ condition }: Trigger): number | undefined {
  return condition.on === "job" ? condition.alive_until : undefined;
}

/** Says in the thread of a job that it ended without a result: once, even after a crash. A paused one ends silently. */
async function tellLost(deps: TriggerDeps, entry: Entry<Trigger>): Promise<void> {
  const { id, namespace, value } = entry;
  if (value.paused !== undefined) return void (await deps.book.remove(id));
  const says = `The job \`${id}\` ended when I was restarted, before it was done. Shall I run it again?`;
  const begun = await begin(deps, entry, {
    author: value.maker,
    place: { namespace, thread: value.thread },
    key: `trigger:${id}:lost`,
    cause: { because: conditionInWords(value.condition), says },
  });
  if (begun === undefined) return tryLater(deps, id);
  await deps.book.remove(id);
}

async function stillOpen({ log }: TriggerDeps, { open }: Trigger): Promise<string[]> {
  const turns = await Promise.all(open.map((turnId) => log.get(turnId)));
  return turns.flatMap((turn) => (turn === undefined || turn.status === "finished" ? [] : turn.turn_id));
}

/** The events of people who may use the bot, the ids of those people, and the maker with the lowest rights of them all. */
async function withCausers(
  { people }: TriggerDeps,
  namespace: string,
  { thread }: Trigger,
  events: readonly TriggerEvent[],
  maker: Author,
): Promise<"away" | { events: TriggerEvent[]; by: string[]; author: Author }> {
  let author = maker;
  const kept: TriggerEvent[] = [];
  for (const event of events) {
    if (event.by === undefined || event.by === maker.id) {
      kept.push(event);
      continue;
    }
    const causer = await people.person({ namespace, thread: event.thread ?? thread }, event.by);
    if (causer.is === "away") return "away";
    if (causer.is === "gone") continue;
    author = onBehalfOf(author, causer.author);
    kept.push(event);
  }
  const others = kept.flatMap(({ by }) => (by === undefined || by === maker.id ? [] : by));
  return { events: kept, by: [...new Set(others)], author };
}

/** The events as text for a model. The text is untrusted. */
async function tell(
  deps: TriggerDeps,
  { namespace, value }: Entry<Trigger>,
  events: readonly TriggerEvent[],
): Promise<string> {
  const zone = await deps.zoneFor(value.maker, namespace);
  const told = await Promise.all(
    events.map(async ({ at, by, happened, reference }) => {
      const found = await messageOf(deps, namespace, reference);
      const text = found
        ? `${happened}\nThe message, by ${found.author.name} (${found.link}):\n${found.text}`
        : happened;
      return `[${shownTime(at, zone)} ${zone}${by === undefined ? "" : `, by ${by}`}] ${text}`;
    }),
  );
  const more =
    value.more === 0 ? [] : [`This happened ${value.more} more times meanwhile; these are not shown.`];
  const each = Math.floor(maxTold / (told.length + 1));
  const isLong = told.reduce((sum, text) => sum + text.length, 0) > maxTold;
  return [...(isLong ? told.map((text) => cut(text, each)) : told), ...more].join("\n\n");
}
