import { madeOnce } from "../../src/base/made-once.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import { type Asked, expectPrefixes } from "../support/models/recording-model.ts";
import { sideEffects } from "./scripted-turn.ts";
import { eventsOf, type World } from "./world.ts";

/** What was there when a process died. */
export interface Remains {
  /** Stored events of all turns. */
  stored: TurnEvent[];
  /** How much the code of tools had done. */
  done: number;
}

export async function remainsOf(world: World): Promise<Remains> {
  return { stored: (await eventsOf(world)).flat(), done: world.done.length };
}

/** What a world looks like in the end, without what differs from one to the next: ids and times. */
interface Picture {
  /** The events of each turn that must be there exactly once, and how the turn ended. */
  stored: string[];
  /** What everybody sees: messages with their buttons and files, and marks. */
  shown: string[];
  /** How the transcripts of the thread open. */
  openings: ReadonlySet<string>;
  /** How often the model was asked for a round of a turn, and for anything else. */
  asked: { rounds: number; others: number };
}

/** The picture of a world without deaths, without what calls of unknown outcome did not come to. */
export type Undisturbed = (unknown: readonly string[]) => Picture;

/** @param world in which everything has come to its end. It may be gone when the picture is asked for */
export async function picturesOf(world: World): Promise<Undisturbed> {
  const turns = await eventsOf(world);
  const pictures = new Map<string, Picture>();
  return (unknown) => madeOnce(pictures, unknown.join(), () => pictureOf(world, turns, unknown));
}

/** @param unknown calls of which the model was told that nobody knows their outcome: what they did not come to is left out */
function pictureOf(world: World, turns: readonly TurnEvent[][], unknown: readonly string[]): Picture {
  const rounds = world.model.ofTurns();
  return {
    stored: turns.flatMap((events, turn) =>
      outlineOf(events, unknown).map((line) => `${line} in turn ${turn}`),
    ),
    shown: screenOf(world, unknown),
    openings: new Set(rounds.map(openingOf)),
    asked: { rounds: rounds.length, others: world.model.asked.length - rounds.length },
  };
}

/**
 * What is not as it has to be in a world where everything has come to its end: in words, empty where all is well.
 *
 * @param undisturbed the pictures of the same world, in which no process died
 * @param remains what the processes that died left behind, in order
 */
export async function violations(
  world: World,
  undisturbed: Undisturbed,
  remains: readonly Remains[],
): Promise<string[]> {
  const turns = await eventsOf(world);
  const unknown = unknownOutcomes(turns.flat());
  const [wanted, found] = [undisturbed(unknown), pictureOf(world, turns, unknown)];
  return [
    ...world.errors.map((error) => `an error was logged: ${JSON.stringify(error)} ${error}`),
    ...differences("stored", wanted.stored, found.stored),
    ...differences("shown", wanted.shown, found.shown),
    ...wrongEffects(world, unknown, remains),
    ...repeatedWork(world, remains),
    ...wrongRequests(wanted, found, remains.length),
    ...notAppended(world.model.ofTurns()),
  ];
}

function unknownOutcomes(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool_finished" && JSON.stringify(event.output).includes("outcome_unknown")
      ? event.call_id
      : [],
  );
}

function differences(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const missing = wanted.filter((line) => !found.includes(line));
  const extra = found.filter((line) => !wanted.includes(line));
  return [
    ...missing.map((line) => `not ${what}: ${line}`),
    ...extra.map((line) => `${what}, and should not be: ${line}`),
  ];
}

/** Kinds of events of which a turn that was interrupted has as many as one that was not. */
const once: ReadonlySet<TurnEvent["type"]> = new Set([
  "turn_started",
  "user_message",
  "model_message",
  "transcript_opened",
  "tool_started",
  "tool_finished",
  "step_finished",
  "file",
  "handoff",
  "steered",
  "question_asked",
  "question_answered",
  "approval_requested",
  "approval_decided",
  "answer_ready",
  "turn_finished",
]);

function outlineOf(events: readonly TurnEvent[], unknown: readonly string[]): string[] {
  return numbered(
    events
      .map(withoutRun)
      .filter((event) => once.has(event.type) && !unknown.some((call) => isWithin(event, call)))
      .map((event) => `${event.type} ${nameOf(event)}`),
  );
}

/** What happens in the conversation of a sub-run counts like what happens in that of the turn. */
function withoutRun(event: TurnEvent): TurnEvent {
  return event.type === "run" ? { ...event, ...event.event } : event;
}

/** Lines that come several times are told apart. */
function numbered(lines: readonly string[]): string[] {
  return lines.map(
    (line, at) => `${line} #${lines.slice(0, at).filter((other) => other === line).length + 1}`,
  );
}

function nameOf(event: TurnEvent): string {
  switch (event.type) {
    case "step_finished":
      return `${event.call_id} ${event.step}`;
    case "question_asked":
    case "question_answered":
      return event.question_id;
    case "turn_finished":
      return `${event.outcome}: ${withoutOutcomes(event.text)}`;
    default:
      return "call_id" in event ? String(event.call_id) : "";
  }
}

