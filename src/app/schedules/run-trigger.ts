import { maxHappened, maxTogether, type Trigger, type TriggerEvent } from "../../core/ports/schedules.ts";
import { cut } from "../../core/values/cut.ts";
import { type Author, onBehalfOf } from "../../core/values/inbound.ts";
import { idOf, named } from "../../core/values/label.ts";
import type { DuePlan } from "./due-plan.ts";
import { assignEvents, eventsOf, type Held, settleEvents } from "./held-events.ts";
import { personNow } from "./maker-now.ts";
import { conditionInWords } from "./plan-words.ts";
import { zoneFor } from "./planning.ts";
import { shownTime } from "./times.ts";

type DueTrigger = DuePlan<Trigger>;

/** Begins a turn for the events of one place; events elsewhere get their own turn a little later. */
export async function runTrigger(due: DueTrigger): Promise<void> {
  const { planning, id, namespace, value: trigger } = due;
  const held = await waiting(due);
  const [first] = held;
  // A clock that was set forward, or a machine that slept, leaves no time to renew it.
  const isLost = (vouchedUntil(trigger) ?? Infinity) <= planning.clock.now() && !planning.isRunning(id);
  if (first === undefined && isLost) return endLost(due);
  if (trigger.paused !== undefined || first === undefined) return settle(due, held, []);
  const maker = await due.maker();
  if (maker === undefined) return;
  if ((await openTurns(due)) >= planning.limits.open_turns) return due.hold();
  const together = await eventsFor(due, held, first);
  const caused = await withCausers(due, together, maker);
  if (caused === "away") return due.tryLater();
  if (caused.events.length === 0) return settle(due, held, together);
  const { thread = `trigger.${id}`, reference } = first;
  const begun = await due.begin({
    author: caused.author,
    namespace,
    // Not every platform says whether the message of a reaction is in a thread.
    thread: (await messageOf(due, reference))?.thread ?? thread,
    key: `trigger:${id}:${trigger.starts}`,
    reads: first.thread !== undefined,
    cause: {
      because: conditionInWords(trigger.condition),
      happened: await textOf(due, caused.events),
      in_channel: (first.thread === undefined && trigger.on_platform) || undefined,
      caused_by: caused.by.length === 0 ? undefined : caused.by,
    },
  });
  return begun === undefined ? due.tryLater() : settle(due, held, together, begun);
}

/** The events that wait, oldest first. Settles events that a turn got before a crash. */
async function waiting(due: DueTrigger): Promise<Held[]> {
  const { starts } = due.value;
  const events = await eventsOf(due.planning, due);
  await settleEvents(
    due.planning,
    events.filter(({ start = starts }) => start < starts),
  );
  return events.filter(({ start = starts }) => start >= starts);
}

/** The events for the next turn. After a crash they are the same as before it. */
async function eventsFor({ planning, value: { starts } }: DueTrigger, held: readonly Held[], first: Held) {
  const assigned = held.filter(({ start }) => start === starts);
  if (assigned.length > 0) return assigned;
  const chosen = fitting(held.filter(({ thread }) => thread === first.thread));
  await assignEvents(planning, chosen, starts);
  return chosen;
}

/** Undefined when the message no longer exists. */
async function messageOf({ planning, namespace }: DueTrigger, reference: string | undefined) {
  if (reference === undefined) return undefined;
  const message = planning.platforms.of(namespace)?.actions?.message(namespace, reference);
  return message?.catch(() => undefined);
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
async function settle(due: DueTrigger, held: readonly Held[], taken: readonly Held[], turnId?: string) {
  const { planning, id } = due;
  const { book, clock, limits } = planning;
  let isOver = false;
  await book.change<Trigger>(id, ({ value }) => {
    isOver = turnId !== undefined && isLast(value.condition, taken);
    const isMore = held.length > taken.length || value.noted !== due.value.noted;
    const isDue = isMore && value.paused === undefined;
    const due_at = isDue ? clock.now() + limits.trigger_gap_ms : vouchedUntil(value);
    if (turnId === undefined) return { value: { ...value, failures: 0 }, due_at };
    const open = [...value.open, turnId].slice(-limits.open_turns);
    const begun = { starts: value.starts + 1, started_at: clock.now(), more: 0, open, failures: 0 };
    return { value: { ...value, ...begun }, due_at };
  });
  await settleEvents(planning, taken);
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
async function endLost(due: DueTrigger): Promise<void> {
  const { planning, id, value } = due;
  const says = `The job \`${id}\` ended when I was restarted, before it was done. Shall I run it again?`;
  const isKnown =
    value.paused !== undefined || (await due.announce("lost", conditionInWords(value.condition), says));
  if (!isKnown) return due.tryLater();
  await planning.book.remove(id);
}

/** How many of the turns it began have not ended. */
async function openTurns({ planning: { log }, value: { open } }: DueTrigger): Promise<number> {
  const turns = await Promise.all(open.map((turnId) => log.get(turnId)));
  return turns.filter((turn) => turn !== undefined && turn.status !== "finished").length;
}

/** The events of people who may use the bot, the ids of those people, and the maker with the lowest rights of them all. */
async function withCausers(
  { planning, namespace, value: { thread } }: DueTrigger,
  events: readonly TriggerEvent[],
  maker: Author,
): Promise<"away" | { events: TriggerEvent[]; by: string[]; author: Author }> {
  let author = maker;
  const by = new Set<string>();
  const kept: TriggerEvent[] = [];
  for (const event of events) {
    if (event.by !== undefined && event.by !== maker.id) {
      const causer = await personNow(planning, { namespace, thread: event.thread ?? thread }, event.by);
      if (causer.is === "away") return "away";
      if (causer.is === "gone") continue;
      author = onBehalfOf(author, causer.author);
      by.add(event.by);
    }
    kept.push(event);
  }
  return { events: kept, by: [...by], author };
}

/** The events as text for a model. The text is untrusted. */
async function textOf(due: DueTrigger, events: readonly TriggerEvent[]): Promise<string> {
  const { planning, namespace, value } = due;
  const zone = await zoneFor(planning, value.maker, namespace);
  const told = await Promise.all(
    events.map(async ({ at, by, happened, reference }) => {
      const found = await messageOf(due, reference);
      const message =
        found &&
        `\nThe message, by ${named(found.author.name, found.author.id)} (${found.link}):\n${found.text}`;
      const who = by === undefined ? "" : `, by ${idOf(by)}`;
      return `[${shownTime(at, zone)} ${zone}${who}] ${happened}${message ?? ""}`;
    }),
  );
  const each = Math.floor(maxTold / (told.length + 1));
  const isLong = told.reduce((sum, text) => sum + text.length, 0) > maxTold;
  const parts = isLong ? told.map((text) => cut(text, each)) : told;
  if (value.more > 0) parts.push(`This happened ${value.more} more times meanwhile; these are not shown.`);
  return parts.join("\n\n");
}
