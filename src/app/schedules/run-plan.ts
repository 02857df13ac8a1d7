import { backoff } from "../../base/backoff.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import type { Goal, Schedule, ScheduleLimits, Trigger } from "../../core/ports/schedule.ts";
import type { Log } from "../../core/ports/storage.ts";
import type { Author, Cause } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { Submit } from "../turns/submit.ts";
import type { PeopleNow } from "./maker-now.ts";
import type { NeededTools } from "./needed-tools.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Entry } from "./planning.ts";

/** Dependencies of schedules and triggers that run. */
export interface RunDeps {
  book: PlanBook;
  people: PeopleNow;
  tools: NeededTools;
  submit: Submit;
  logger: Log;
  limits: ScheduleLimits;
  now(): number;
  /** Whether a manager has paused the bot in a channel. */
  isPaused(namespace: string): Promise<boolean>;
}

/** Delays before a retry after a temporary obstacle, ms. */
const retryDelays = { minMs: 60_000, maxMs: 30 * 60_000 };

/** Retries an entry after a temporary obstacle, with growing delays. The time it runs for stays the same. */
export async function tryLater({ book, now }: RunDeps, id: string): Promise<void> {
  await book.change(id, ({ value }) => {
    const failures = value.failures + 1;
    return { value: { ...value, failures }, due_at: now() + backoff(failures, retryDelays) };
  });
}

/** While paused nothing runs; work that came due is late. */
export async function holdWhilePaused({ book, now }: RunDeps, id: string): Promise<void> {
  await book.change(id, () => ({ due_at: now() + retryDelays.minMs }));
}

/** Pauses a plan that can no longer run, and announces it where it was made: once, even after a crash. */
export async function pauseAndTell(
  deps: RunDeps,
  entry: Entry<Schedule | Trigger>,
  because: string,
): Promise<void> {
  const { id, value } = entry;
  const says = `I paused “${beginningOf(value.text, 200)}”: ${because} \`/agent schedule resume ${id}\` resumes it, \`/agent schedule remove ${id}\` deletes it.`;
  const mark = value.what === "trigger" ? value.starts : value.next;
  await begin(deps, entry, {
    author: value.maker,
    place: { namespace: entry.namespace, thread: value.thread },
    key: `${kindOf(value)}:${id}:paused:${mark}`,
    cause: { says, because },
  });
  await deps.book.change(id, (now) => ({
    value: { ...now.value, paused: { because, at: deps.now() }, failures: 0 },
    due_at: undefined,
  }));
  deps.logger.info({ plan: id, namespace: entry.namespace }, `A schedule or trigger was paused: ${because}`);
}

interface Beginning {
  author: Author;
  place: Place & { in_channel?: true };
  key: string;
  cause: Omit<Cause, "kind" | "id">;
  /** Whether the thread is read first. */
  reads?: boolean;
}

/** Begins a turn of a plan, once for each key. Returns its id; undefined when it could not be submitted. */
export async function begin(
  { submit, now, logger }: Pick<RunDeps, "submit" | "now" | "logger">,
  { id, value }: Entry<Schedule | Trigger | Goal>,
  { author, place: { namespace, thread, in_channel }, key, cause, reads = false }: Beginning,
): Promise<string | undefined> {
  const submitted = await submit({
    namespace,
    thread,
    author,
    key,
    text: value.text,
    cause: { kind: kindOf(value), id, ...cause, ...(in_channel ? { in_channel } : {}) },
    ...(value.on_platform ? { origin: { said_at: now(), files: [], in_thread: reads } } : {}),
  });
  if (submitted.ok) return submitted.value.turn_id;
  // The same key with another text: it ran before the plan was changed.
  if (submitted.code === "key_taken") return "";
  logger.warn(
    { plan: id, reason: submitted.message },
    "A turn of a plan could not be submitted; it is tried again later",
  );
  return undefined;
}

function kindOf({ what }: Schedule | Trigger | Goal): Cause["kind"] {
  return what === "trigger" || what === "goal" ? what : "schedule";
}
