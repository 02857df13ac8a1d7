import { isContainer } from "../../../base/record.ts";
import { type TurnEvent, unwrapped, withoutDetails } from "../../../core/log/turn-event.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { repeatedTurn } from "../../../core/ports/chat-platform.ts";
import type { FileStore } from "../../../core/ports/storage.ts";
import type { Author } from "../../../core/values/inbound.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import { type Place, partsOf } from "../../../core/values/place.ts";
import { saysAny } from "../../turns/says.ts";
import { type ForgettingDeps, forgetTurn, hasTurns, wasForgotten } from "../forgetting.ts";
import { isAt, type Person, turnsIn, turnsOf } from "./person.ts";

export type PersonTurnsDeps = Omit<ForgettingDeps, "audit" | "files"> & {
  files: ForgettingDeps["files"] & Pick<FileStore, "remove" | "scrub">;
};

/** A thread in which a person spoke with the bot. */
export interface OwnThread extends Place {
  /** Ids of their turns, and of the deleted ones. */
  all: Set<string>;
  deleted: string[];
  /** When their first one was accepted, ms since the epoch. */
  since: number;
}

/** Traces by which a person is recognised in other people's turns. */
export interface Traces {
  person: Person;
  /** Names of the person: outputs of tools may have only the name. */
  names: ReadonlySet<string>;
  /** Facts they told, by namespace. */
  facts: ReadonlyMap<string, readonly string[]>;
  /** Openings that contain such a fact. */
  openings: ReadonlySet<string>;
  own: Pick<OwnTurns, "threads">;
}

interface TurnsForgotten {
  count: number;
  /** What could not be deleted, and what to do. */
  left: string[];
}

export interface OwnTurns extends TurnsForgotten {
  /** By `placeKey`. */
  threads: Map<string, OwnThread>;
}

const placeKey = ({ namespace, thread }: Place) => JSON.stringify([namespace, thread]);

/** The names the person's turns have. */
export async function namesOf({ log }: Pick<PersonTurnsDeps, "log">, person: Person): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { namespace, author } of turnsOf(log, person.id))
    if (isAt(person, namespace) && author.name !== "") names.add(author.name);
  return names;
}

export interface ForgetOwnOptions {
  by: Author;
  dryRun: boolean;
  leavePosts: boolean;
}

/** Deletes the person's turns with their answers and files. Turns that were deleted before are not counted. */
export async function forgetOwnTurns(
  deps: PersonTurnsDeps,
  person: Person,
  options: ForgetOwnOptions,
): Promise<OwnTurns> {
  const done: OwnTurns = { count: 0, left: [], threads: new Map() };
  for await (const turn of turnsOf(deps.log, person.id)) {
    if (!isAt(person, turn.namespace)) continue;
    const { namespace, thread, turn_id, accepted_at } = turn;
    const events = await deps.log.read(turn_id);
    const isNew = !wasForgotten(events);
    const problem = isNew && !options.dryRun ? await forgetOwn(deps, turn, events, options) : undefined;
    if (problem === undefined) done.count += isNew ? 1 : 0;
    else done.left.push(`Their turn ${turn_id} in ${namespace}: ${problem}`);
    const own = done.threads.get(placeKey(turn)) ?? {
      namespace,
      thread,
      all: new Set(),
      deleted: [],
      since: accepted_at,
    };
    own.all.add(turn_id);
    if (problem === undefined) own.deleted.push(turn_id);
    own.since = Math.min(own.since, accepted_at);
    done.threads.set(placeKey(turn), own);
  }
  return done;
}

async function forgetOwn(
  deps: PersonTurnsDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
  { by, leavePosts }: ForgetOwnOptions,
): Promise<string | undefined> {
  const isPosted = events.some(({ type }) => type === "message_posted");
  if (isPosted && !leavePosts && deps.platforms.of(turn.namespace) === undefined) {
    const { platform } = partsOf(turn.namespace);
    return `its answer was posted on ${platform}, which is not connected here. Run this while the bot runs there, or say that posts may stay.`;
  }
  const outcome = await forgetTurn(deps, turn, by, { leavePosts, keepsFolder: true });
  return outcome.ok ? undefined : outcome.message;
}

