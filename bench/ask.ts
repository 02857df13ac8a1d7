import type { App } from "../src/app/app.ts";
import { asker, namespace } from "./bench-app.ts";

/** Says something in a thread and reads the turn's events to the end, as a platform does. Answers the number of tool calls. */
export async function ask(app: App, thread: string, text: string): Promise<number> {
  const submitted = await app.submit({ namespace, thread, text, author: asker });
  if (!submitted.ok) throw new Error(submitted.message);
  const events = await app.events(submitted.value.turn_id, -1, new AbortController().signal);
  let shown = "";
  let toolCalls = 0;
  for await (const event of events ?? []) {
    if (event.type === "text_delta") shown += event.text;
    if (event.type === "tool_finished" && event.status === "ok") toolCalls += 1;
    if (event.type === "error") throw new Error(event.message);
    if (event.type !== "turn_finished") continue;
    if (event.outcome === "completed" && event.text === shown && shown !== "") return toolCalls;
    throw new Error(`The turn ended ${event.outcome}: ${event.text}`);
  }
  throw new Error("The turn did not end");
}
