/**
 * What people allowed for good with "always here". An allowance lives in one channel and covers the calls of one tool as it was
 * then, to the recipient it was given for.
 */
import { z } from "zod";
import type { Cause } from "./inbound.ts";
import { canonicalJson, type Json } from "./json.ts";
import type { KeyValue } from "./key-value.ts";
import { type Approver, approvers, isAtLeast } from "./tool.ts";

const bindingSchema = z.object({
  /** Empty for tools of the agent itself. */
  skill_id: z.string(),
  tool: z.string(),
  /** Names the tool, or the code it runs, as it is now. */
  definition: z.string(),
  /** Arguments that say where the call goes, by their paths, and what else an allowance depends on. */
  values: z.record(z.string(), z.json()),
});
/** What "always here" is bound to: a call that differs in any of it asks again. */
export type Binding = z.infer<typeof bindingSchema>;

const allowanceSchema = z.object({
  /** Counts up in its channel. */
  id: z.number().int().positive(),
  binding: bindingSchema,
  /** The strictest need it answers. */
  approver: z.enum(approvers),
  /** The only person whose turns it covers, by id; absent: everyone here. */
  only_for: z.string().optional(),
  /** The id of the schedule or trigger in whose turns alone it counts. */
  within: z.string().optional(),
  /** Who gave it, by id and name, and when, ms since the epoch. */
  by: z.string(),
  name: z.string(),
  at: z.number(),
});
export type Allowance = z.infer<typeof allowanceSchema>;

const bookSchema = z.object({ next: z.number().int(), allowances: z.array(allowanceSchema) });

/** Allowances a channel keeps; the oldest goes first. */
const maxAllowances = 200;

const keyOf = (namespace: string) => `allowances:${namespace}`;

/** What is always allowed in a channel, oldest first. */
export async function readAllowances(store: KeyValue, namespace: string): Promise<Allowance[]> {
  return parse(await store.get(keyOf(namespace))).allowances;
}

/** Adds an allowance; one that is the same but for who gave it is replaced. */
export async function addAllowance(
  store: KeyValue,
  namespace: string,
  given: Omit<Allowance, "id">,
): Promise<void> {
  await store.update(keyOf(namespace), (value) => {
    const { next, allowances } = parse(value);
    const others = allowances.filter((each) => !isSameScope(each, given));
    const kept = [...others, { id: next, ...given }].slice(-maxAllowances);
    return toJson({ next: next + 1, allowances: kept });
  });
}

/** Takes an allowance back. Answers it; undefined when there is none of this id. */
export async function removeAllowance(
  store: KeyValue,
  namespace: string,
  id: number,
): Promise<Allowance | undefined> {
  const found = (await readAllowances(store, namespace)).find((each) => each.id === id);
  if (found === undefined) return undefined;
  await store.update(keyOf(namespace), (value) => {
    const { next, allowances } = parse(value);
    return toJson({ next, allowances: allowances.filter((each) => each.id !== id) });
  });
  return found;
}

/**
 * Whether calls of this binding may run unasked in turns of this person, although they need this approver. In a turn that a trigger began,
 * for words that nobody here vouches for, only what was allowed for this trigger counts.
 */
export function isAllowed(
  allowances: readonly Allowance[],
  binding: Binding,
  {
    approver,
    asker,
    cause,
  }: { approver: Approver; asker: string; cause?: Pick<Cause, "kind" | "id"> | undefined },
): boolean {
  return allowances.some(
    (each) =>
      isSame(each.binding, binding) &&
      isAtLeast(each.approver, approver) &&
      countsIn(each, cause) &&
      (each.only_for === undefined || each.only_for === asker),
  );
}

function countsIn({ within }: Allowance, cause: Pick<Cause, "kind" | "id"> | undefined): boolean {
  if (within !== undefined) return within === cause?.id;
  return cause?.kind !== "trigger";
}

function parse(value: unknown): z.infer<typeof bookSchema> {
  return bookSchema.parse(value ?? { next: 1, allowances: [] });
}

function toJson(book: z.input<typeof bookSchema>): Json {
  return JSON.parse(JSON.stringify(book)) as Json;
}

function isSame(one: Binding, other: Binding): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function isSameScope(one: Omit<Allowance, "id">, other: Omit<Allowance, "id">): boolean {
  return isSame(one.binding, other.binding) && one.only_for === other.only_for && one.within === other.within;
}

/**
 * Words in the name of an argument that say where a call goes or what it runs. `to`, `cc_list`, `channelId` and `webhook_url` count,
 * at any depth. An argument that is taken for one without being one only makes "always here" narrower.
 */
const destinationWords = new Set(
  (
    "to cc bcc recipient recipients receiver receivers channel channels room rooms conversation conversations chat chats group groups " +
    "email emails mail user users member members person people contact contacts attendee attendees invitee invitees assignee " +
    "assignees address addresses phone number url urls uri uris href link links endpoint webhook host hosts hostname domain server " +
    "destination target account team workspace org organization owner repo repository project calendar list board bucket path file " +
    "command script"
  ).split(" "),
);

/** Characters of JSON that an allowance keeps of a call's destinations; a call with more of them is asked about each time. */
const maxDestinations = 4_000;

/**
 * The arguments of a call that "always here" is bound to, by their paths: `message.to`. Undefined when there are more than an
 * allowance can keep.
 */
export function destinationsIn(input: Json): Record<string, Json> | undefined {
  const found: Record<string, Json> = {};
  const open: { path: string; members: Json }[] = [{ path: "", members: input }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, members } = next;
    if (path.length > maxDestinations) return undefined;
    const isList = Array.isArray(members);
    for (const [name, value] of membersOf(members)) {
      const at = path === "" ? name : `${path}.${name}`;
      if (!isList && isDestination(name)) found[at] = value;
      else open.push({ path: at, members: value });
    }
  }
  return lengthOf(found) > maxDestinations ? undefined : found;
}

function membersOf(value: Json): [string, Json][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Characters of JSON; endless for what is nested too deeply to be written. */
function lengthOf(value: unknown): number {
  try {
    return canonicalJson(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function isDestination(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => destinationWords.has(word));
}
