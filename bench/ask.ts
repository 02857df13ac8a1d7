import type { App } from "../src/app/app.ts";
import type { TurnEvent } from "../src/core/log/turn-event.ts";
import { asker, namespace } from "./bench-app.ts";

/** Says something in a thread and reads the turn's events to the end, as a platform does. Answers the number of the model's tool calls. */
export async function ask(app: App, thread: string, text: string): Promise<number> {
  const submitted = await app.submit({ namespace, thread, text, author: asker });
  if (!submitted.ok) throw new Error(submitted.message);
  const events = await app.events(submitted.value.turn_id, -1, new AbortController().signal);
  const all = await Array.fromAsync(events ?? []);
  const failed = all.find((event) => event.type === "error");
  if (failed?.type === "error") throw new Error(failed.message);
  const shown = all.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
  const end = all.at(-1);
  if (end?.type !== "turn_finished") throw new Error("The turn did not end");
  if (end.outcome !== "completed" || end.text !== shown || shown === "")
    throw new Error(`The turn ended ${end.outcome}: ${end.text}`);
  return succeeded(all);
}

/** Calls of the model itself that succeeded; what a skill calls within its own call does not count. */
function succeeded(events: readonly TurnEvent[]): number {
  const nested = new Set(
    events.flatMap((event) =>
      event.type === "tool_started" && event.parent_call_id !== undefined ? [event.call_id] : [],
    ),
  );
  return events.filter(
    (event) => event.type === "tool_finished" && event.status === "ok" && !nested.has(event.call_id),
  ).length;
}
