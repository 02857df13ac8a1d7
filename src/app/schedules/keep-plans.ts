import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import type { HookKind, PlannedView, Schedule, ScheduleLimits, Trigger } from "../../core/ports/schedule.ts";
import type { Plan, PlanChange, Planner } from "../../core/ports/schedules.ts";
import type { Log } from "../../core/ports/storage.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { mayApprove } from "../../core/values/inbound.ts";
import { isDirectMessage } from "../../core/values/place.ts";
import type { HeldEvents } from "./held-events.ts";
import type { PlanBook } from "./plan-book.ts";
import { limitProblem, viewOf } from "./plan-words.ts";
import type { Entry, PlanKeeping } from "./planning.ts";
import { nextTimes } from "./times.ts";
import type { ChatWatch } from "./watch-chat.ts";
import type { Webhooks } from "./webhooks.ts";

export interface PlanKeepingDeps {
  book: PlanBook;
  events: Pick<HeldEvents, "of" | "settle">;
  hooks: Pick<Webhooks, "newSecret" | "forget">;
  watch: Pick<ChatWatch, "watchHere">;
  platforms: ChatPlatforms;
  limits: ScheduleLimits;
  logger: Log;
  /** The public address of the bot; without it, addresses of webhooks have no host. */
  public_url?: string | undefined;
  now(): number;
  wake(): void;
  zoneFor(author: Planner["author"], namespace: string): Promise<string>;
}

export function createPlanKeeping(deps: PlanKeepingDeps): PlanKeeping {
  const { book } = deps;
  const mutex = new KeyedMutex();
  return {
    mayChange: (planner, id) => mayChange(deps, planner, id),
    newSecret: (planner, id, given) => newSecret(deps, planner, id, given),
    add: (planner, plan, key) =>
      // One at a time, so that two at once cannot exceed the limit.
      mutex.run(planner.place.namespace, async () => {
        if (plan.changes !== undefined) return retime(deps, planner, plan.changes, plan);
        const known = await book.added(key);
        if (known === undefined) return store(deps, planner, plan, key);
        return { ok: true, value: await viewFor(deps, known, planner.author) };
      }),
    async list(namespace, reader) {
      const all = await book.list(isDirectMessage(namespace) ? undefined : namespace);
      const here = all.filter((entry) => entry.namespace === namespace || reminds(entry, namespace));
      return Promise.all(here.map((entry) => viewFor(deps, entry, reader)));
    },
    change: (planner, id, to) => change(deps, planner, id, to),
    async granted(id) {
      const entry = await book.get(id);
      return entry?.value.what === "trigger" ? [] : (entry?.value.tools ?? []);
    },
    receivers: async (id) => (await book.get(id))?.value.receivers ?? {},
    agree: (id, person, agrees) => agree(deps, id, person, agrees),
  };
}

async function agree({ book, now, wake }: PlanKeepingDeps, id: string, person: string, agrees: boolean) {
  await book.change(id, ({ value, due_at }) => {
    const receivers = { ...value.receivers, [person]: agrees };
    // It comes due at once and finds that nobody wants it.
    const isUnwanted = value.for?.id === person && !agrees;
    return { value: { ...value, receivers }, due_at: isUnwanted ? now() : due_at };
  });
  wake();
}

/** Whether a plan of somebody else reminds the person of these direct messages, who agrees. */
function reminds({ value }: Pick<Entry<Schedule | Trigger>, "value">, namespace: string): boolean {
  return value.for?.namespace === namespace && value.receivers?.[value.for.id] === true;
}

async function mayChange(
  { book }: PlanKeepingDeps,
  { author, place }: Planner,
  id: string,
): Promise<Outcome<Entry<Schedule | Trigger>>> {
  const entry = await book.get(id);
  const isReceiver = entry?.value.for?.id === author.id && reminds(entry, place.namespace);
  if (entry !== undefined && isReceiver) return { ok: true, value: entry };
  if (entry === undefined || entry.namespace !== place.namespace) return unknown(id);
  if (mayApprove(author, "asker", { author: entry.value.maker })) return { ok: true, value: entry };
  const message = `Only ${entry.value.maker.name}, who made it, or a manager of this channel may change it.`;
  return { ok: false, status: 403, message };
}

async function newSecret(
  deps: PlanKeepingDeps,
  planner: Planner,
  id: string,
  given?: string,
): Promise<Outcome<{ secret: string; told: boolean }>> {
  const may = await mayChange(deps, planner, id);
  if (!may.ok) return may;
  if (!isWebhook(may.value)) return { ok: false, status: 400, message: "Only webhooks have a secret." };
  const secret = await deps.hooks.newSecret(id, given);
  if (given !== undefined) return { ok: true, value: { secret, told: true } };
  const view = await viewFor(deps, may.value, planner.author);
  return {
    ok: true,
    value: { secret, told: await tellSecret(deps, planner, view, secret, provedBy(may.value)) },
  };
}

async function store(
  deps: PlanKeepingDeps,
  planner: Planner,
  { value }: Parameters<PlanKeeping["add"]>[1],
  key: string,
): Promise<Outcome<PlannedView>> {
  const { book, watch, limits, wake } = deps;
  const { namespace } = planner.place;
  if (value.for !== undefined && "next" in value && (value.next ?? 0) <= deps.now())
    return { ok: false, status: 409, message: "Its time had passed when they agreed. Nothing was planned." };
  const limitReached = limitProblem(await book.list(namespace), planner.author.id, limits);
  if (limitReached !== undefined) return { ok: false, status: 409, message: limitReached };
  const due_at = value.what === "trigger" ? undefined : value.next;
  const entry = await book.add({ namespace, due_at, value }, key);
  if (isTrigger(entry)) await watch.watchHere(entry);
  if (isWebhook(entry)) await newSecret(deps, planner, entry.id);
  wake();
  return { ok: true, value: await viewFor(deps, entry, planner.author) };
}

