import { LRUCache } from "lru-cache";
import type { Message } from "../core/message.ts";
import type { Place } from "../core/place.ts";
import type { CountTokens } from "../core/prompt.ts";
import { outputText } from "../core/tool-output.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type { TurnLog } from "../core/turn-log.ts";
import { cutText, pastMessages } from "./past-message.ts";

/** What was said before in a thread: a projection of the log, never stored. */
export interface ThreadHistory {
  /** Oldest first, within the budget. */
  messages: Message[];
  /** What stands for everything before `messages`. */
  summary?: string | undefined;
  /** Turns that neither fit nor are covered by the summary, oldest first; empty when everything is there. */
  overflow: { turns: PastTurn[] };
}

/** A finished turn as later ones remember it. Never changes, so it is kept in memory. */
interface PastTurn {
  turn_id: string;
  messages: Message[];
  tokens: number;
  compacted?: { through_turn: string; summary: string } | undefined;
}

export interface HistoryReader {
  /** The history of a thread before a turn. Reads no further back than the budget or the latest summary reaches. */
  read(place: Place, before: number): Promise<ThreadHistory>;
  /** A turn was forgotten: past turns are read again, so that neither it nor a summary of it is remembered. */
  forget(): void;
}

/** Characters of an old tool output that later turns still see. */
const oldOutput = 1_200;

/** Turns read from the log at a time. */
const pageSize = 64;

/** Past turns kept in memory. */
const remembered = 4_000;

export function createHistoryReader(log: TurnLog, tokens: number, countTokens: CountTokens): HistoryReader {
  const cache = new LRUCache<string, PastTurn>({ max: remembered });

  const past = async (turnId: string): Promise<PastTurn> => {
    const known = cache.get(turnId);
    if (known !== undefined) return known;
    const turn = project(turnId, await log.read(turnId), countTokens);
    cache.set(turnId, turn);
    return turn;
  };

  return {
    forget: () => cache.clear(),
    async read(place, before) {
      const kept: PastTurn[] = [];
      const overflow: PastTurn[] = [];
      let room = tokens;
      let summary: PastTurn["compacted"];
      for await (const turnId of finishedTurns(log, place, before)) {
        if (turnId === summary?.through_turn) break;
        const turn = await past(turnId);
        summary ??= turn.compacted;
        room -= turn.tokens;
        (room >= 0 && overflow.length === 0 ? kept : overflow).push(turn);
        if (room < -3 * tokens) break;
      }
      const messages = kept.reverse().flatMap((turn) => turn.messages);
      return { messages, summary: summary?.summary, overflow: { turns: overflow.reverse() } };
    },
  };
}

/** Newest first. */
async function* finishedTurns(log: TurnLog, place: Place, before: number): AsyncGenerator<string, void> {
  let from = before;
  for (;;) {
    const page = await log.finished(place, from, pageSize);
    for (const { turn_id } of page) yield turn_id;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    from = last.ordinal;
  }
}

function project(turnId: string, events: readonly TurnEvent[], countTokens: CountTokens): PastTurn {
  const finished = events.findLast((event) => event.type === "turn_finished");
  if (finished?.merged_into !== undefined || finished?.forgotten_by !== undefined)
    return { turn_id: turnId, messages: [], tokens: 0 };
  const said = pastMessages(events);
  const messages = events.flatMap(
    (event) => (event.type === "model_message" ? event.message : said(event)) ?? [],
  );
  if (finished !== undefined) closeWith(messages, finished.text);
  const results = new Map(
    events
      .filter((event) => event.type === "tool_finished")
      .map((event) => [event.call_id, resultMessage(event)]),
  );
  const whole = messages.flatMap((message) => withResults(message, results));
  const tokens = whole.reduce((sum, message) => sum + countTokens(message.text) + 4, 0);
  const compacted = events.findLast((event) => event.type === "history_compacted");
  return { turn_id: turnId, messages: whole, tokens, compacted };
}

function resultMessage(event: Extract<TurnEvent, { type: "tool_finished" }>): Message {
  const { call_id, tool, status, output } = event;
  return {
    role: "tool",
    call_id,
    tool,
    text: cutText(outputText(output), oldOutput),
    is_error: status === "error",
  };
}

/** Every call a provider is shown needs its result; one that never finished gets one that says so. */
function withResults(message: Message, results: ReadonlyMap<string, Message>): Message[] {
  if (message.role !== "assistant") return [message];
  const answers = message.tool_calls.map(
    (call): Message =>
      results.get(call.id) ?? {
        role: "tool",
        call_id: call.id,
        tool: call.name,
        text: "not finished",
        is_error: true,
      },
  );
  return [message, ...answers];
}

/** The answer as the person saw it, when it is not the model's last message: a direct output, a stop, a limit. */
function closeWith(messages: Message[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.tool_calls.length === 0) {
    if (last.text !== text) messages[messages.length - 1] = { ...last, text };
    return;
  }
  if (text !== "") messages.push({ role: "assistant", text, tool_calls: [] });
}
