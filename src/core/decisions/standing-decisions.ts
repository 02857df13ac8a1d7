/**
 * Standing decisions of people: "always here" and "never". A decision belongs to one channel and covers the calls of one tool in its form
 * at that time, with the arguments it is bound to.
 */
import { z } from "zod";
import { isContainer } from "../../base/record.ts";
import type { KeyValue } from "../ports/storage.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { ServerTool } from "../skill/tool.ts";
import { isSaidWhole, untrustedIn } from "../transcript/untrusted.ts";
import type { ReadArguments } from "../values/call-arguments.ts";
import { type Binding, bindingSchema, isSameBinding, printsOf, refusalOf } from "../values/call-binding.ts";
import { type Approver, approvers, type Cause, isAtLeast } from "../values/inbound.ts";
import { type Json, toJson } from "../values/json.ts";

const storedSchema = z.object({
  /** Counts up within its channel. */
  id: z.number().int().positive(),
  binding: bindingSchema,
  /** The rank of the person who decided, which is the strictest need that an "always" satisfies. */
  approver: z.enum(approvers),
  /** The only person whose turns it covers, by id; if absent, everyone here. */
  only_for: z.string().optional(),
  /** The id of the only schedule or trigger whose turns it covers. */
  within: z.string().optional(),
  /** The person who decided, by id and name, and the time, ms since the epoch. */
  by: z.string(),
  name: z.string(),
  at: z.number(),
});

export interface StandingDecision extends z.infer<typeof storedSchema> {
  verdict: "always" | "never";
}

const bookSchema = z.object({
  next: z.number().int(),
  allowances: z.array(storedSchema),
  refusals: z.array(storedSchema),
});
type Book = z.infer<typeof bookSchema>;

/** Maximum decisions of each verdict that a channel keeps; the oldest is dropped first. */
const maxDecisions = 200;

const keyOf = (namespace: string) => `allowances:${namespace}`;

/** The standing decisions of a channel, oldest first. */
export async function readStanding(store: KeyValue, namespace: string): Promise<StandingDecision[]> {
  const { allowances, refusals } = parse(await store.get(keyOf(namespace)));
  const all = [
    ...allowances.map((each) => ({ ...each, verdict: "always" as const })),
    ...refusals.map((each) => ({ ...each, verdict: "never" as const })),
  ];
  return all.sort((one, other) => one.id - other.id);
}

/** Adds a decision. It replaces an earlier one about the same calls and the same people, whatever its verdict. */
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
      return (isOfThis ? [...others, { id: next, ...made }] : others).slice(-maxDecisions);
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

/** The schedule or trigger that started a turn. */
type Began = Pick<Cause, "kind" | "id"> | undefined;

/**
 * The "always" that lets calls with this binding run in turns of this person although they need this approver. In a turn started by a
 * trigger, whose content nobody here vouches for, only decisions for that trigger count.
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

/** The strictest "never" for calls with this binding in turns of this person. It takes precedence over any "always". */
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
      (strictest, each) =>
        strictest !== undefined && isAtLeast(strictest.approver, each.approver) ? strictest : each,
      undefined,
    );
}

function covers({ binding, only_for }: StandingDecision, of: Binding, asker: string): boolean {
  return (only_for === undefined || only_for === asker) && isSameBinding(binding, of);
}

function parse(value: unknown): Book {
  return value === undefined ? { next: 1, allowances: [], refusals: [] } : bookSchema.parse(value);
}

/**
 * Limits of standing decisions once the model has read untrusted text, and of the plan of a schedule. Both cover only what was on the card,
 * so a manipulated model gets no other destination.
 */

/** A call, as decisions are bound to it. */
export interface BoundCall {
  request: CallRequest;
  /** The called skill; its own guide does not count as untrusted. */
  skill_id: string;
  args: ReadArguments;
  /** No argument says where it goes or to whom. */
  nowhere: boolean;
}

