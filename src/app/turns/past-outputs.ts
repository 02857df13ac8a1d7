import { readTextId } from "../../core/log/call-id.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { ThreadReading, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import type { Json } from "../../core/values/json.ts";
import type { Place } from "../../core/values/place.ts";

/** Maximum turns of a thread that are searched, and how many are read from the log at a time. */
const maxTurns = 500;
const pageSize = 64;

/** Finds outputs of earlier turns of a thread, newest first. Deleted turns are not included. */
export function createPastOutputs(log: TurnReading & ThreadReading): TurnPorts["pastOutput"] {
  return async (place, id, asker) => {
    const text = readTextId(id);
    if (text !== undefined) {
      const turn = await log.get(text.turnId);
      return turn && isIn(turn, place) ? texts[text.kind](log, turn, asker) : undefined;
    }
    for await (const turnId of pastTurns(log, place)) {
      const found = outputIn(await log.read(turnId), id, asker);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function isIn(turn: TurnRecord, { namespace, thread }: Place): boolean {
  return turn.namespace === namespace && turn.thread === thread;
}

async function* pastTurns(log: ThreadReading, place: Place): AsyncGenerator<string, void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let seen = 0; seen < maxTurns; seen += pageSize) {
    const page = await log.finished(place, before, Math.min(pageSize, maxTurns - seen));
    for (const { turn_id } of page) yield turn_id;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.ordinal;
  }
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
