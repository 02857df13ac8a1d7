/**
 * What people decided for good: "always here" and "never". A decision lives in one channel and covers the calls of one tool as it was
 * then, with the arguments it is bound to. What an earlier version stored holds for calls that would be bound to the same values now.
 */

import { z } from "zod";
import type { KeyValue } from "../ports/key-value.ts";
import { type Approver, approvers, isAtLeast } from "../values/approver.ts";
import { type Binding, bindingSchema, isSameBinding, refusalOf } from "../values/call-binding.ts";
import type { Cause } from "../values/inbound.ts";
import { toJson } from "../values/json.ts";

const storedSchema = z.object({
  /** Counts up in its channel. */
  id: z.number().int().positive(),
  binding: bindingSchema,
  /** The rank of who decided, which is the strictest need that an "always" answers. */
  approver: z.enum(approvers),
  /** The only person whose turns it covers, by id; absent: everyone here. */
  only_for: z.string().optional(),
  /** The id of the schedule or trigger in whose turns alone it counts. */
  within: z.string().optional(),
  /** Who decided, by id and name, and when, ms since the epoch. */
  by: z.string(),
  name: z.string(),
  at: z.number(),
});

export interface StandingDecision extends z.infer<typeof storedSchema> {
  verdict: "always" | "never";
}

/** Refusals have a list of their own: a version that does not know them must not take one for an allowance. */
const bookSchema = z.object({
  next: z.number().int(),
  allowances: z.array(storedSchema),
  refusals: z.array(storedSchema).default([]),
});
type Book = z.infer<typeof bookSchema>;

/** Decisions of each verdict that a channel keeps; the oldest goes first. */
const most = 200;

const keyOf = (namespace: string) => `allowances:${namespace}`;

/** What was decided for good in a channel, oldest first. */
export async function readStanding(store: KeyValue, namespace: string): Promise<StandingDecision[]> {
  const { allowances, refusals } = parse(await store.get(keyOf(namespace)));
  const all = [
    ...allowances.map((each) => ({ ...each, verdict: "always" as const })),
    ...refusals.map((each) => ({ ...each, verdict: "never" as const })),
  ];
  return all.sort((one, other) => one.id - other.id);
}

/** Adds a decision. It replaces one about the same calls of the same people, whatever that was. */
export async function addStanding(
  store: KeyValue,
  namespace: string,
  { verdict, binding, ...decided }: Omit<StandingDecision, "id">,
): Promise<void> {
  const made = { ...decided, binding: verdict === "never" ? refusalOf(binding) : binding };
  await store.update(keyOf(namespace), (value) => {
    const { next, ...book } = parse(value);
    const keep = (list: Book["allowances"], isOfThis: boolean) => {
      const isAboutSame = (each: Book["allowances"][number]) =>
        isOfThis
          ? isSameBinding(each.binding, made.binding)
          : isSameBinding(refusalOf(each.binding), refusalOf(binding));
      const others = list.filter(
        (each) => each.only_for !== made.only_for || each.within !== made.within || !isAboutSame(each),
      );
      return (isOfThis ? [...others, { id: next, ...made }] : others).slice(-most);
    };
    const allowances = keep(book.allowances, verdict === "always");
    return toJson({ next: next + 1, allowances, refusals: keep(book.refusals, verdict === "never") });
  });
}

/** Takes a decision back: such calls ask again. Nothing happens when there is none of this id. */
export async function removeStanding(store: KeyValue, namespace: string, id: number): Promise<void> {
  await store.update(keyOf(namespace), (value) => {
    const { next, allowances, refusals } = parse(value);
    const others = (list: Book["allowances"]) => list.filter((each) => each.id !== id);
    return toJson({ next, allowances: others(allowances), refusals: others(refusals) });
  });
}

/** What began a turn that nobody wrote a message for. */
type Began = Pick<Cause, "kind" | "id"> | undefined;

/**
 * The "always" by which calls of this binding run unasked in turns of this person, although they need this approver. In a turn that a
 * trigger began, for words that nobody here vouches for, only what was allowed for this trigger counts.
 */
export function allowanceFor(
  decisions: readonly StandingDecision[],
  binding: Binding,
  { approver, asker, cause }: { approver: Approver; asker: string; cause?: Began },
): StandingDecision | undefined {
  return decisions.find(
    (each) =>
      each.verdict === "always" &&
      isAtLeast(each.approver, approver) &&
      (each.within === undefined ? cause?.kind !== "trigger" : each.within === cause?.id) &&
      covers(each, binding, asker),
  );
}

/** The "never" for calls of this binding in turns of this person, the strictest first; no "always" outweighs it. */
export function refusalFor(
  decisions: readonly StandingDecision[],
  binding: Binding,
  asker: string,
  cause?: Began,
): StandingDecision | undefined {
  return decisions
    .filter((each) => each.verdict === "never" && covers(each, refusalOf(binding), asker))
    .filter(({ within }) => within === undefined || within === cause?.id)
    .reduce<StandingDecision | undefined>(
      (most, each) => (most !== undefined && isAtLeast(most.approver, each.approver) ? most : each),
      undefined,
    );
}

function covers({ binding, only_for }: StandingDecision, of: Binding, asker: string): boolean {
  return (only_for === undefined || only_for === asker) && isSameBinding(binding, of);
}

function parse(value: unknown): Book {
  return bookSchema.parse(value ?? { next: 1, allowances: [] });
}
