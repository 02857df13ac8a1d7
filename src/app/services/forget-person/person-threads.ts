import { type TurnEvent, withoutDetails } from "../../../core/log/turn-event.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { repeatedTurn } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { hasTurns, wasForgotten } from "../forgetting.ts";
import { isAt, type Person, turnsIn } from "./person.ts";
import { type ForgetTurnsOptions, forgetPersonsTurn, type PersonDeps } from "./person-turns.ts";

/** What shows that words of a person reached a turn of somebody else. */
export interface Traces {
  person: Person;
  /** Matches stored JSON that names the person. */
  named: RegExp;
  /** Names of openings that name the person. */
  openings: ReadonlySet<string>;
}

/** The result for all threads in which the person may have been read. */
export interface SweptThreads {
  /** Number of other people's turns that lost their details, or answered a message of the person again. */
  count: number;
  /** What could not be deleted, and what to do. */
  left: string[];
  /** Files that stay, with their threads: calls in turns of others made them from the person's files, or changed them. */
  kept: string[];
  /** Deleted turns whose records still name the person: as their author, or as who deleted them. */
  records: string[];
}

/**
 * Deletes from the threads of a person what the bot made of their words: the details of other people's turns from the first one on that
 * the words reached, turns that answer a message of the person again, and files that only the person's turns made.
 */
export async function sweepThreads(
  deps: PersonDeps,
  traces: Traces,
  options: ForgetTurnsOptions,
): Promise<SweptThreads> {
  const { log, clock, past } = deps;
  const done: SweptThreads = { count: 0, left: [], kept: [], records: [] };
  for (const namespace of await log.namespaces(traces.person.platform)) {
    if (!isAt(traces.person, namespace)) continue;
    for await (const { thread } of log.everyThread(namespace)) {
      const reach = await reachIn(deps, { namespace, thread }, traces);
      done.records.push(...reach.records);
      const left = await forgetRepeats(deps, reach, options);
      done.left.push(...left);
      done.count += reach.repeats.length + reach.stripped.length;
      if (options.dryRun) continue;
      done.kept.push(...(await forgetFiles(deps, reach, traces)));
      // The first one that the words reached is the last one to lose them, so that another run after a crash finds the others.
      if (left.length === 0) await log.removeDetails(reach.stripped, clock.now(), { forgets: true });
      if (reach.stripped.length > 0) past.forget();
    }
  }
  return done;
}

/** How far the person's words went in a thread. */
interface Reach extends Place {
  /** Whether they reached a turn. */
  isReached: boolean;
  /** Ids of the person's turns. */
  own: Set<string>;
  /** Other people's turns with details that the words reached, newest first. */
  stripped: string[];
  /** Other people's turns that answer a message of the person again. */
  repeats: TurnRecord[];
  /** Other people's turns that the words reached and that have not ended. */
  running: TurnRecord[];
  records: string[];
}

async function reachIn(deps: PersonDeps, place: Place, traces: Traces): Promise<Reach> {
  const none = { stripped: [], repeats: [], running: [], records: [] };
  const reach: Reach = { ...place, ...none, isReached: false, own: new Set() };
  const turnIds = await Array.fromAsync(turnsIn(deps.log, place), ({ turn_id }) => turn_id);
  for (const turnId of turnIds.reverse()) {
    const turn = await deps.log.get(turnId);
    if (turn !== undefined) await follow(deps, reach, turn, traces);
  }
  return reach;
}

/** Follows the words to the next turn of the thread. */
async function follow(deps: PersonDeps, reach: Reach, turn: TurnRecord, traces: Traces): Promise<void> {
  const { id } = traces.person;
  const events = await deps.log.read(turn.turn_id);
  const isOwn = turn.author.id === id;
  if (isOwn) reach.own.add(turn.turn_id);
  if (wasForgotten(events)) {
    reach.isReached ||= isOwn;
    if (isOwn || events.some((event) => event.type === "turn_finished" && event.forgotten_by === id))
      reach.records.push(turn.turn_id);
    return;
  }
  const isAgain = isRepeat(events, reach.own);
  const isNamed = isOwn || isAgain || (await isNamedIn(deps, turn.turn_id, events, traces));
  reach.isReached ||= isNamed;
  if (isOwn) return;
  if (isAgain) reach.repeats.push(turn);
  else if (!isNamed && !(reach.isReached && events.some(isDetail))) return;
  else if (turn.status === "finished") reach.stripped.unshift(turn.turn_id);
  else reach.running.push(turn);
}

