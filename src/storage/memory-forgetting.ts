import { forgottenTitle, forgottenTurn } from "./forgetting.ts";
import type { MemoryThread, MemoryTurn } from "./memory-turn.ts";

/** Takes the texts of a finished turn of this thread away. */
export function forgetInMemory(turn: MemoryTurn, thread: MemoryThread, by: string, at: number): void {
  const forgotten = forgottenTurn(turn.events, by, at);
  if (forgotten === undefined) return;
  turn.inbound = forgotten.inbound;
  turn.events = forgotten.events;
  turn.signals = [];
  turn.record.text = "";
  delete turn.record.answer;
  const namesake = thread.root ?? thread.turns.first()?.record.turn_id;
  if (namesake === turn.record.turn_id) thread.record.title = forgottenTitle;
  for (const later of thread.turns.from((other) => other.ordinal > turn.ordinal)) {
    later.events = later.events.filter(
      ({ type }) => type !== "history_compacted" && type !== "transcript_opened",
    );
  }
  thread.deletions += 1;
}
