import type { ApiClient } from "../../src/client/api-client.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { Seen } from "./clients.ts";
import type { EffectServer } from "./effect-server.ts";
import { doneIn, type SoakMessage } from "./workload.ts";

/** One line of the table. `wrong`: must be 0. */
export interface Line {
  name: string;
  count: number;
  wrong: boolean;
}

/** What the bot has stored in the end. */
interface Stored {
  /** Events of the turns of the messages, by the key of the message; none where the bot cannot tell. */
  turns: Map<string, TurnEvent[]>;
  /** How many turns there are in all threads. */
  count: number;
}

export async function readStored(
  client: ApiClient,
  messages: readonly SoakMessage[],
  seen: Seen,
): Promise<Stored> {
  const turns = new Map<string, TurnEvent[]>();
  for (const { key } of messages) {
    const [turnId] = seen.turns.get(key) ?? [];
    turns.set(key, turnId === undefined ? [] : (await client.call("run.show", { id: turnId })).events);
  }
  let count = 0;
  for (const namespace of new Set(messages.map((message) => message.namespace)))
    for (const thread of (await client.call("thread.list", { ns: namespace })).threads) count += thread.turns;
  return { turns, count };
}

export function judge(
  messages: readonly SoakMessage[],
  seen: Seen,
  stored: Stored,
  effects: EffectServer["counts"],
): Line[] {
  const turns = [...stored.turns.values()];
  const ends = turns.map(endsIn);
  const last = ends.flatMap((all) => all.at(-1) ?? []);
  const merged = last.filter((end) => end.merged_into !== undefined);
  const unknown = turns.flat().filter((event) => event.type === "tool_finished" && isUnknown(event));
  const keysWithMore = [...seen.turns.values()].filter((ids) => ids.size > 1).length;
  const claimed = last.flatMap(({ text }) => doneIn(text)).filter((id) => !effects.has(id));
  const streamed = [...seen.ends.values()].filter((all) => all.length > 1).length;
  const good = (name: string, count: number): Line => ({ name, count, wrong: false });
  const bad = (name: string, count: number): Line => ({ name, count, wrong: true });
  return [
    good("messages", messages.length),
    good("answered", last.filter(({ outcome }) => outcome === "completed").length - merged.length),
    good("merged into a running turn", merged.length),
    good("requests sent again", seen.retries),
    good("questions and approvals", seen.asked),
    good("effects", effects.size),
    good("calls of unknown outcome", unknown.length),
    bad("lost", ends.filter((all) => all.length === 0).length),
    bad("doubled turns", keysWithMore + Math.max(0, stored.count - messages.length)),
    bad("doubled answers", ends.filter((all) => all.length > 1).length + streamed),
    bad("doubled effects", [...effects.values()].filter((count) => count > 1).length),
    bad("effects said to be done that were not", claimed.length),
    bad("failed by restarts", last.filter(({ outcome }) => outcome !== "completed").length),
  ];
}

function endsIn(events: readonly TurnEvent[]) {
  return events.filter((event) => event.type === "turn_finished");
}

function isUnknown(event: TurnEvent): boolean {
  return JSON.stringify(event).includes("outcome_unknown");
}

export function formatLines(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, count, wrong }) => {
      const verdict = wrong ? (count === 0 ? "  ok" : "  WRONG") : "";
      return `${name.padEnd(width)}  ${String(count).padStart(7)}${verdict}`;
    })
    .join("\n");
}
