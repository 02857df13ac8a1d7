import type { ChatPlatforms } from "../../core/chat-platform.ts";
import type { Author } from "../../core/inbound.ts";
import { onBehalfOf } from "../../core/permissions.ts";
import { heldEvents, maxHappened, type Trigger, type TriggerEvent } from "../../core/schedule.ts";
import type { TurnReading } from "../../core/turn-log.ts";
import type { PlanBook } from "./plan-book.ts";
import { conditionInWords } from "./plan-words.ts";
import type { Entry } from "./planning.ts";
import { begin, holdWhilePaused, pauseAndTell, type RunDeps, tryLater } from "./run-plan.ts";
import { shownTime } from "./times.ts";

export interface TriggerDeps extends RunDeps {
  platforms: ChatPlatforms;
  log: Pick<TurnReading, "get">;
}

/** Keys that are remembered: platforms deliver again within minutes. */
const remembered = 40;

/** What became of an event: it waits for its turn, is counted because too much waits, is known already, or is for nobody. */
export type Happened = "held" | "counted" | "known" | "off";

/** Notes that something happened which a trigger waits for. What resolved survives a crash; its turn begins as soon as it may. */
export async function noteEvent(
  book: PlanBook,
  { limits, now }: Pick<RunDeps, "limits" | "now">,
  id: string,
  event: TriggerEvent,
): Promise<Happened> {
  let became: Happened = "off";
  await book.change(id, ({ value, due_at }) => {
    became = "off";
    if (value.what !== "trigger" || value.paused !== undefined) return undefined;
    became = "known";
    if (value.seen.includes(event.key)) return undefined;
    const isFull = value.held.length >= heldEvents;
    became = isFull ? "counted" : "held";
    const held = isFull ? value.held : [...value.held, event];
    const more = value.more + (isFull ? 1 : 0);
    const seen = [...value.seen, event.key].slice(-remembered);
    const earliest = Math.max(now(), (value.started_at ?? 0) + limits.trigger_gap_ms);
    return { value: { ...value, held, more, seen }, due_at: due_at ?? earliest };
  });
  return became;
}

/** Begins the turn of what happened in one place; what happened elsewhere has its own a little later. */
export async function runTrigger(deps: TriggerDeps, entry: Entry<Trigger>): Promise<void> {
  const { id, namespace, value: trigger } = entry;
  const [first] = trigger.held;
  if (trigger.paused !== undefined || first === undefined) return settle(deps, id, []);
  if (await deps.isPaused(namespace)) return holdWhilePaused(deps, id);
  const maker = await deps.people.maker(namespace, trigger);
  if (maker.is === "away") return tryLater(deps, id);
  if (maker.is === "gone") return pauseAndTell(deps, entry, maker.because);
  if ((await stillOpen(deps, trigger)).length >= deps.limits.open_turns) return holdWhilePaused(deps, id);
  const together = trigger.held.filter(({ thread }) => thread === first.thread);
  const caused = await withCausers(deps, namespace, trigger, together, maker.author);
  if (caused === "away") return tryLater(deps, id);
  if (caused.events.length === 0) return settle(deps, id, together);
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
  return settle(deps, id, together, begun);
}

/** Where its turn answers. With a reaction not every platform tells whether the message stands in a thread. */
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

/** Undefined for a message that is gone meanwhile. */
async function messageOf({ platforms }: TriggerDeps, namespace: string, reference: string | undefined) {
  if (reference === undefined) return undefined;
  return platforms
    .of(namespace)
    ?.actions?.message(namespace, reference)
    .catch(() => undefined);
}

/** Takes events off the list, and notes the turn that they began. */
async function settle(
  { book, now, limits }: RunDeps,
  id: string,
  taken: readonly TriggerEvent[],
  turnId?: string,
) {
  const gone = new Set(taken.map(({ key }) => key));
  let isOver = false;
  await book.change(id, ({ value }) => {
    if (value.what !== "trigger") return undefined;
    const held = value.held.filter(({ key }) => !gone.has(key));
    const begun = turnId === undefined ? {} : { starts: value.starts + 1, started_at: now(), more: 0 };
    const open = turnId === undefined ? value.open : [...value.open, turnId].slice(-limits.open_turns);
    isOver = turnId !== undefined && value.condition.on === "quiet" && value.condition.here;
    const due_at =
      held.length === 0 || value.paused !== undefined ? undefined : now() + limits.trigger_gap_ms;
    return { value: { ...value, ...begun, open, held, failures: 0 }, due_at };
  });
  if (isOver) await book.remove(id);
}

async function stillOpen({ log }: TriggerDeps, { open }: Trigger): Promise<string[]> {
  const turns = await Promise.all(open.map((turnId) => log.get(turnId)));
  return turns.flatMap((turn) => (turn === undefined || turn.status === "finished" ? [] : turn.turn_id));
}

/** The events of people who may use the bot, who those are, and the maker with no more rights than any of them. */
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

/** What happened, as text for a model: nobody here vouches for a word of it. */
async function tell(
  deps: TriggerDeps,
  { namespace, value }: Entry<Trigger>,
  events: readonly TriggerEvent[],
): Promise<string> {
  const told = await Promise.all(
    events.map(async ({ at, by, happened, reference }) => {
      const found = await messageOf(deps, namespace, reference);
      const text = found
        ? `${happened}\nThe message, by ${found.author.name} (${found.link}):\n${found.text}`
        : happened;
      return `[${shownTime(at, "UTC")} UTC${by === undefined ? "" : `, by ${by}`}] ${text}`;
    }),
  );
  const more =
    value.more === 0 ? [] : [`This happened ${value.more} more times meanwhile; these are not shown.`];
  const room = Math.floor((maxHappened * 2) / (told.length + 1));
  return [...told.map((text) => cut(text, room)), ...more].join("\n\n");
}

/** The beginning of a text that is too long, and how much is left out. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = most - 40;
  return `${text.slice(0, room).toWellFormed()}\n[${text.length - room} characters more]`;
}