/**
 * Removes files that only calls in the person's turns made, and the folders of threads without other turns. Returns the files that stay,
 * each with its thread.
 */
export async function forgetFolders(
  { log, folders }: PersonTurnsDeps,
  threads: Iterable<OwnThread>,
): Promise<string[]> {
  const kept: string[] = [];
  for (const place of threads) {
    const folder = folders.of(place);
    if (!(await hasTurns(log, place))) await folder.clear();
    else kept.push(...keptIn(place, (await folder.forget(place.deleted, { made: true })).made_from_them));
  }
  return kept;
}

function keptIn({ namespace, thread }: Place, paths: readonly string[]): string[] {
  return paths.map((path) => `${path} of the thread ${thread} in ${namespace}`);
}

/** Turns whose details are deleted in one step. */
const strippedAtOnce = 50;

export interface OthersTurns extends TurnsForgotten {
  /** Files that stay: calls in turns of others made them from the person's files. */
  kept: string[];
  /** Turns that the person deleted. */
  deleted: string[];
}

/**
 * Deletes the details of other people's turns that contain words of the person, with the files the person sent there. Deletes turns in
 * which others had a message of the person answered again.
 */
export async function stripOtherTurns(
  deps: PersonTurnsDeps,
  traces: Traces,
  options: ForgetOwnOptions,
): Promise<OthersTurns> {
  const { log, clock, past } = deps;
  const done: OthersTurns = { count: 0, left: [], kept: [], deleted: [] };
  let found: string[] = [];
  const strip = async () => {
    if (found.length === 0) return;
    await log.removeDetails(found, clock.now(), { forgets: true });
    past.forget();
    found = [];
  };
  for await (const turn of othersTurns(deps, traces.person)) {
    const events = await log.read(turn.turn_id);
    if (events.some((event) => isDeletedBy(event, traces.person))) done.deleted.push(turn.turn_id);
    if (!(await hasWords(deps, turn, events, traces))) continue;
    const isRepeat = isRepeated(events, turn, traces);
    const problem = await whyKept(deps, turn, events, isRepeat, options);
    if (problem !== undefined) {
      done.left.push(`Turn ${turn.turn_id} of ${turn.author.name} in ${turn.namespace}${problem}`);
      continue;
    }
    done.count += 1;
    if (options.dryRun || isRepeat) continue;
    done.kept.push(...(await removeFiles(deps, turn, events, traces)));
    found.push(turn.turn_id);
    if (found.length >= strippedAtOnce) await strip();
  }
  await strip();
  return done;
}

/** Deletes a turn that answers a message of the person again. Returns why a turn keeps words of the person; undefined when it does not. */
async function whyKept(
  deps: PersonTurnsDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
  isRepeat: boolean,
  options: ForgetOwnOptions,
): Promise<string | undefined> {
  if (turn.status !== "finished")
    return " has read their messages and has not ended. Run this again when it has, or stop it first.";
  const problem = isRepeat && !options.dryRun ? await forgetOwn(deps, turn, events, options) : undefined;
  return problem === undefined ? undefined : ` answers a message of theirs: ${problem}`;
}

/** Removes files that only the details of a turn name: files the person sent, and pictures that calls looked at. */
async function removeFiles(
  { files, folders }: PersonTurnsDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
  traces: Traces,
): Promise<string[]> {
  const sent = events.flatMap((event) =>
    event.type === "context_read" ? event.files.filter((file) => isFrom(file, traces)) : [],
  );
  const given = new Set(events.flatMap((event) => (event.type === "file" ? [event.name] : [])));
  const pictures = events.flatMap((event) => (event.type === "picture_shown" ? [event.name] : []));
  for (const name of [...pictures, ...sent.flatMap(({ image }) => image ?? [])])
    if (!given.has(name)) await files.remove(turn.turn_id, name);
  const paths = sent.flatMap(({ path }) => path ?? []);
  if (paths.length === 0) return [];
  return keptIn(turn, (await folders.of(turn).forget([], { paths })).made_from_them);
}

