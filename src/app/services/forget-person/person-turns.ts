import { type TurnEvent, withoutDetails } from "../../../core/log/turn-event.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { repeatedTurn } from "../../../core/ports/chat-platform.ts";
import type { Knowledge } from "../../../core/ports/services.ts";
import type { Author } from "../../../core/values/inbound.ts";
import { type Place, partsOf } from "../../../core/values/place.ts";
import type { AppDeps, ScheduleSetup } from "../../app-deps.ts";
import type { StoredOpenings } from "../../turns/openings.ts";
import { type Forgetting, hasTurns, type TurnTraces, wasForgotten } from "../forgetting.ts";
import type { StoredAudit } from "../stored-audit.ts";
import { isAt, type Person, turnsIn } from "./person.ts";

/** Where a person's data is. `sealed` has the secrets of webhooks, by the id of their trigger. */
export interface PersonTraces
  extends TurnTraces,
    Pick<AppDeps, "index" | "copies" | "servers">,
    Pick<ScheduleSetup, "due" | "sealed"> {
  forgetting: Forgetting;
  stored: StoredAudit;
  openings: StoredOpenings;
  /** What channels learned from documents. */
  knowledge: Knowledge | undefined;
}

/** How a person is forgotten. */
export interface Forgets {
  by: Author;
  /** Only counts. */
  dryRun: boolean;
  /** Leaves posted answers on the platform. */
  leavePosts: boolean;
}

/** The result for all threads in which the person may have been read. */
interface SweptThreads {
  /** Number of other people's turns that lost their details, or answered a message of the person again. */
  count: number;
  /** What could not be deleted, and what to do. */
  left: string[];
  /** Files that stay, with their threads: calls in turns of others made them from the person's files, or changed them. */
  kept: string[];
  /** Deleted turns whose records still name the person: as their author, or as who deleted them. */
  records: string[];
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

/** The turns of a person, and what the bot made of their words in turns of others. */
export class PersonTurns {
  readonly #in: PersonTraces;
  readonly #person: Person;
  readonly #how: Forgets;

  constructor(traces: PersonTraces, person: Person, how: Forgets) {
    this.#in = traces;
    this.#person = person;
    this.#how = how;
  }

