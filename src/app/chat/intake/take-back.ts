import type { Author } from "../../../core/inbound.ts";
import type { TurnRecord } from "../../../core/turn-log.ts";
import type { IntakeContext } from "./intake-context.ts";

/**
 * Takes a turn away with its messages. Resolves once it is stopped, which is what must survive; deleting takes several calls
 * of the platform and goes on by itself. `failed` is called with what to tell when it did not work.
 */
export async function takeBack(
  { app, background }: IntakeContext,
  turn: TurnRecord,
  by: Author,
  failed: (reason: string) => Promise<void>,
): Promise<void> {
  const call = { input: { id: turn.turn_id }, asker: { by, namespace: turn.namespace } };
  if (turn.status !== "finished") {
    const stopped = await app.run("turn.stop", call);
    if (!stopped.ok) return failed(stopped.message);
  }
  background(async () => {
    const forgotten = await app.run("turn.forget", call);
    if (!forgotten.ok) await failed(forgotten.message);
  }, "An answer could not be deleted");
}
