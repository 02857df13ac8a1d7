import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { ChatPlatforms } from "../../core/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { DueEntries, DueEntry } from "../../core/due-entries.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { Log } from "../../core/log.ts";
import { readNamespace } from "../../core/namespace-state.ts";
import type { Outcome } from "../../core/outcome.ts";
import { mayApprove } from "../../core/permissions.ts";
import { zoneOf } from "../../core/said-line.ts";
import {
  dueKinds,
  type PlannedView,
  type Schedule,
  type ScheduleLimits,
  type Trigger,
} from "../../core/schedule.ts";
import type { Plan, PlanChange, Planner, Schedules, Wish } from "../../core/schedules.ts";
import type { TurnReading } from "../../core/turn-log.ts";
import type { Submit } from "../turns/submit.ts";
import { type Clockwork, createClockwork } from "./clockwork.ts";
import { createPeopleNow, type PeopleDeps } from "./maker-now.ts";
import { createNeededTools, type NeededToolsDeps } from "./needed-tools.ts";
import { createPlanBook, type Entry, readPlan } from "./plan-book.ts";
import { createPlanning } from "./plan-wish.ts";
import { tooMany, viewOf } from "./plan-words.ts";
import { runSchedule } from "./run-schedule.ts";
import { runTrigger } from "./run-trigger.ts";
import { readSpokenWish } from "./spoken-times.ts";
import { nextTimes } from "./times.ts";
import { type ChatWatch, createChatWatch } from "./watch-chat.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

export interface ScheduleServiceDeps extends PeopleDeps, NeededToolsDeps {
  due: DueEntries;
  log: Pick<TurnReading, "get" | "list">;
  store: KeyValue;
  /** Encrypted, for the secrets of webhooks. */
  sealed: KeyValue;
  platforms: ChatPlatforms;
  submit: Submit;
  clock: Clock;
  logger: Log;
  limits: ScheduleLimits;
  /** The server's zone, IANA name. */
  time_zone: string;
  /** Where others reach the bot; without it the address of a webhook is told without a host. */
  public_url: string | undefined;
  report(error: unknown, where: string): void;
}

/** Schedules and triggers: planned, kept, run. */
export interface ScheduleService extends Schedules {
  /** What somebody wrote after `/agent schedule add`, as a wish. */
  read(words: string, planner: Planner): Promise<Outcome<Wish>>;
  /** Whether a person may change a plan of a channel; not ok: who may. */
  mayChange(planner: Planner, id: string): Promise<Outcome<Entry<Schedule | Trigger>>>;
  /** A new secret for a webhook. On a chat platform it is whispered to its maker; `secret` is for programs. */
  newSecret(planner: Planner, id: string): Promise<Outcome<{ secret: string; told: boolean }>>;
  readonly watch: ChatWatch;
  readonly hooks: Pick<Webhooks, "take">;
  readonly clockwork: Pick<Clockwork, "start" | "stop">;
}