/** Gives a schedule its new times. A paused one stays paused. */
async function retime(
  deps: PlanKeepingDeps,
  planner: Planner,
  id: string,
  { value: planned }: Plan,
): Promise<Outcome<PlannedView>> {
  const may = await mayChange(deps, planner, id);
  if (!may.ok) return may;
  const changed = await deps.book.change(id, ({ value }) => {
    if (value.what === "trigger" || planned.what === "trigger") return undefined;
    const { timing, time_zone, next, receivers } = planned;
    const due_at = value.paused === undefined ? next : undefined;
    return { value: { ...value, timing, time_zone, next, receivers, failures: 0 }, due_at };
  });
  if (changed === undefined) return unknown(id);
  deps.wake();
  return { ok: true, value: await viewFor(deps, changed, planner.author) };
}

async function change(
  deps: PlanKeepingDeps,
  planner: Planner,
  id: string,
  to: PlanChange,
): Promise<Outcome<PlannedView>> {
  const { book, events, hooks, now, wake } = deps;
  const may = await mayChange(deps, planner, id);
  if (!may.ok) return may;
  if (to === "remove" && may.value.value.for?.id === planner.author.id) {
    await agree(deps, id, planner.author.id, false);
    return { ok: true, value: await viewFor(deps, may.value, planner.author) };
  }
  // Events from before the change get no turn.
  const { namespace } = may.value;
  if (to !== "pause") await events.settle(await events.of({ id, namespace }), now());
  if (to === "remove") {
    await book.remove(id);
    await hooks.forget(id);
    return { ok: true, value: await viewFor(deps, may.value, planner.author) };
  }
  const changed = await book.change(id, (entry) => changedTo(entry, to, planner.author.name, now()));
  wake();
  return { ok: true, value: await viewFor(deps, changed ?? may.value, planner.author) };
}

function unknown(id: string): Outcome<never> {
  const message = `There is no schedule or trigger ${id.slice(0, 40)} here. \`/agent schedule list\` shows all.`;
  return { ok: false, status: 404, message };
}

function isTrigger(entry: Entry<Schedule | Trigger>): entry is Entry<Trigger> {
  return entry.value.what === "trigger";
}

function isWebhook(entry: Entry<Schedule | Trigger>): boolean {
  return isTrigger(entry) && entry.value.condition.on === "webhook";
}

async function viewFor(
  { now, zoneFor, public_url = "" }: PlanKeepingDeps,
  entry: Entry<Schedule | Trigger>,
  reader: Planner["author"],
): Promise<PlannedView> {
  const shown = viewOf(entry, now(), await zoneFor(reader, entry.namespace));
  const address = `${public_url.replace(/(?<!\/)\/+$/, "")}/hooks/${entry.id}`;
  return isWebhook(entry) ? { ...shown, address } : shown;
}

/** Pauses or resumes a plan; undefined when it already is. A resumed plan skips the times that passed while it was paused. */
function changedTo(
  { value }: Entry<Schedule | Trigger>,
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
  if (going.what === "trigger") return { value: { ...going, more: 0 }, due_at: undefined };
  const isOnce = "at" in going.timing;
  const after = Math.max(now, (going.next ?? 0) - 1);
  const next = isOnce ? going.next : nextTimes(going.timing, going.time_zone, after, 1)[0];
  // Without a next time it is looked at once more, and found to be over.
  return { value: { ...going, next }, due_at: next ?? now };
}

/** How a sender proves that it knows the secret, for the person who sets the sender up. */
const proofs: Readonly<Record<HookKind, string>> = {
  knack:
    ", with `Authorization: Bearer SECRET`, or signed: `X-Knack-Timestamp` (seconds) and `X-Knack-Signature: v1=` with the HMAC-SHA256 of `v1:TIMESTAMP:BODY` in hex",
  hmac: ", with `X-Signature-256: sha256=` and the HMAC-SHA256 of the body in hex",
  github: ": enter it as the secret of the webhook at GitHub, content type application/json",
  gitlab: ": enter it as the secret token of the webhook at GitLab",
  slack: ". Slack makes its own secret: set its signing secret with `knack schedule secret --set`",
  stripe: ". Stripe makes its own secret: set its signing secret with `knack schedule secret --set`",
};

function provedBy({ value }: Entry<Schedule | Trigger>): string {
  if (value.what !== "trigger" || value.condition.on !== "webhook") return "";
  return proofs[value.condition.kind ?? "knack"];
}

/** Whispers a secret to the person who asked. False where that is impossible; programs and the console get it as the answer. */
async function tellSecret(
  { platforms, logger }: Pick<PlanKeepingDeps, "platforms" | "logger">,
  { author, place }: Planner,
  { id, address = "" }: PlannedView,
  secret: string,
  proof: string,
): Promise<boolean> {
  const platform = platforms.of(place.namespace);
  if (platform === undefined) return false;
  const markdown = [
    `The secret of your webhook \`${id}\`. It is shown only this once:`,
    `\`\`\`\n${secret}\n\`\`\``,
    `Send a POST with up to 100 kB of JSON or text to \`${address}\`${proof}. \`/agent schedule secret ${id}\` makes a new one.`,
  ].join("\n");
  try {
    await platform.whisper(place, author.id, { markdown }, { person: author.id });
    return true;
  } catch (error) {
    logger.warn({ err: error, plan: id }, "The secret of a webhook could not be told");
    return false;
  }
}
