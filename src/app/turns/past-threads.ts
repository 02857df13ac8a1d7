import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import { isRecord } from "../../base/record.ts";
import { readTextId } from "../../core/log/call-id.ts";
import {
  type PastThread,
  type PastTurn,
  type TranscriptStep,
  withoutReasoning,
} from "../../core/log/transcript.ts";
import { StepReader } from "../../core/log/transcript-steps.ts";
import { type TurnEvent, withoutDetails } from "../../core/log/turn-event.ts";
import type { ThreadReading, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import { isPrivateTurn, privateSteps } from "../../core/transcript/audience.ts";
import { userMessage } from "../../core/transcript/user-message.ts";
import type { Json } from "../../core/values/json.ts";
import { named } from "../../core/values/label.ts";
import { saidText } from "../../core/values/message.ts";
import type { Place } from "../../core/values/place.ts";

/** A finished turn as later ones remember it. It changes only when something of its thread is deleted, so it is kept in memory. */
interface KnownTurn extends PastTurn {
  /** How many turns of the thread had been deleted when it was read. Another worker may have deleted it since. */
  deletions: number;
  steps: readonly TranscriptStep[];
  /** Index in `steps` of the latest transcript that this turn opened; -1 when it opened none. */
  opened_at: number;
  deleted: boolean;
  /** Whether a model read it. */
  told: boolean;
}

/** Turns read from the log at a time. */
const pageSize = 64;

/** Maximum past turns kept in memory. */
const remembered = 4_000;

/** Maximum turns through which an output is searched, and turns that no model read through which the opening is. */
const maxSearched = 500;

/** Reads the history of a thread: a projection of the log, never stored. */
export class PastThreads {
  readonly #log: TurnReading & ThreadReading;
  readonly #cache = new LRUCache<string, KnownTurn>(growingTo(remembered));

  constructor(log: TurnReading & ThreadReading) {
    this.#log = log;
  }

  /** After a deletion, reads past turns again, so that neither the deleted text nor a summary of it is remembered. */
  forget(): void {
    this.#cache.clear();
  }

  /** The thread before a turn. Reads back to the latest opening of its transcript, or to a turn without details. */
  async read(place: Place, before: number): Promise<PastThread> {
    const deletions = await this.#log.deletions(place);
    const since: KnownTurn[] = [];
    let found = false;
    let earlier = 0;
    for await (const turn of this.#turns(place, before, deletions)) {
      if (turn.bare) break;
      since.push(turn);
      found = turn.opened_at >= 0;
      if (!turn.told) earlier += 1;
      if (found || earlier >= maxSearched) break;
    }
    const [first, ...later] = found ? since.toReversed() : [];
    return {
      steps: [first?.steps.slice(first.opened_at) ?? [], ...later.map(({ steps }) => steps)].flat(),
      intact: !(found && since.some(({ deleted }) => deleted)),
      deletions,
      turns: () => this.#turns(place, before),
    };
  }

  /** As `TurnPorts.pastOutput`. */
  async output(place: Place, id: string, asker: string | undefined): Promise<Json | undefined> {
    const text = readTextId(id);
    if (text !== undefined) {
      const turn = await this.#log.get(text.turnId);
      return turn && isIn(turn, place) ? texts[text.kind](this.#log, turn, asker) : undefined;
    }
    let searched = 0;
    for await (const turnId of this.#ids(place, Number.MAX_SAFE_INTEGER)) {
      const found = outputIn(await this.#log.read(turnId), id, asker);
      searched += 1;
      if (found !== undefined || searched >= maxSearched) return found;
    }
    return undefined;
  }

  /** The ids of finished turns, newest first. */
  async *#ids(place: Place, before: number): AsyncGenerator<string, void> {
    for (let from = before; ; ) {
      const page = await this.#log.finished(place, from, pageSize);
      for (const { turn_id } of page) yield turn_id;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      from = last.ordinal;
    }
  }

  async *#turns(place: Place, before: number, counted?: number): AsyncGenerator<KnownTurn, void> {
    const deletions = counted ?? (await this.#log.deletions(place));
    for await (const turnId of this.#ids(place, before)) yield await this.#known(turnId, deletions);
  }

  async #known(turnId: string, deletions: number): Promise<KnownTurn> {
    const before = this.#cache.get(turnId);
    if (before?.deletions === deletions) return before;
    const turn = { ...project(turnId, await this.#log.read(turnId)), deletions };
    this.#cache.set(turnId, turn);
    return turn;
  }
}

function project(turnId: string, stored: readonly TurnEvent[]): Omit<KnownTurn, "deletions"> {
  const bare = stored.some(({ type }) => type === "details_removed");
  // During their removal some details remain.
  const events = bare ? stored.filter(({ type }) => withoutDetails.includes(type)) : stored;
  const finished = events.findLast((event) => event.type === "turn_finished");
  const nothing = {
    turn_id: turnId,
    steps: [],
    opened_at: -1,
    messages: [],
    used: [],
    background: [],
    told: false,
    bare: false,
  };
  if (finished?.forgotten_by !== undefined) return { ...nothing, deleted: true };
  const [entry] = events;
  // Its end is told in a later turn.
  const isBackground = entry?.type === "inbound" && entry.inbound.cause?.kind === "handoff";
  // What never reached a model is no part of the conversation, unless later turns continue a transcript that it opened.
  const isRefused = finished?.refused === true && !events.some(({ type }) => type === "transcript_opened");
  if (isBackground || isRefused || finished?.merged_into !== undefined) return { ...nothing, deleted: false };
  const reader = new StepReader(turnId);
  const told = events.some((event) => event.type === "user_message");
  const all = events.flatMap((event) =>
    event.type === "inbound" && !told
      ? [...reader.read(event, event.at), untold(event, events)]
      : reader.read(event, event.at),
  );
  const asker = events.find((event) => event.type === "inbound")?.inbound.author.id;
  const steps = asker !== undefined && isPrivateTurn(events) ? privateSteps(asker, all) : all;
  return {
    turn_id: turnId,
    steps,
    opened_at: steps.findLastIndex(({ kind }) => kind === "open"),
    // Its own messages, calls and answers, without those that its transcript carried over.
    messages: steps.flatMap((step) => (step.kind === "message" ? withoutReasoning(step.message) : [])),
    used: usedIn(events),
    background: events.flatMap((event) => (event.type === "handoff" ? (event.background ?? []) : [])),
    summary: events.findLast((event) => event.type === "transcript_opened")?.summary,
    deleted: false,
    bare,
    told,
  };
}

/** The message of a turn that no model read. */
function untold(
  { inbound }: Extract<TurnEvent, { type: "inbound" }>,
  events: readonly TurnEvent[],
): TranscriptStep {
  const context = events.find((event) => event.type === "context_read");
  return {
    kind: "message",
    message: userMessage(saidText(inbound.text, context), {
      line: `${named(inbound.author.name, inbound.author.id)}:`,
      context,
    }),
  };
}

/** Skills that were activated or called, scripts and files of them included. */
function usedIn(events: readonly TurnEvent[]): string[] {
  const used = new Set<string>();
  for (const event of events) {
    if (event.type === "skill_activated") used.add(event.skill_id);
    if (event.type !== "tool_started") continue;
    if (event.skill_id !== "") used.add(event.skill_id.split("#", 1)[0] ?? event.skill_id);
    const { input } = event;
    if (isRecord(input) && typeof input.skill_name === "string") used.add(input.skill_name);
  }
  return [...used];
}

function isIn(turn: TurnRecord, { namespace, thread }: Place): boolean {
  return turn.namespace === namespace && turn.thread === thread;
}

/** The text of a message of the thread; undefined for one that was deleted. */
async function messageText(log: TurnReading, turn: TurnRecord): Promise<string | undefined> {
  const [entry] = turn.kind === "message" ? await log.read(turn.turn_id) : [];
  return entry?.type === "inbound" && entry.inbound.text !== "" ? entry.inbound.text : undefined;
}

/** The answer of a turn of the thread; undefined for one that the asker may not read. */
async function answerText(log: TurnReading, turn: TurnRecord, asker?: string): Promise<string | undefined> {
  const mayRead = turn.author.id === asker || !isPrivateTurn(await log.read(turn.turn_id));
  return mayRead ? turn.answer : undefined;
}

const texts = { message: messageText, answer: answerText };

function outputIn(events: readonly TurnEvent[], callId: string, asker: string | undefined): Json | undefined {
  const [first] = events;
  const isTheirs = first?.type === "inbound" && first.inbound.author.id === asker;
  if (isPrivateTurn(events) && !isTheirs) return undefined;
  const finished = events.findLast((event) => event.type === "tool_finished" && event.call_id === callId);
  return finished?.type === "tool_finished" ? finished.output : undefined;
}
