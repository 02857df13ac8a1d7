import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type {
  GrantedTool,
  HookKind,
  PlanChange,
  PlannedView,
  Planner,
  Proposal,
  Schedule,
  Schedules,
  Trigger,
  WantedReceiver,
  Wish,
} from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import { eventsOf, settleEvents } from "./held-events.ts";
import { type Changed, type Entry, idOf, type Planned } from "./plan-book.ts";
import { limitProblem, mayChange, reminds, unknownPlan } from "./plan-rights.ts";
import { WishDesk } from "./plan-wish.ts";
import { viewOf } from "./plan-words.ts";
import { type Planning, refused, zoneFor } from "./planning.ts";
import { nextTimes } from "./times.ts";
import { watchHere } from "./watch-chat.ts";
import { hookKindOf, setSecret } from "./webhooks.ts";

/** Adds, shows and changes schedules and triggers, for people, programs and tools. */
export class Plans implements Omit<Schedules, "startJob"> {
  readonly #planning: Planning;
  readonly #mutex = new KeyedMutex();

  constructor(planning: Planning) {
    this.#planning = planning;
  }

  plan(planner: Planner, wish: Wish, receiver?: WantedReceiver): Promise<Outcome<Proposal>> {
    return new WishDesk(this.#planning, planner).propose(wish, receiver);
  }

  /** Whether a person may change a plan of a channel. A failure says who may. */
  mayChange(planner: Planner, id: string): Promise<Outcome<Planned>> {
    return mayChange(this.#planning, planner, id);
  }

  add(planner: Planner, { value, changes }: Proposal, key: string): Promise<Outcome<PlannedView>> {
    // One at a time, so that two at once cannot exceed the limit.
    return this.#mutex.run(planner.place.namespace, async () => {
      if (changes !== undefined) return this.#retime(planner, changes, value as Schedule);
      const id = idOf(key);
      const known = await this.#planning.book.planned(id);
      return known === undefined ? this.#store(planner, value, id) : this.#view(known, planner.author);
    });
  }

  async #store(planner: Planner, value: Planned["value"], id: string): Promise<Outcome<PlannedView>> {
    const { book, limits, clock, wake } = this.#planning;
    const { author, place } = planner;
    const next = value.what === "trigger" ? undefined : value.next;
    if (value.for !== undefined && (next ?? 0) <= clock.now())
      return refused("Its time had passed when they agreed. Nothing was planned.", 409);
    const limitReached = limitProblem(await book.list(place.namespace), author.id, limits);
    if (limitReached !== undefined) return limitReached;
    const entry = await book.add({ id, namespace: place.namespace, due_at: next, value });
    if (value.what === "trigger") await watchHere(this.#planning, entry as Entry<Trigger>);
    if (hookKindOf(entry) !== undefined) await this.newSecret(planner, id);
    wake();
    return this.#view(entry, author);
  }