/** Whether the event belongs to what a call does between its beginning and its end. */
function isWithin(event: TurnEvent, call: string): boolean {
  if (event.type === "approval_decided") return call === "visit" && event.approval_id.endsWith(":2");
  if (event.type === "approval_requested") return event.call_id.startsWith(`${call}/`);
  if ("question_id" in event) return event.question_id.startsWith(`${call}?`);
  return event.type === "step_finished" && event.call_id === call;
}

/** What calls ask people: the purpose and part of its message, and the call. */
const asking = { "question 0": "book", "approval 1": "visit" } as Readonly<Record<string, string>>;

/** What a call of unknown outcome asks may not have been asked; if it was, it takes no answer any more. */
function screenOf({ platform }: World, unknown: readonly string[]): string[] {
  const messages = platform.visible().flatMap(({ message, only_for }) => {
    const { tag, markdown, buttons = [], files = [] } = message;
    if (only_for !== undefined) return [];
    const name = `${tag?.purpose ?? "notice"} ${tag?.part ?? ""}`;
    if (buttons.length === 0 && unknown.includes(asking[name] ?? "")) return [];
    const labels = buttons.map(({ label }) => label);
    const names = files.map(({ name, data }) => `${name} (${data.length} bytes)`);
    const text = tag?.purpose === "progress" ? withoutFailures(markdown) : withoutOutcomes(markdown);
    return `${name}: ${text} [${labels}] ${names.join()}`;
  });
  return numbered([...messages, ...[...platform.seen].map((message) => `a mark at ${message}`)]);
}

const outcomes = new RegExp(`(${sideEffects.join("|")}) \\w+`, "g");
const withoutOutcomes = (text: string) => text.replace(outcomes, "$1 …").replace(/ \(\d+ steps?[^)]*\)/, "");
const withoutFailures = (text: string) =>
  text.replace(/, \d+ failed/, "").replace(/[\d.]+ (m?s|min)\b/g, "…");

/** Each side effect happens once; or the model was told that nobody knows, and then its call had begun when the process died. */
function wrongEffects({ done }: World, unknown: readonly string[], remains: readonly Remains[]): string[] {
  return sideEffects.flatMap((effect) => {
    const times = done.filter((each) => each === effect).length;
    if (times > 1) return `${effect} was done ${times} times`;
    if (!unknown.includes(effect)) return times === 1 ? [] : `${effect} was not done, and nobody was told`;
    const hadBegun = remains.some(({ stored }) => wasUnderWay(effect, stored));
    return hadBegun ? [] : `of ${effect} the outcome is unknown, although it had not begun`;
  });
}

/** Whether a call had begun, was not finished, and did not wait for a person. */
function wasUnderWay(call: string, stored: readonly TurnEvent[]): boolean {
  const last = stored.findLast(
    (event) =>
      ("call_id" in event && event.call_id === call && event.type !== "stage") ||
      ("question_id" in event && event.question_id.startsWith(`${call}?`)),
  );
  const isStarted = stored.some((event) => event.type === "tool_started" && event.call_id === call);
  const isOver = ["tool_finished", "question_asked", "call_waiting"].includes(last?.type ?? "");
  return isStarted && !isOver;
}

/** Tools and steps whose result was stored are not run again; the rest at most once more after each death. */
function repeatedWork({ done }: World, remains: readonly Remains[]): string[] {
  const again = remains.flatMap(({ stored, done: before }) => {
    const kept = stored.flatMap((event) => {
      if (event.type === "step_finished") return event.step;
      return event.type === "tool_finished" ? event.call_id : [];
    });
    return done.slice(before).filter((each) => kept.includes(each));
  });
  const often = done.filter((each) => done.filter((other) => other === each).length > 1 + remains.length);
  return [
    ...again.map((each) => `${each} was run again, although its result was stored`),
    ...often.map((each) => `${each} was run too often`),
  ];
}

/** Turns that work at the same time: one of the thread, and one in the background. */
const atOnce = 2;

/** What was stored of the model's answers is not asked for again: only those it was about to give at a death are. */
function wrongRequests(
  wanted: Picture,
  { openings, asked: { rounds, others } }: Picture,
  deaths: number,
): string[] {
  const opened = [...openings].filter((opening) => !wanted.openings.has(opening));
  return [
    ...opened.map((opening) => `a transcript opened in another way: ${opening.slice(-400)}`),
    ...(rounds > wanted.asked.rounds + deaths * atOnce ? [`the model was asked for ${rounds} rounds`] : []),
    ...(others > wanted.asked.others + deaths ? [`the model was asked for ${others} summaries`] : []),
  ];
}

const openingOf = ({ system, messages }: Asked) => JSON.stringify([system, messages[0]]);

/** What the model was sent stays the beginning of what it is sent later in the same transcript. */
function notAppended(requests: readonly Asked[]): string[] {
  try {
    for (const transcript of Map.groupBy(requests, openingOf).values()) expectPrefixes(transcript);
    return [];
  } catch (error) {
    return [`a transcript was not only appended to: ${(error as Error).message}`];
  }
}