function isDetail({ type }: TurnEvent): boolean {
  return !withoutDetails.includes(type);
}

/** Whether the turn answers a message again that one of these turns had. */
function isRepeat([entry]: readonly TurnEvent[], turnIds: ReadonlySet<string>): boolean {
  const repeated = entry?.type === "inbound" ? repeatedTurn(entry.inbound.key) : undefined;
  return repeated !== undefined && turnIds.has(repeated);
}

/** Whether what a turn read, did or was told names the person; its question and its answer are other people's. */
async function isNamedIn(
  { log }: PersonDeps,
  turnId: string,
  events: readonly TurnEvent[],
  { person: { id }, named, openings }: Traces,
): Promise<boolean> {
  const details = events.filter(isDetail);
  // A crash ended the deletion of these.
  if (details.length > 0 && events.some(({ type }) => type === "details_removed")) return true;
  const [entry] = events;
  if (entry?.type === "inbound" && entry.inbound.cause?.caused_by?.includes(id)) return true;
  const isTheirs = (event: TurnEvent) =>
    named.test(JSON.stringify(event)) || (event.type === "transcript_opened" && openings.has(event.opening));
  return details.some(isTheirs) || (await log.signals(turnId)).some(({ by }) => by === id);
}

/** Deletes the turns that answer a message of the person again. Returns what keeps words of the person. */
async function forgetRepeats(
  deps: PersonDeps,
  { repeats, running }: Reach,
  options: ForgetTurnsOptions,
): Promise<string[]> {
  const written = (turn: TurnRecord) => `Turn ${turn.turn_id} of ${turn.author.name} in ${turn.namespace}`;
  const left = running.map(
    (turn) =>
      `${written(turn)} has read their messages and has not ended. Run this again when it has, or stop it first.`,
  );
  for (const turn of options.dryRun ? [] : repeats) {
    const problem = await forgetPersonsTurn(deps, turn, options);
    if (problem !== undefined) left.push(`${written(turn)} answers a message of theirs: ${problem}`);
  }
  return left;
}

/**
 * Removes the files of a thread that the person sent, that only their turns made, and that only deleted details name. Removes the folder of
 * a thread without other turns. Returns the files that stay.
 */
async function forgetFiles(
  { log, files, folders }: PersonDeps,
  { namespace, thread, own, records, stripped }: Reach,
  { person }: Traces,
): Promise<string[]> {
  const place = { namespace, thread };
  const folder = folders.of(place);
  if (own.size > 0 && !(await hasTurns(log, place))) {
    await folder.clear();
    return [];
  }
  const paths: string[] = [];
  for (const turnId of stripped) {
    const events = await log.read(turnId);
    const sent = events.flatMap((event) =>
      event.type === "context_read" ? event.files.filter(({ author }) => author === person.id) : [],
    );
    const given = new Set(events.flatMap((event) => (event.type === "file" ? [event.name] : [])));
    const pictures = events.flatMap((event) => (event.type === "picture_shown" ? [event.name] : []));
    for (const name of [...pictures, ...sent.flatMap(({ image }) => image ?? [])])
      if (!given.has(name)) await files.remove(turnId, name);
    paths.push(...sent.flatMap(({ path }) => path ?? []));
  }
  if (own.size === 0 && paths.length === 0) return [];
  const deleted = records.filter((turnId) => own.has(turnId));
  const { made_from_them } = await folder.forget(deleted, { made: true, paths });
  return made_from_them.map((path) => `${path} of the thread ${thread} in ${namespace}`);
}
