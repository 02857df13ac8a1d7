import type { ApiClient } from "../../src/client/api-client.ts";
import { isEphemeral, type TurnEvent } from "../../src/core/log/turn-event.ts";
import { persist, type Seen } from "./clients.ts";
import type { EffectServer } from "./effect-server.ts";
import { doneIn, type SoakMessage } from "./workload.ts";

/** One line of the table. */
export interface Line {
  name: string;
  count: number;
  /** What is wrong: ids of turns, effects or keys. Absent for a line that only tells. */
  wrong?: readonly string[];
}

/** A line that only tells. */
export function tell(name: string, count: number): Line {
  return { name, count };
}

/** A line of what must not be. */
export function refuse(name: string, wrong: readonly string[]): Line {
  return { name, count: wrong.length, wrong };
}

/** A turn as the bot has stored it in the end. */
export interface StoredTurn {
  id: string;
  events: readonly TurnEvent[];
}

/** All turns, by thread, in the order in which they were accepted. */
type Stored = readonly (readonly StoredTurn[])[];

/** Time for reading, ms: a process may be gone, and another has to answer. */
const readMs = 60_000;

export async function readStored(
  client: ApiClient,
  namespaces: Iterable<string>,
  seen: Seen,
): Promise<StoredTurn[][]> {
  const stored: StoredTurn[][] = [];
  const signal = AbortSignal.timeout(readMs);
  for (const ns of namespaces) {
    const { threads } = await persist(seen, signal, () => client.call("thread.list", { ns }));
    for (const { thread } of threads) {
      const { turns } = await persist(seen, signal, () => client.call("thread.show", { ns, thread }));
      stored.push(turns.map(({ turn, events }) => ({ id: turn.turn_id, events })));
    }
  }
  return stored;
}

/** Every turn that has ended has a receipt, with the calls that it made. */
export async function withoutReceipt(client: ApiClient, turns: readonly StoredTurn[]): Promise<Line> {
  const wrong: string[] = [];
  const queue = [...turns];
  const work = async () => {
    for (let turn = queue.shift(); turn !== undefined; turn = queue.shift()) {
      const { id, events } = turn;
      const receipt = await client.call("turn.receipt", { id }).catch(() => undefined);
      const calls = new Set(events.flatMap((event) => (event.type === "tool_started" ? event.call_id : [])));
      if (receipt?.status !== "finished" || receipt.tools.length !== calls.size) wrong.push(id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return refuse("turns without a whole receipt", wrong);
}

export function judge(
  messages: readonly SoakMessage[],
  seen: Seen,
  stored: Stored,
  effects: EffectServer["counts"],
): Line[] {
  const turns = stored.flat();
  const known = new Map(turns.map((turn) => [turn.id, turn]));
  const keys = new Map([...seen.turns].flatMap(([key, ids]) => [...ids].map((id) => [id, key] as const)));
  const last = turns.flatMap((turn) => endsOf(turn).at(-1) ?? []);
  const merged = last.filter((end) => end.merged_into !== undefined);
  const unknown = turns.flatMap(({ events }) => events).filter(isUnknown);
  const claimed = last.flatMap(({ text }) => doneIn(text)).filter((id) => !effects.has(id));
  const lost = messages.filter(({ key }) => {
    const turn = known.get([...(seen.turns.get(key) ?? [])][0] ?? "");
    return turn === undefined || endsOf(turn).length === 0;
  });
  const turnsThat = (fits: (turn: StoredTurn) => boolean) => turns.filter(fits).map(({ id }) => id);
  return [
    tell("messages", messages.length),
    tell("answered", last.filter(({ outcome }) => outcome === "completed").length - merged.length),
    tell("merged into a running turn", merged.length),
    tell("requests sent again", seen.retries),
    tell("questions and approvals", seen.asked),
    tell("effects", effects.size),
    tell("calls of unknown outcome", unknown.length),
    refuse(
      "lost",
      lost.map(({ key }) => key),
    ),
    refuse("doubled turns", [
      ...[...seen.turns].filter(([, ids]) => ids.size > 1).map(([key]) => key),
      ...turnsThat(({ id }) => !keys.has(id)),
    ]),
    refuse(
      "doubled answers",
      turnsThat((turn) => endsOf(turn).length > 1),
    ),
    refuse(
      "doubled effects",
      [...effects].filter(([, count]) => count > 1).map(([id]) => id),
    ),
    refuse("effects said to be done that were not", claimed),
    refuse(
      "failed by restarts",
      turnsThat((turn) => endsOf(turn).at(-1)?.outcome !== "completed"),
    ),
    refuse(
      "out of order in their thread",
      stored.flatMap((thread) => outOfOrder(thread, keys, seen)),
    ),
    refuse(
      "streams with gaps or repeated events",
      turnsThat((turn) => !isWhole(turn, seen)),
    ),
  ];
}

export function endsOf({ events }: StoredTurn) {
  return events.filter((event) => event.type === "turn_finished");
}

function isUnknown(event: TurnEvent): boolean {
  return event.type === "tool_finished" && JSON.stringify(event).includes("outcome_unknown");
}

/** Turns that began before an earlier one had ended, or were accepted before one that was known to be accepted when they were posted. */
function outOfOrder(thread: readonly StoredTurn[], keys: ReadonlyMap<string, string>, seen: Seen): string[] {
  const timesOf = ({ id }: StoredTurn) => seen.times.get(keys.get(id) ?? "");
  return thread
    .filter((turn, at) => {
      const began = turn.events.find(({ type }) => type === "turn_started")?.at ?? Number.POSITIVE_INFINITY;
      const { accepted = Number.POSITIVE_INFINITY } = timesOf(turn) ?? {};
      const overtook = thread.slice(0, at).some((earlier) => (endsOf(earlier).at(-1)?.at ?? 0) > began);
      const wasFirst = thread.slice(0, at).some((earlier) => accepted < (timesOf(earlier)?.posted ?? 0));
      return overtook || wasFirst;
    })
    .map(({ id }) => id);
}

/** Whether who followed the turn to its end got each of its events once, in order. */
function isWhole({ id, events }: StoredTurn, { ended, streamed }: Seen): boolean {
  if (!ended.has(id)) return true;
  const seqs = (some: readonly TurnEvent[] = []) =>
    some.filter((event) => !isEphemeral(event)).map(({ seq }) => seq);
  return String(seqs(streamed.get(id))) === String(seqs(events));
}

/** Names of what is wrong that a line shows. */
const maxShown = 5;

export function formatLines(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, count, wrong }) => {
      const some = wrong?.slice(0, maxShown).join(", ");
      const verdict = wrong === undefined ? "" : wrong.length === 0 ? "  ok" : `  WRONG: ${some}`;
      return `${name.padEnd(width)}  ${String(count).padStart(7)}${verdict}`;
    })
    .join("\n");
}