  /** Gives a schedule its new times. A paused one stays paused. */
  async #retime(planner: Planner, id: string, planned: Schedule): Promise<Outcome<PlannedView>> {
    const { book, wake } = this.#planning;
    const may = await this.mayChange(planner, id);
    if (!may.ok) return may;
    const { timing, time_zone, next, receivers } = planned;
    const changed = await book.change<Schedule>(id, ({ value }) => ({
      value: { ...value, timing, time_zone, next, receivers, failures: 0 },
      due_at: value.paused === undefined ? next : undefined,
    }));
    if (changed === undefined) return unknownPlan(id);
    wake();
    return this.#view(changed, planner.author);
  }

  async list(namespace: string, reader: Author): Promise<PlannedView[]> {
    const { book } = this.#planning;
    const [own, received] = await Promise.all([book.list(namespace), book.forReceiver(namespace)]);
    const here = [...own, ...received.filter((plan) => reminds(plan, namespace))];
    here.sort((one, other) => one.value.made_at - other.value.made_at);
    const zone = await zoneFor(this.#planning, reader, namespace);
    return here.map((plan) => this.#shown(plan, zone));
  }

  async change(planner: Planner, id: string, to: PlanChange): Promise<Outcome<PlannedView>> {
    const { book, clock, sealed, wake } = this.#planning;
    const { author } = planner;
    const may = await this.mayChange(planner, id);
    if (!may.ok) return may;
    const entry = may.value;
    if (to === "remove" && entry.value.for?.id === author.id) {
      await this.agree(id, author.id, false);
      return this.#view(entry, author);
    }
    // Events from before the change get no turn.
    if (to !== "pause") await settleEvents(this.#planning, await eventsOf(this.#planning, entry));
    if (to === "remove") {
      await book.remove(id);
      await sealed.delete(id);
      return this.#view(entry, author);
    }
    const by = author.name;
    const changed = await book.change<Planned["value"]>(id, (now) => changedTo(now, to, by, clock.now()));
    wake();
    return this.#view(changed ?? entry, author);
  }

  async granted(id: string): Promise<readonly GrantedTool[]> {
    const plan = (await this.#planning.book.planned(id))?.value;
    return plan === undefined || plan.what === "trigger" ? [] : plan.tools;
  }

  async receivers(id: string): Promise<{ readonly [person: string]: boolean }> {
    return (await this.#planning.book.planned(id))?.value.receivers ?? {};
  }

  async agree(id: string, person: string, agrees: boolean): Promise<void> {
    const { book, clock, wake } = this.#planning;
    await book.change(id, ({ value, due_at }) => {
      const receivers = { ...value.receivers, [person]: agrees };
      // It comes due at once and finds that nobody wants it.
      const isUnwanted = value.for?.id === person && !agrees;
      return { value: { ...value, receivers }, due_at: isUnwanted ? clock.now() : due_at };
    });
    wake();
  }

  /**
   * Sets a new secret for a webhook: `given`, or a generated one. On a chat platform a generated secret is whispered to the person who
   * asked (`told`); programs read `secret`.
   */
  async newSecret(
    planner: Planner,
    id: string,
    given?: string,
  ): Promise<Outcome<{ secret: string; told: boolean }>> {
    const may = await this.mayChange(planner, id);
    if (!may.ok) return may;
    const kind = hookKindOf(may.value);
    if (kind === undefined) return refused("Only webhooks have a secret.");
    const secret = await setSecret(this.#planning, id, given);
    const told = given !== undefined || (await tellSecret(this.#planning, planner, id, secret, kind));
    return { ok: true, value: { secret, told } };
  }

  /** A plan as its reader sees it. */
  async #view(entry: Planned, reader: Author): Promise<Outcome<PlannedView>> {
    return { ok: true, value: this.#shown(entry, await zoneFor(this.#planning, reader, entry.namespace)) };
  }

  #shown(entry: Planned, zone: string): PlannedView {
    const view = viewOf(entry, this.#planning.clock.now(), zone);
    const address = hookKindOf(entry) && addressOf(this.#planning, entry.id);
    return { ...view, address };
  }
}

/** Pauses or resumes a plan; undefined when it already is. A resumed plan skips the times that passed while it was paused. */
function changedTo(
  { value }: Planned,
  to: PlanChange,
  by: string,
  now: number,
): Changed<Planned["value"]> | undefined {
  if ((value.paused === undefined) !== (to === "pause")) return undefined;
  if (to === "pause")
    return { value: { ...value, paused: { because: `${by} paused it.`, at: now } }, due_at: undefined };
  const going = { ...value, paused: undefined, failures: 0 };
  if (going.what === "trigger") return { value: { ...going, more: 0 }, due_at: undefined };
  const { timing, time_zone, next: waited = 0 } = going;
  const [next] = "at" in timing ? [going.next] : nextTimes(timing, time_zone, Math.max(now, waited - 1), 1);
  // Without a next time it is looked at once more, and found to be over.
  return { value: { ...going, next }, due_at: next ?? now };
}

function addressOf({ public_url = "" }: Planning, id: string): string {
  return `${public_url.replace(/(?<!\/)\/+$/, "")}/hooks/${id}`;
}

/** How a sender proves that it knows the secret, for the person who sets the sender up. */
const proofs = {
  knack:
    ", with `Authorization: Bearer SECRET`, or signed: `X-Knack-Timestamp` (seconds) and `X-Knack-Signature: v1=` with the HMAC-SHA256 of `v1:TIMESTAMP:BODY` in hex",
  hmac: ", with `X-Signature-256: sha256=` and the HMAC-SHA256 of the body in hex",
  github: ": enter it as the secret of the webhook at GitHub, content type application/json",
  gitlab: ": enter it as the secret token of the webhook at GitLab",
  slack: ". Slack makes its own secret: set its signing secret with `knack schedule secret --set`",
  stripe: ". Stripe makes its own secret: set its signing secret with `knack schedule secret --set`",
} as const satisfies Record<HookKind, string>;

/** Whispers a secret to the person who asked. False where that is impossible; programs and the console get it as the answer. */
async function tellSecret(
  planning: Planning,
  { author, place }: Planner,
  id: string,
  secret: string,
  kind: HookKind,
): Promise<boolean> {
  const platform = planning.platforms.of(place.namespace);
  if (platform === undefined) return false;
  const markdown = [
    `The secret of your webhook \`${id}\`. It is shown only this once:`,
    `\`\`\`\n${secret}\n\`\`\``,
    `Send a POST with up to 100 kB of JSON or text to \`${addressOf(planning, id)}\`${proofs[kind]}. \`/agent schedule secret ${id}\` makes a new one.`,
  ].join("\n");
  try {
    await platform.whisper(place, author.id, { markdown }, { person: author.id });
    return true;
  } catch (error) {
    planning.logger.warn({ err: error, plan: id }, "The secret of a webhook could not be told");
    return false;
  }
}