async function* othersTurns({ log }: PersonTurnsDeps, person: Person): AsyncGenerator<TurnRecord> {
  for (const namespace of await log.namespaces(person.platform)) {
    if (!isAt(person, namespace)) continue;
    for await (const turn of turnsIn(log, { namespace })) if (turn.author.id !== person.id) yield turn;
  }
}

function isDetail({ type }: TurnEvent): boolean {
  return !withoutDetails.includes(type);
}

async function hasWords(
  { log }: PersonTurnsDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
  traces: Traces,
): Promise<boolean> {
  if (wasForgotten(events)) return false;
  const details = events.filter(isDetail);
  const { person, facts, own } = traces;
  const isHalfDone = details.length > 0 && events.some(({ type }) => type === "details_removed");
  if (isHalfDone || isRepeated(events, turn, traces)) return true;
  const since = own.threads.get(placeKey(turn))?.since ?? Number.POSITIVE_INFINITY;
  // Its calls may have read any earlier message or attachment in the thread.
  if (details.length > 0 && turn.accepted_at >= since) return true;
  if (events.some((event) => isTheirs(event, traces))) return true;
  if (saysAny(details, facts.get(turn.namespace) ?? [])) return true;
  return (await log.signals(turn.turn_id)).some(({ by }) => by === person.id);
}

/** Whether the turn answers a message of the person again. */
function isRepeated([entry]: readonly TurnEvent[], turn: TurnRecord, { own }: Traces): boolean {
  const repeated = entry?.type === "inbound" ? repeatedTurn(entry.inbound.key) : undefined;
  return repeated !== undefined && own.threads.get(placeKey(turn))?.all.has(repeated) === true;
}

function isDeletedBy(event: TurnEvent, { id }: Person): boolean {
  return event.type === "turn_finished" && event.forgotten_by === id;
}

function isTheirs(stored: TurnEvent, traces: Traces): boolean {
  const { id } = traces.person;
  const event = unwrapped(stored);
  switch (event.type) {
    case "inbound":
      return event.inbound.cause?.caused_by?.includes(id) === true;
    case "context_read":
      return (
        event.thread.some((heard) => isFrom(heard, traces)) ||
        event.files.some((file) => isFrom(file, traces))
      );
    case "question_answered":
    case "approval_decided":
      return event.by === id;
    case "approval_shown":
      return event.person === id;
    case "people_named":
      return event.ids.includes(id);
    case "transcript_opened":
      return traces.openings.has(event.opening);
    case "tool_started":
      return event.allowed?.by === id || isQuotedIn(event.input, traces);
    case "approval_requested":
      return event.person?.id === id || isQuotedIn(event.input, traces);
    case "tool_finished":
    case "skill_output":
      return isQuotedIn(event.output, traces);
    case "step_finished":
      return isQuotedIn(event.result, traces);
    default:
      return false;
  }
}

function isFrom({ author }: { author?: string | undefined }, { person }: Traces): boolean {
  return author === person.id;
}

/**
 * Whether a value contains something from the person: a message, fact, document or earlier conversation, as tools return them. Each names
 * its author by id, by name, or as a mention.
 */
function isQuotedIn(value: Json, { person, names }: Traces): boolean {
  const mention = `<@${person.id}>`;
  const has = (each: Json): boolean => {
    if (typeof each === "string") return each.includes(mention);
    if (!isContainer(each)) return false;
    const { by, author, id } = objectOf(each);
    if (by === person.id || author === person.id || id === person.id) return true;
    return (typeof by === "string" && names.has(by)) || Object.values(each).some(has);
  };
  return has(value);
}
