import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { ThreadReading, TurnReading } from "../../core/log/turn-log.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import type { Json } from "../../core/values/json.ts";
import type { Place } from "../../core/values/place.ts";

/** Maximum turns of a thread that are searched, and how many are read from the log at a time. */
const maxTurns = 500;
const pageSize = 64;

/** Finds outputs of earlier turns of a thread, newest first. Forgotten turns are not included. */
export function createPastOutputs(log: TurnReading & ThreadReading): TurnPorts["pastOutput"] {
  return async (place, id, asker) => {
    const [kind, ...rest] = id.split(":");
    const named = rest.join(":");
    if (kind === "message" && named !== "") return messageText(log, place, named);
    if (kind === "answer" && named !== "") return answerText(log, place, named, asker);
    for await (const turnId of pastTurns(log, place)) {
      const found = outputIn(await log.read(turnId), id, asker);
      if (found !== undefined) return found;
    }
    return undefined;
  };
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

/** The text of a message of the thread; undefined for one of another thread, and for one that was forgotten. */
async function messageText(
  log: TurnReading,
  { namespace, thread }: Place,
  turnId: string,
): Promise<string | undefined> {
  const turn = await log.get(turnId);
  if (turn?.namespace !== namespace || turn.thread !== thread || turn.kind !== "message") return undefined;
  const [inbound] = await log.read(turnId);
  return inbound?.type === "inbound" && inbound.inbound.text !== "" ? inbound.inbound.text : undefined;
}

/** The answer of a turn of the thread; undefined for one of another thread, and for one that the asker may not read. */
async function answerText(
  log: TurnReading,
  { namespace, thread }: Place,
  turnId: string,
  asker: string | undefined,
): Promise<string | undefined> {
  const turn = await log.get(turnId);
  if (turn?.namespace !== namespace || turn.thread !== thread) return undefined;
  const mayRead = turn.author.id === asker || !isPrivateTurn(await log.read(turnId));
  return mayRead ? turn.answer : undefined;
}

function outputIn(events: readonly TurnEvent[], callId: string, asker: string | undefined): Json | undefined {
  const [first] = events;
  const isTheirs = first?.type === "inbound" && first.inbound.author.id === asker;
  if (isPrivateTurn(events) && !isTheirs) return undefined;
  const finished = events.findLast((event) => event.type === "tool_finished" && event.call_id === callId);
  return finished?.type === "tool_finished" ? finished.output : undefined;
}
