import {
  isEphemeral,
  isInternal,
  type TurnEvent,
  type TurnEventBody,
  unwrapped,
} from "../../core/log/turn-event.ts";
import { type ClaimedTurn, LeaseLostError, seqStride, type TurnLog } from "../../core/log/turn-log.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Redact } from "../../core/values/redact.ts";
import type { Feed } from "./feed.ts";

/** Stamps a turn's events, stores them, and shows them to watchers. */
export interface TurnWriter {
  /**
   * Resolves once the turn may continue: the event is stored, or will be within moments together with others. Ephemeral events
   * are only shown. @throws LeaseLostError, or as the log does
   */
  write(body: TurnEventBody): Promise<void>;
  /** Shows an ephemeral event to watchers. */
  show(body: TurnEventBody): void;
  /** Stores the events that are still waiting. @throws as `write` */
  flush(): Promise<void>;
  /** Whether the log refused an event. After that nothing more is stored. */
  broken(): boolean;
  /** Whether the last stored event says that the turn waits. */
  isWaiting(): boolean;
}

/** Maximum wait of an event that can be stored together with others, ms. */
const maxHoldMs = 20;

/**
 * Whether the event must be stored before the turn continues, because a crash would otherwise repeat or lose an effect. The other
 * events describe work that a crash may safely repeat: asking the model again before its answer had any effect, and reading.
 * `round_started` comes right before the model is asked, so that the transcript is stored exactly as it is sent.
 * @param reading calls that this process has begun and that only read
 */
function mustBeStored(stored: TurnEvent, reading: ReadonlySet<string>): boolean {
  const event = unwrapped(stored);
  switch (event.type) {
    case "turn_started":
    case "transcript_opened":
    case "transcript_changed":
    case "user_message":
    case "usage":
    case "model_message":
    case "stage":
    case "skill_output":
    // The message can be found again by its tag on the platform.
    case "message_posted":
      return false;
    case "tool_started":
      return event.effect !== "read_only";
    case "tool_finished":
      return !reading.has(event.call_id);
    default:
      return true;
  }
}

/**
 * Whether the event must be on disk before the turn continues: the next step has an effect outside, which must survive a power
 * failure. Everything stored before it is then on disk too.
 */
function mustSurvivePowerLoss(event: TurnEvent): boolean {
  return (
    (event.type === "tool_started" && event.effect === "side_effect") ||
    // The call continues after the answer: the permitted effect comes next.
    event.type === "call_resumed" ||
    // The answer is posted next.
    event.type === "answer_ready"
  );
}

export interface TurnWriterDeps {
  log: TurnLog;
  feed: Feed;
  clock: Clock;
  redact: Redact;
}

/** @param isHeld whether nobody else can have the turn now. Asked before an effect, which a paused process must not begin */
export function createTurnWriter(
  { log, feed, clock, redact }: TurnWriterDeps,
  claimed: ClaimedTurn,
  isHeld: () => boolean,
): TurnWriter {
  const { turn_id, inbound, lease } = claimed;
  let seq = claimed.last_seq;
  let broken = false;
  let waits = false;
  let waiting: TurnEvent[] = [];
  let cancelTimer: (() => void) | undefined;
  let written = Promise.resolve();
  const reading = new Set<string>();

  const publish = (events: readonly TurnEvent[]) => {
    for (const event of events)
      if (!isInternal(event)) feed.publish(inbound.namespace, inbound.thread, event);
  };
  const store = async () => {
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    await log.append(turn_id, lease, events);
    waits = events.at(-1)?.type === "turn_waiting";
    if (events.some(mustSurvivePowerLoss)) {
      await log.durable();
      if (!isHeld()) throw new LeaseLostError(turn_id);
    }
    publish(events);
  };
  /** Writes run one after the other. After a failed write, later writes reject with the same error. */
  const flush = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    written = written.then(store).catch((error: unknown) => {
      broken = true;
      throw error;
    });
    return written;
  };
  const flushLater = () => {
    cancelTimer ??= clock.after(maxHoldMs, () => void flush().catch(() => {}));
  };
  const noteReading = (stored: TurnEvent) => {
    const event = unwrapped(stored);
    if (event.type === "tool_started" && event.effect === "read_only") reading.add(event.call_id);
  };
  const stamp = (body: TurnEventBody): TurnEvent => {
    seq += 1;
    return { ...redact(body), turn_id, seq, at: clock.now() };
  };
  const show = (body: TurnEventBody) => {
    // The next claim starts at the next sequence stride.
    if (seq + 1 < claimed.last_seq + seqStride) publish([stamp(body)]);
  };
  return {
    show,
    flush,
    broken: () => broken,
    isWaiting: () => waits,
    async write(body) {
      if (isEphemeral(body)) {
        await flush();
        return show(body);
      }
      const event = stamp(body);
      if (event.type === "steered") {
        await flush();
        await log.absorb(turn_id, lease, [event.from_turn], [event]);
        publish([event, ...(await log.read(event.from_turn, 0))]);
      } else {
        waiting.push(event);
        noteReading(event);
        if (mustBeStored(event, reading)) await flush();
        else flushLater();
      }
    },
  };
}
