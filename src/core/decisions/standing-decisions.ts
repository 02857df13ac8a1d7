/**
 * What people decided for good: "always here" and "never". A decision lives in one channel and covers the calls of one tool as it was
 * then, with the arguments it is bound to. What an earlier version stored holds for calls that would be bound to the same values now.
 */
import { z } from "zod";
import { isContainer } from "../../base/record.ts";
import type { KeyValue } from "../ports/storage.ts";
import { type CallRequest, calledBy, type TurnScope } from "../scope/turn-scope.ts";
import type { ServerTool } from "../skill/tool.ts";
import { hasReadUntrusted } from "../transcript/untrusted.ts";
import { linksIn } from "../values/address.ts";
import type { ReadArguments } from "../values/call-arguments.ts";
import { type Binding, bindingSchema, isSameBinding, refusalOf } from "../values/call-binding.ts";
import { type Approver, approvers, type Cause, isAtLeast } from "../values/inbound.ts";
import { type Json, toJson } from "../values/json.ts";
import { bindsNothing } from "../values/shown.ts";
import { isKnownAddress } from "./known-addresses.ts";

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

/** Deletes a decision, so matching calls ask again. No-op for an unknown id. */
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

/**
 * How far what people allowed for good reaches once the model has read untrusted text, and what the plan of a schedule allows. Both
 * are bound to what was on the card: a model that obeys what it reads gets no other destination.
 */

/** A call as decisions about it are bound. */
export interface BoundCall {
  request: CallRequest;
  /** The skill that is called; its own guide makes nothing untrusted. */
  skill_id: string;
  args: ReadArguments;
}

/**
 * Whether an "always here" with this binding lets a call run now. Once untrusted text was read it does not where the binding says
 * nothing of where the call goes, and where the free text calls somebody or holds an address that nobody named.
 */
export function isStillAllowed(scope: TurnScope, call: BoundCall, binding: Binding): boolean {
  if (!hasReadUntrusted(scope, call.request, call.skill_id)) return true;
  return !bindsNothing(binding.values, Object.keys(call.args.free)) && hasOnlyKnownText(scope, call);
}

/**
 * Whether the text of the schedule that began the turn names all that a call is bound to: people saw it when they agreed. While the run
 * has read nothing untrusted, yes and no need no name; nor do dates and times, which move with each run.
 */
export function isPlanned(scope: TurnScope, call: BoundCall): boolean {
  const { bound, free } = call.args;
  const isUntrusted = hasReadUntrusted(scope, call.request, call.skill_id);
  const isNamed = (value: Json): boolean => {
    if (isContainer(value)) return Object.values(value).every(isNamed);
    if (typeof value === "boolean" || value === null) return !isUntrusted;
    return isTime(value) || standsIn(scope.turn.text, String(value));
  };
  if (!Object.values(bound).every(isNamed)) return false;
  return !isUntrusted || (!bindsNothing(bound, Object.keys(free)) && hasOnlyKnownText(scope, call));
}

/** A date or time in ISO 8601. */
function isTime(value: Json): boolean {
  return (
    typeof value === "string" && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,15}(?:Z|[+-][\d:]{2,6})?)?$/.test(value)
  );
}

/**
 * Whether a text names a value: as a word or words of their own, which no other words of the text happen to be. That is what has a
 * digit or a sign, an abbreviation in capitals, and what is marked: `#general`, `@ann`, `"Release notes"`.
 */
function standsIn(text: string, value: string): boolean {
  const wanted = value.trim();
  if (wanted === "") return true;
  const isEmail = wanted.includes("@");
  const [within, word] = isEmail ? [text.toLowerCase(), wanted.toLowerCase()] : [text, wanted];
  const isTelling = /[\d@#./:_-]|^\p{Lu}{2,}$/u.test(wanted);
  for (let at = within.indexOf(word); at >= 0; at = within.indexOf(word, at + 1)) {
    const [before, after] = [
      within.slice(Math.max(0, at - 2), at),
      within.slice(at + word.length, at + word.length + 2),
    ];
    if (!/^$|^(?:[#@]|.?[\s([{<"'`“„«‘‚]|[\s([{<"'`“„«‘‚][#@])$/su.test(before)) continue;
    if (!/^(?:$|[\s)\]}>"'`”“»’‘,;:!?]|\.(?:$|\s))/u.test(after)) continue;
    const isMarked = /[#@]$/.test(before) || (/["'`“„«‘‚]$/u.test(before) && /^["'`”“»’‘]/u.test(after));
    if (isTelling || isMarked) return true;
  }
  return false;
}

/** What notifies people where a text is shown. */
const mention =
  /<[@!#]&?!?([^\s<>|^]{1,100})[^<>]{0,200}>|(?<![\p{L}\p{N}._])@(?:everyone|here|channel|all)(?![\p{L}\p{N}])/giu;

/** Whether free text calls nobody but those the turn may call, and leads nowhere but where people or pages of the thread do. */
function hasOnlyKnownText(scope: TurnScope, { request, args }: BoundCall): boolean {
  const called = new Set(calledBy(scope));
  return Object.values(args.free).every(
    (text) =>
      linksIn(text).every((address) => isKnownAddress(scope, request, address)) &&
      [...text.matchAll(mention)].every(([, id]) => id !== undefined && called.has(id)),
  );
}

const trustSchema = z.object({
  /** Tools that may run unasked, each as it was when the operator said so. */
  tools: z.array(z.object({ tool: z.string(), definition: z.string() })),
  /** Who said so, and when, ms since the epoch. */
  by: z.string(),
  at: z.number(),
});
/** What an operator said of a server's tools. */
export type ServerTrust = z.infer<typeof trustSchema>;

const trustKey = (server: string) => `trust:${server}`;

/** Undefined while no operator has looked at the server's tools. */
export async function readTrust(store: KeyValue, server: string): Promise<ServerTrust | undefined> {
  return trustSchema.optional().parse(await store.get(trustKey(server)));
}

/** Replaces what was said before; no tools: each of them asks. */
export async function writeTrust(store: KeyValue, server: string, trust: ServerTrust): Promise<void> {
  await store.set(trustKey(server), trust);
}

/** Whether an operator let this tool run unasked as it is now. */
export function isTrusted(
  { tool, definition }: Pick<ServerTool, "tool" | "definition">,
  trust: ServerTrust | undefined,
): boolean {
  return trust?.tools.some((each) => each.tool === tool && each.definition === definition) ?? false;
}