  /** Deletes the person's turns with their answers and files. Returns how many, and what could not be deleted. */
  async forgetOwn(): Promise<{ count: number; left: string[] }> {
    const { log } = this.#in;
    const left: string[] = [];
    let count = 0;
    for await (const turn of turnsIn(log, { author: this.#person.id })) {
      if (!isAt(this.#person, turn.namespace) || wasForgotten(await log.read(turn.turn_id))) continue;
      const problem = this.#how.dryRun ? undefined : await this.#forget(turn);
      if (problem === undefined) count += 1;
      else left.push(`Their turn ${turn.turn_id} in ${turn.namespace}: ${problem}`);
    }
    return { count, left };
  }

  /** Deletes a turn with its answer. Its thread's folder stays. Returns why the turn is kept; undefined if it is deleted. */
  async #forget(turn: TurnRecord): Promise<string | undefined> {
    const { log, platforms, forgetting } = this.#in;
    const { by, leavePosts } = this.#how;
    const isPosted = (await log.read(turn.turn_id)).some(({ type }) => type === "message_posted");
    if (isPosted && !leavePosts && platforms.of(turn.namespace) === undefined) {
      const { platform } = partsOf(turn.namespace);
      return `its answer was posted on ${platform}, which is not connected here. Run this while the bot runs there, or say that posts may stay.`;
    }
    const outcome = await forgetting.turn(turn, by, { leavePosts, keepsFolder: true });
    return outcome.ok ? undefined : outcome.message;
  }

  /**
   * Deletes from the threads of a person what the bot made of their words: the details of other people's turns from the first one on that
   * the words reached, turns that answer a message of the person again, and files that only the person's turns made.
   * @param named matches stored JSON that names the person
   * @param openings names of openings that name the person
   */
  async sweepThreads(named: RegExp, openings: ReadonlySet<string>): Promise<SweptThreads> {
    const { log, clock, past } = this.#in;
    const { dryRun } = this.#how;
    const names = (event: TurnEvent) =>
      named.test(JSON.stringify(event)) ||
      (event.type === "transcript_opened" && openings.has(event.opening));
    const done: SweptThreads = { count: 0, left: [], kept: [], records: [] };
    for (const namespace of await log.namespaces(this.#person.platform)) {
      if (!isAt(this.#person, namespace)) continue;
      for await (const { thread } of log.everyThread(namespace)) {
        const reach = await this.#reachIn({ namespace, thread }, names);
        done.records.push(...reach.records);
        const left = await this.#forgetRepeats(reach);
        done.left.push(...left);
        done.count += reach.repeats.length + reach.stripped.length;
        if (dryRun) continue;
        done.kept.push(...(await this.#forgetFiles(reach)));
        // The first one that the words reached is the last one to lose them, so that another run after a crash finds the others.
        if (left.length === 0) await log.removeDetails(reach.stripped, clock.now(), { forgets: true });
        if (reach.stripped.length > 0) past.forget();
      }
    }
    return done;
  }

  async #reachIn(place: Place, names: (event: TurnEvent) => boolean): Promise<Reach> {
    const { log } = this.#in;
    const none = { stripped: [], repeats: [], running: [], records: [] };
    const reach: Reach = { ...place, ...none, isReached: false, own: new Set() };
    const turnIds = await Array.fromAsync(turnsIn(log, place), ({ turn_id }) => turn_id);
    for (const turnId of turnIds.reverse()) {
      const turn = await log.get(turnId);
      if (turn !== undefined) await this.#follow(reach, turn, names);
    }
    return reach;
  }

  /** Follows the words to the next turn of the thread. */
  async #follow(reach: Reach, turn: TurnRecord, names: (event: TurnEvent) => boolean): Promise<void> {
    const { id } = this.#person;
    const events = await this.#in.log.read(turn.turn_id);
    const isOwn = turn.author.id === id;
    if (isOwn) reach.own.add(turn.turn_id);
    if (wasForgotten(events)) {
      reach.isReached ||= isOwn;
      if (isOwn || events.some((event) => event.type === "turn_finished" && event.forgotten_by === id))
        reach.records.push(turn.turn_id);
      return;
    }
    const isAgain = isRepeat(events, reach.own);
    const isNamed = isOwn || isAgain || (await this.#isNamedIn(turn.turn_id, events, names));
    reach.isReached ||= isNamed;
    if (isOwn) return;
    if (isAgain) reach.repeats.push(turn);
    else if (!isNamed && !(reach.isReached && events.some(isDetail))) return;
    else if (turn.status === "finished") reach.stripped.unshift(turn.turn_id);
    else reach.running.push(turn);
  }

  /** Whether what a turn read, did or was told names the person; its question and its answer are other people's. */
  async #isNamedIn(turnId: string, events: readonly TurnEvent[], names: (event: TurnEvent) => boolean) {
    const { id } = this.#person;
    const details = events.filter(isDetail);
    // A crash ended the deletion of these.
    if (details.length > 0 && events.some(({ type }) => type === "details_removed")) return true;
    const [entry] = events;
    if (entry?.type === "inbound" && entry.inbound.cause?.caused_by?.includes(id)) return true;
    return details.some(names) || (await this.#in.log.signals(turnId)).some(({ by }) => by === id);
  }

  /** Deletes the turns that answer a message of the person again. Returns what keeps words of the person. */
  async #forgetRepeats({ repeats, running }: Reach): Promise<string[]> {
    const written = (turn: TurnRecord) => `Turn ${turn.turn_id} of ${turn.author.name} in ${turn.namespace}`;
    const left = running.map(
      (turn) =>
        `${written(turn)} has read their messages and has not ended. Run this again when it has, or stop it first.`,
    );
    for (const turn of this.#how.dryRun ? [] : repeats) {
      const problem = await this.#forget(turn);
      if (problem !== undefined) left.push(`${written(turn)} answers a message of theirs: ${problem}`);
    }
    return left;
  }

  /**
   * Removes the files of a thread that the person sent, that only their turns made, and that only deleted details name. Removes the folder
   * of a thread without other turns. Returns the files that stay.
   */
  async #forgetFiles({ namespace, thread, own, records, stripped }: Reach): Promise<string[]> {
    const { log, files, folders } = this.#in;
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
        event.type === "context_read" ? event.files.filter(({ author }) => author === this.#person.id) : [],
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
}

function isDetail({ type }: TurnEvent): boolean {
  return !withoutDetails.includes(type);
}

/** Whether the turn answers a message again that one of these turns had. */
function isRepeat([entry]: readonly TurnEvent[], turnIds: ReadonlySet<string>): boolean {
  const repeated = entry?.type === "inbound" ? repeatedTurn(entry.inbound.key) : undefined;
  return repeated !== undefined && turnIds.has(repeated);
}
