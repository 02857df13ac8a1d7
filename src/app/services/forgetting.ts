import { escapeMarkdown } from "../../base/markdown-text.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import { type ChatPlatforms, PlatformError } from "../../core/ports/chat-platform.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { AppDeps } from "../app-deps.ts";
import type { Feed } from "../turns/feed.ts";
import type { PastThreads } from "../turns/past-threads.ts";
import type { TurnControl } from "../turns/turn-control.ts";
import { followTurn } from "../turns/turn-events.ts";
import type { Audit } from "./audit.ts";
import { turnsIn } from "./forget-person/person.ts";
import { type Forget, type Forgotten, feedbackKey } from "./shapes.ts";
import { effectsOf } from "./turn-audit.ts";

/** Where a turn's data is. */
export interface TurnTraces
  extends Pick<AppDeps, "log" | "store" | "clock" | "logger">,
    Pick<TurnPorts, "files" | "folders"> {
  feed: Feed;
  past: Pick<PastThreads, "forget">;
  platforms: ChatPlatforms;
  audit: Audit;
  control: Pick<TurnControl, "stop">;
}

/** How long a stopped turn may take to end, ms. */
const endTimeoutMs = 30_000;

/** The reference of messages that only one person saw; they cannot be deleted. */
const whispered = "whisper";

/**
 * Deletes turns everywhere: their messages on the platform, their files, their texts in the log, and the parts that later turns would see. A
 * turn and the messages it took in are deleted together, because they share one answer.
 */
export class Forgetting {
  readonly #in: TurnTraces;

  constructor(traces: TurnTraces) {
    this.#in = traces;
  }

  /** Deletes a turn for a person, with a line of the audit. */
  readonly forget: Forget = async (turnId, by) => {
    const { log, audit } = this.#in;
    const turn = await log.get(turnId);
    if (turn === undefined) return failed(404, `There is no turn ${turnId}.`);
    if (turn.merged_into !== undefined) return this.forget(turn.merged_into, by);
    const did = effectsOf(turn, await log.read(turnId));
    const outcome = await this.turn(turn, by);
    if (!outcome.ok) return outcome;
    const { namespace } = turn;
    const detail = `deleted a question of ${escapeMarkdown(turn.author.name)} and its answer${did}`;
    audit.record({ action: "turn_deleted", by, namespace, subject: turnId, detail, about: turn.author });
    return outcome;
  };

  /**
   * Stops a turn that runs, then deletes it with its messages, its files and the messages it took in. With the last turn of a thread the
   * thread's folder is deleted, unless `keepsFolder`. Checks no permission and writes no audit line. On failure the turn, its files and
   * its texts are kept, although some of its messages may already be deleted on the platform; the message says what to do.
   */
  async turn(
    turn: TurnRecord,
    by: Author,
    { leavePosts = false, keepsFolder = false } = {},
  ): Promise<Outcome<Forgotten>> {
    const { log, folders } = this.#in;
    if (!(await this.#hasEnded(turn, by))) {
      const message =
        "The turn was stopped but has not ended yet. Nothing was deleted: delete it again in a moment.";
      return failed(409, message);
    }
    const events = await log.read(turn.turn_id);
    const problem = leavePosts ? undefined : await this.#removeMessages(turn, events);
    if (problem !== undefined) return failed(503, problem);
    const taken = events.flatMap((event) => (event.type === "steered" ? [event.from_turn] : []));
    const all = [...taken, turn.turn_id];
    // Before the turns: after a crash in between the turns can be deleted again, and no files without a turn remain.
    const folder = folders.of(turn);
    const { removed, made_from_them } = await folder.forget(all);
    const isLast = !keepsFolder && !(await hasTurns(log, turn, all));
    if (isLast) await folder.clear();
    for (const id of all) await this.#forgetOne(turn, id, by.id);
    const stillThere = isLast ? [] : made_from_them;
    return { ok: true, value: { forgotten: true, attachments: removed, made_from_them: stillThere } };
  }

  async #hasEnded({ turn_id, status }: TurnRecord, by: Author): Promise<boolean> {
    const { log, feed, clock, control } = this.#in;
    if (status === "finished") return true;
    await control.stop(turn_id, by.id);
    const patience = new AbortController();
    const cancel = clock.after(endTimeoutMs, () => patience.abort());
    try {
      for await (const event of (await followTurn({ log, feed }, turn_id, -1, patience.signal)) ?? [])
        if (event.type === "turn_finished") return true;
      return (await log.get(turn_id))?.status === "finished";
    } finally {
      cancel();
    }
  }

  /**
   * Deletes a turn's messages on the platform. Returns why they are still there, if they are. Messages that the platform never deletes are
   * left.
   */
  async #removeMessages(turn: TurnRecord, events: readonly TurnEvent[]): Promise<string | undefined> {
    const { platforms, logger } = this.#in;
    const { namespace, thread, turn_id } = turn;
    for (const { place, reference } of postedIn(events, { namespace, thread })) {
      try {
        await platforms.of(namespace)?.remove(place, reference);
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        if (error.isTemporary)
          return `The answer could not be deleted completely, so the turn is kept. ${error.message} Delete it again later.`;
        logger.warn({ err: error, turn_id, reference }, "A message of a deleted turn stays on the platform");
      }
    }
    return undefined;
  }

  async #forgetOne({ namespace, thread }: TurnRecord, turnId: string, by: string): Promise<void> {
    const { log, feed, past, files, store, clock } = this.#in;
    await files.forget(turnId);
    await store.delete(feedbackKey(turnId));
    await log.forget(turnId, by, clock.now());
    past.forget();
    const end = (await log.read(turnId, 0)).at(-1);
    if (end !== undefined) feed.publish(namespace, thread, end);
  }
}

/** Whether a thread has another turn that is not deleted. */
export async function hasTurns(
  log: TurnReading,
  { namespace, thread }: Place,
  except: readonly string[] = [],
): Promise<boolean> {
  for await (const { turn_id, text, answer } of turnsIn(log, { namespace, thread })) {
    if (except.includes(turn_id)) continue;
    // Most turns have a text; only the others are read.
    if (text !== "" || (answer ?? "") !== "" || !wasForgotten(await log.read(turn_id))) return true;
  }
  return false;
}

/** Whether a turn was deleted, by its stored events: only its record is left. */
export function wasForgotten(events: readonly TurnEvent[]): boolean {
  return events.some((event) => event.type === "turn_finished" && event.forgotten_by !== undefined);
}

/** The messages of a turn and their places, each once. */
function postedIn(events: readonly TurnEvent[], here: Place): { place: Place; reference: string }[] {
  const all = events.flatMap((event) => {
    if (event.type !== "message_posted" && event.type !== "approval_shown") return [];
    const { place = here, reference } = event;
    return reference === whispered ? [] : { place, reference };
  });
  return [...new Map(all.map((each) => [`${each.place.namespace} ${each.reference}`, each])).values()];
}