export function createScheduleService(deps: ScheduleServiceDeps): ScheduleService {
  const { due, clock, store, limits } = deps;
  const now = () => clock.now();
  const book = createPlanBook(due);
  const people = createPeopleNow(deps);
  const tools = createNeededTools(deps);
  const zoneFor = async (author: Planner["author"], namespace: string) =>
    zoneOf(author, (await readNamespace(store, namespace)).settings.time_zone, deps.time_zone);
  const shared = { ...deps, book, people, tools, now, wake: () => clockwork.wake() };
  const watch = createChatWatch(shared);
  const hooks = createWebhooks(shared);
  const run = {
    ...shared,
    isPaused: async (namespace: string) =>
      (await readNamespace(store, namespace)).settings.paused !== undefined,
  };
  const clockwork = createClockwork({ ...deps, run: (entry) => runEntry(entry) });
  const mutex = new KeyedMutex();

  const runEntry = async (entry: DueEntry) => {
    if (entry.kind === dueKinds.watched) return watch.quiet(entry);
    const plan = readPlan(entry);
    if (plan === undefined) {
      deps.logger.warn({ id: entry.id, kind: entry.kind }, "A due entry cannot be read; it is left alone");
      await due.change(entry.id, (stored) => ({ ...stored, due_at: undefined }));
    } else if (plan.value.what === "trigger") await runTrigger(run, plan as Entry<Trigger>);
    else await runSchedule(run, plan as Entry<Schedule>);
  };
  const view = async (entry: Entry<Schedule | Trigger>, reader: Planner["author"]): Promise<PlannedView> => {
    const shown = viewOf(entry, now(), await zoneFor(reader, entry.namespace));
    const isHook = entry.value.what === "trigger" && entry.value.condition.on === "webhook";
    const base = deps.public_url?.replace(/\/+$/, "") ?? "";
    return isHook ? { ...shown, address: `${base}/hooks/${entry.id}` } : shown;
  };
  const mayChange: ScheduleService["mayChange"] = async ({ author, place }, id) => {
    const entry = await book.get(id);
    if (entry === undefined || entry.namespace !== place.namespace)
      return {
        ok: false,
        status: 404,
        message: `Nothing here has the id ${id.slice(0, 40)}. \`/agent schedule list\` shows what there is.`,
      };
    if (mayApprove(author, "asker", { author: entry.value.maker })) return { ok: true, value: entry };
    const message = `${entry.value.maker.name}, who made it, or a manager of this channel may change it.`;
    return { ok: false, status: 403, message };
  };
  const newSecret: ScheduleService["newSecret"] = async (planner, id) => {
    const may = await mayChange(planner, id);
    if (!may.ok) return may;
    const { value } = may.value;
    if (value.what !== "trigger" || value.condition.on !== "webhook")
      return { ok: false, status: 400, message: "Only webhooks have a secret." };
    const secret = await hooks.newSecret(id);
    return {
      ok: true,
      value: { secret, told: await tellSecret(deps, planner, await view(may.value, planner.author), secret) },
    };
  };

  return {
    watch,
    hooks,
    clockwork,
    mayChange,
    newSecret,
    plan: createPlanning({ ...shared, zoneFor }),
    read: async (words, { author, place }) =>
      readSpokenWish(words, now(), await zoneFor(author, place.namespace)),
    add: (planner, { value }: Plan, key) =>
      mutex.run(planner.place.namespace, async () => {
        const { namespace } = planner.place;
        const known = await book.added(key);
        if (known !== undefined) return { ok: true, value: await view(known, planner.author) };
        const many = tooMany(await book.list(namespace), planner.author.id, limits);
        if (many !== undefined) return { ok: false, status: 409, message: many };
        const due_at = value.what === "trigger" ? undefined : value.next;
        const entry = await book.add({ namespace, due_at, value }, key);
        if (entry.value.what === "trigger") {
          await watch.watchHere(entry as Entry<Trigger>);
          if (entry.value.condition.on === "webhook") await newSecret(planner, entry.id);
        }
        clockwork.wake();
        return { ok: true, value: await view(entry, planner.author) };
      }),
    list: async (namespace, reader) =>
      Promise.all((await book.list(namespace)).map((entry) => view(entry, reader))),
    async change(planner, id, to) {
      const may = await mayChange(planner, id);
      if (!may.ok) return may;
      if (to === "remove") {
        await book.remove(id);
        await hooks.forget(id);
        return { ok: true, value: await view(may.value, planner.author) };
      }
      const changed = await book.change(id, (entry) => changedTo(entry, to, planner.author.name, now()));
      clockwork.wake();
      return { ok: true, value: await view(changed ?? may.value, planner.author) };
    },
    async granted(id) {
      const entry = await book.get(id);
      return entry?.value.what === "trigger" ? [] : (entry?.value.tools ?? []);
    },
  };
}

/** A plan that is paused, or that goes on from now: what came due meanwhile is not made up for. */
function changedTo(
  { value, due_at }: Entry<Schedule | Trigger>,
  to: Exclude<PlanChange, "remove">,
  by: string,
  now: number,
): { value: Schedule | Trigger; due_at: number | undefined } | undefined {
  if (to === "pause") {
    if (value.paused !== undefined) return undefined;
    return { value: { ...value, paused: { because: `${by} paused it.`, at: now } }, due_at: undefined };
  }
  if (value.paused === undefined) return undefined;
  const { paused: _, ...going } = { ...value, failures: 0 };
  if (going.what === "trigger") return { value: { ...going, held: [], more: 0 }, due_at: undefined };
  const isOnce = "at" in going.timing;
  const next = isOnce ? going.next : nextTimes(going.timing, going.time_zone, now, 1)[0];
  return { value: { ...going, next }, due_at: next ?? due_at };
}

/** Tells a secret to who asked for it and nobody else. False where there is no way: programs and the console are answered with it. */
async function tellSecret(
  { platforms, logger }: ScheduleServiceDeps,
  { author, place }: Planner,
  { id, address = "" }: PlannedView,
  secret: string,
): Promise<boolean> {
  const platform = platforms.of(place.namespace);
  if (platform === undefined) return false;
  const markdown = [
    `The secret of your webhook \`${id}\`, which nobody is shown again:`,
    `\`\`\`\n${secret}\n\`\`\``,
    `Send a POST with up to 100 kB of JSON or text to \`${address}\`, with \`Authorization: Bearer SECRET\`, or signed: \`X-Knack-Timestamp\` (seconds) and \`X-Knack-Signature: v1=\` with the HMAC-SHA256 of \`v1:TIMESTAMP:BODY\` in hex. \`/agent schedule secret ${id}\` makes a new one.`,
  ].join("\n");
  try {
    await platform.whisper(place, author.id, { markdown }, { person: author.id });
    return true;
  } catch (error) {
    logger.warn({ err: error, plan: id }, "The secret of a webhook could not be told");
    return false;
  }
}