/**
 * Whether an "always here" lets a call run now. Once the model has read untrusted text, it does if it names a destination, and if every free
 * text of the call was on its card or is the person's own.
 */
export async function isStillAllowed(
  scope: TurnScope,
  call: BoundCall,
  { binding: { seen = {} } }: StandingDecision,
): Promise<boolean> {
  if (untrustedIn(scope, call.request, call.skill_id).length === 0) return true;
  if (call.nowhere) return false;
  const prints = await printsOf(call.args.free);
  return isOwnText(scope, call, (path) => seen[path] === prints[path]);
}

/**
 * Whether the text of the schedule that started the turn names everything that a call is bound to: people saw that text when they agreed.
 * As long as the run has read nothing untrusted, booleans and null need not be named; dates and times never have to be, because they change
 * with each run.
 */
export function isPlanned(scope: TurnScope, call: BoundCall): boolean {
  const { bound } = call.args;
  const isUntrusted = untrustedIn(scope, call.request, call.skill_id).length > 0;
  const isNamed = (value: Json): boolean => {
    if (isContainer(value)) return Object.values(value).every(isNamed);
    if (typeof value === "boolean" || value === null) return !isUntrusted;
    return isTime(value) || standsIn(scope.turn.text, String(value));
  };
  if (!Object.values(bound).every(isNamed)) return false;
  return !isUntrusted || (!call.nowhere && isOwnText(scope, call, (_path, text) => plainWords.test(text)));
}

/** A date or time in ISO 8601. */
function isTime(value: Json): boolean {
  return (
    typeof value === "string" && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,15}(?:Z|[+-][\d:]{2,6})?)?$/.test(value)
  );
}

/**
 * Whether a text names a value as separate words that cannot be ordinary words of the text: they contain a digit or sign, are an
 * abbreviation in capitals, or are marked: `#general`, `@ann`, `"Release notes"`.
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

/** Letters, numbers and the signs of sentences: nothing that a reader could take for an address, markup, a mention or a command. */
const plainWords =
  /^(?:[\p{L}\p{M}\p{N}\s,;!?'’"“”„«»()€$£+=*–—…•-]|\.(?!\p{L})|(?<!\p{L}):|(?<=\p{L}):(?!\S)|%(?![\p{L}\p{N}]))*$/u;

/** Whether people of the thread wrote every free text of a call themselves, apart from texts that are known for another reason. */
function isOwnText(
  scope: TurnScope,
  { args }: BoundCall,
  isKnown: (path: string, text: string) => boolean,
): boolean {
  return Object.entries(args.free).every(
    ([path, text]) => text === "" || isKnown(path, text) || isSaidWhole(scope, text),
  );
}

const trustSchema = z.object({
  /** Tools that may run without asking, each in the form that the operator saw. */
  tools: z.array(z.object({ tool: z.string(), definition: z.string() })),
  /** The operator who decided, and the time, ms since the epoch. */
  by: z.string(),
  at: z.number(),
});
/** An operator's decision about a server's tools. */
export type ServerTrust = z.infer<typeof trustSchema>;

const trustKey = (server: string) => `trust:${server}`;

/** Undefined as long as no operator has reviewed the server's tools. */
export async function readTrust(store: KeyValue, server: string): Promise<ServerTrust | undefined> {
  return trustSchema.optional().parse(await store.get(trustKey(server)));
}

/** Replaces the earlier decision. With no tools, each of them asks. */
export async function writeTrust(store: KeyValue, server: string, trust: ServerTrust): Promise<void> {
  await store.set(trustKey(server), trust);
}

/** Whether an operator allowed this tool, in its current form, to run without asking. */
export function isTrusted(
  { tool, definition }: Pick<ServerTool, "tool" | "definition">,
  trust: ServerTrust | undefined,
): boolean {
  return trust?.tools.some((each) => each.tool === tool && each.definition === definition) ?? false;
}
