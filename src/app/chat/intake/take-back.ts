import type { Author } from "../../../core/inbound.ts";
import type { TurnRecord } from "../../../core/turn-log.ts";
import { PlatformError } from "../chat-platform.ts";
import type { IntakeContext } from "./intake-context.ts";

/** A stopped turn still delivers what it has to say; after this, ms, its messages stay. */
const endsWithinMs = 60_000;

/**
 * Takes a turn away: stops it if it runs, deletes its messages on the platform, and forgets it. Resolves once it is
 * stopped; the rest goes on by itself, and `failed` is called with what to tell when it did not work.
 */
export async function takeBack(
  context: IntakeContext,
  turn: TurnRecord,
  by: Author,
  failed: (reason: string) => Promise<void>,
): Promise<void> {
  if (turn.status !== "finished") {
    const stopped = await context.app.stop(turn.turn_id, by);
    if (!stopped.ok) return failed(stopped.message);
  }
  context.background(async () => {
    const problem = (await removeMessages(context, turn)) ?? (await forget(context, turn, by));
    if (problem !== undefined) await failed(problem);
  }, "An answer could not be deleted");
}

/** Answers what was in the way, if anything was. */
async function removeMessages(context: IntakeContext, turn: TurnRecord): Promise<string | undefined> {
  if (!(await hasEnded(context, turn)))
    return "It is stopped, but has not ended yet, so its messages are still there. Delete it again in a moment.";
  const events = await context.log.read(turn.turn_id);
  const posted = events.filter((event) => event.type === "message_posted");
  const references = new Set(posted.map((event) => event.reference));
  references.delete(whispered);
  for (const reference of references) {
    try {
      await context.platform.remove({ namespace: turn.namespace, thread: turn.thread }, reference);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code !== "gone")
        return `The answer could not be deleted, so it is kept. ${error.message} Delete it again later.`;
    }
  }
  return undefined;
}

/** The reference of what only one person saw: nothing can be deleted there. */
const whispered = "whisper";

async function hasEnded({ app, clock }: IntakeContext, turn: TurnRecord): Promise<boolean> {
  if (turn.status === "finished") return true;
  const patience = new AbortController();
  const cancel = clock.after(endsWithinMs, () => patience.abort());
  try {
    for await (const event of (await app.events(turn.turn_id, -1, patience.signal)) ?? [])
      if (event.type === "turn_finished") return true;
    return false;
  } finally {
    cancel();
  }
}

async function forget({ app }: IntakeContext, turn: TurnRecord, by: Author): Promise<string | undefined> {
  const forgotten = await app.forget(turn.turn_id, by);
  return forgotten.ok ? undefined : forgotten.message;
}
