import { withoutDetails } from "../../../core/event-audience.ts";
import type { Author } from "../../../core/inbound.ts";
import { type Json, objectOf } from "../../../core/json.ts";
import type { ReadFile } from "../../../core/message-context.ts";
import type { TurnEvent } from "../../../core/turn-event.ts";
import type { TurnRecord } from "../../../core/turn-log.ts";
import { saysAny } from "../../turns/says.ts";
import { type ForgettingDeps, forgetTurn } from "../forgetting.ts";
import { isAt, type Person, turnsIn, turnsOf } from "./person.ts";

export type PersonTurnsDeps = Omit<ForgettingDeps, "audit" | "files"> & {
  files: ForgettingDeps["files"] & { remove(turnId: string, name: string): Promise<void> };
};

/** How a person is recognised in what other people's turns have read. */
export interface Traces {
  person: Person;
  /** What they were called: logs of earlier versions have only the name. */
  names: ReadonlySet<string>;
  /** Facts they told, by namespace. */
  facts: ReadonlyMap<string, readonly string[]>;
  /** Names of openings that said such a fact. */
  openings: ReadonlySet<string>;
}

export interface TurnsForgotten {
  count: number;
  /** What could not be deleted, and what to do. */
  left: string[];
}

/** The names the person's turns have. */
export async function namesOf({ log }: Pick<PersonTurnsDeps, "log">, person: Person): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { namespace, author } of turnsOf(log, person.id))
    if (isAt(person, namespace) && author.name !== "") names.add(author.name);
  return names;
}

/** Deletes the person's turns with their answers and files. Those that were deleted before count no more. */
export async function forgetOwnTurns(
  deps: PersonTurnsDeps,
  person: Person,
  by: Author,
  { dryRun, leavePosts }: { dryRun: boolean; leavePosts: boolean },
): Promise<TurnsForgotten> {
  const done: TurnsForgotten = { count: 0, left: [] };
  for await (const turn of turnsOf(deps.log, person.id)) {
    if (!isAt(person, turn.namespace)) continue;
    const events = await deps.log.read(turn.turn_id);
    if (events.some((event) => event.type === "turn_finished" && event.forgotten_by !== undefined)) continue;
    const problem = dryRun ? undefined : await forgetOwn(deps, turn, events, by, leavePosts);
    if (problem === undefined) done.count += 1;
    else done.left.push(`Turn ${turn.turn_id} of theirs in ${turn.namespace}: ${problem}`);
  }
  return done;
}

async function forgetOwn(
  deps: PersonTurnsDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
  by: Author,
  leavePosts: boolean,
): Promise<string | undefined> {
  const isPosted = events.some(({ type }) => type === "message_posted");
  if (isPosted && !leavePosts && deps.platforms.of(turn.namespace) === undefined) {
    const [platform] = turn.namespace.split(":");
    return `its answer was posted on ${platform}, which is not connected here. Run this while the bot runs there, or say that posts may stay.`;
  }
  const outcome = await forgetTurn(deps, turn, by, { leavePosts });
  return outcome.ok ? undefined : outcome.message;
}

/** Turns whose details go together. */
const strippedAtOnce = 50;

/** Deletes the details of other people's turns that have words of the person in them, with the files the person sent there. */
export async function stripOtherTurns(
  deps: PersonTurnsDeps,
  traces: Traces,
  dryRun: boolean,
): Promise<TurnsForgotten> {
  const { log, clock, past } = deps;
  const done: TurnsForgotten = { count: 0, left: [] };
  let found: string[] = [];
  const strip = async () => {
    if (found.length === 0) return;
    await log.removeDetails(found, clock.now(), { forgets: true });
    past.forget();
    found = [];
  };
  for await (const turn of othersTurns(deps, traces.person)) {
    const events = await log.read(turn.turn_id);
    const isHalfDone = hasDetails(events) && events.some(({ type }) => type === "details_removed");
    if (!isHalfDone && !hasWords(events, turn.namespace, traces)) continue;
    if (turn.status !== "finished") {
      done.left.push(
        `Turn ${turn.turn_id} of ${turn.author.name} in ${turn.namespace} has read their words and has not ended. Run this again when it has, or stop it first.`,
      );
      continue;
    }
    done.count += 1;
    if (dryRun) continue;
    await removeFiles(deps, turn, filesFrom(events, traces));
    found.push(turn.turn_id);
    if (found.length >= strippedAtOnce) await strip();
  }
  await strip();
  return done;
}

async function removeFiles(
  { files, folders }: PersonTurnsDeps,
  turn: TurnRecord,
  sent: readonly ReadFile[],
): Promise<void> {
  const folder = folders.of(turn);
  for (const { whole, image, path } of sent) {
    for (const name of [whole, image]) if (name !== undefined) await files.remove(turn.turn_id, name);
    if (path !== undefined) await folder.remove(path);
  }
}

async function* othersTurns({ log }: PersonTurnsDeps, person: Person): AsyncGenerator<TurnRecord> {
  for (const namespace of await log.namespaces(person.platform)) {
    if (!isAt(person, namespace)) continue;
    for await (const turn of turnsIn(log, { namespace })) if (turn.author.id !== person.id) yield turn;
  }
}

function hasDetails(events: readonly TurnEvent[]): boolean {
  return events.some(({ type }) => !withoutDetails.includes(type));
}

function hasWords(events: readonly TurnEvent[], namespace: string, traces: Traces): boolean {
  const facts = traces.facts.get(namespace) ?? [];
  return events.some((event) => isTheirs(event, traces)) || saysAny(events.filter(isDetail), facts);
}

function isDetail({ type }: TurnEvent): boolean {
  return !withoutDetails.includes(type);
}

function isTheirs(event: TurnEvent, traces: Traces): boolean {
  switch (event.type) {
    case "context_read":
      return (
        event.thread.some((heard) => isFrom(heard, traces)) ||
        event.files.some((file) => isFrom(file, traces))
      );
    case "question_answered":
    case "approval_decided":
      return event.by === traces.person.id;
    case "approval_shown":
      return event.person === traces.person.id;
    case "transcript_opened":
      return traces.openings.has(event.opening);
    case "tool_finished":
    case "skill_output":
      return isQuotedIn(event.output, traces.names);
    default:
      return false;
  }
}

function isFrom(
  { author, by }: { author?: string | undefined; by?: string | undefined },
  traces: Traces,
): boolean {
  return author === undefined ? by !== undefined && traces.names.has(by) : author === traces.person.id;
}

/** Whether something in an output is by them: a fact, a document or an earlier conversation, as memory tells them. */
function isQuotedIn(output: Json, names: ReadonlySet<string>): boolean {
  if (typeof output !== "object" || output === null) return false;
  const { by } = objectOf(output);
  if (typeof by === "string" && names.has(by)) return true;
  return Object.values(output).some((each) => isQuotedIn(each, names));
}

/** The files the person sent. */
function filesFrom(events: readonly TurnEvent[], traces: Traces): ReadFile[] {
  return events.flatMap((event) =>
    event.type === "context_read" ? event.files.filter((file) => isFrom(file, traces)) : [],
  );
}
