import { isEphemeral, type TurnEvent, type TurnEventBody, unwrapped } from "../../core/log/turn-event.ts";
import { type ClaimedTurn, LeaseLostError, seqStride } from "../../core/log/turn-log.ts";
import type { AppDeps } from "../app-deps.ts";

/** Observes the events of a turn. Does not throw or reject: the turn would be interrupted. */
export interface TurnObserver {
  /** Called with each event before it is stored or shown, which waits for the result. */
  before?(event: TurnEventBody): Promise<void> | void;
  /** Called with each event once it is stored; with an ephemeral one at once. The next event waits for the result. */
  after?(event: TurnEvent): Promise<void> | void;
}

/** Maximum wait of an event that can be stored together with others, ms. */
const maxHoldMs = 20;

/**
 * Whether the event must be stored before the turn continues, because a crash would otherwise repeat or lose an effect. The other
 * events describe work that a crash may safely repeat: asking the model again before its answer had any effect, and reading.
 * `round_started` comes right before the model is asked, so that the transcript is stored exactly as it is sent (log-3).
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
 * failure (log-3). Everything stored before it is then on disk too.
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

/**
 * Stamps a turn's events, stores them, and tells the turn's observers.
 * - Order: as written. An observer hears an event once it and all before it are stored.
 * - How often: once. A refused append is not repeated.
 * - Slow log: the turn waits, except for events that a crash may repeat; they are stored together within `maxHoldMs`.
 * - A crash loses what is held, which has had no effect (log-3).
 * - End: the turn's last `flush`, or the first write that fails (log-4).
 * - Bound: what a turn emits within `maxHoldMs`.
 */
export class TurnWriter {
  readonly #app: Pick<AppDeps, "log" | "clock" | "redact">;
  readonly #claimed: ClaimedTurn;
  readonly #isHeld: () => boolean;
  readonly #observers: readonly TurnObserver[];
  #seq: number;
  #isBroken = false;
  #isWaiting = false;
  #waiting: TurnEvent[] = [];
  #cancelTimer: (() => void) | undefined;
  #written = Promise.resolve();
  /** Calls that this process has begun and that only read. */
  readonly #reading = new Set<string>();

  /** @param isHeld whether nobody else can have the turn now. Asked before an effect, which a paused process must not begin */
  constructor(
    app: Pick<AppDeps, "log" | "clock" | "redact">,
    claimed: ClaimedTurn,
    isHeld: () => boolean,
    observers: readonly TurnObserver[],
  ) {
    this.#observers = observers;
    this.#app = app;
    this.#claimed = claimed;
    this.#isHeld = isHeld;
    this.#seq = claimed.last_seq;
  }

  /** Whether the log refused an event. After that nothing more is stored. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether the last stored event says that the turn waits. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /**
   * Resolves once the turn may continue: the event is stored, or will be within moments together with others. Ephemeral events
   * are only shown. Called for one event after the other. @throws LeaseLostError, or as the log does
   */
  async write(body: TurnEventBody): Promise<void> {
    for (const { before } of this.#observers) {
      const work = before?.(body);
      if (work !== undefined) await work;
    }
    if (isEphemeral(body)) {
      await (this.#waiting.length === 0 ? this.#written : this.flush());
      return this.show(body);
    }
    const { log, clock } = this.#app;
    const event = this.#stamp(body);
    if (event.type === "steered") {
      const { turn_id, lease } = this.#claimed;
      await this.flush();
      await log.absorb(turn_id, lease, [event.from_turn], [event]);
      return this.#tell([event]);
    }
    this.#waiting.push(event);
    const call = unwrapped(event);
    if (call.type === "tool_started" && call.effect === "read_only") this.#reading.add(call.call_id);
    if (mustBeStored(event, this.#reading)) return this.flush();
    this.#cancelTimer ??= clock.after(maxHoldMs, () => void this.flush().catch(() => {}));
  }

  /** Tells the observers of an ephemeral event. */
  async show(body: TurnEventBody): Promise<void> {
    // log-2: the next claim starts at the next sequence stride.
    if (this.#seq + 1 < this.#claimed.last_seq + seqStride) await this.#tell([this.#stamp(body)]);
  }

  /** Stores the events that are still waiting. Writes run one after the other; after a failed one, later ones reject with the same error. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#written = this.#written
      .then(() => this.#store())
      .catch((error: unknown) => {
        // log-4
        this.#isBroken = true;
        throw error;
      });
    return this.#written;
  }

  async #store(): Promise<void> {
    const { log } = this.#app;
    const { turn_id, lease } = this.#claimed;
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    await log.append(turn_id, lease, events);
    this.#isWaiting = events.at(-1)?.type === "turn_waiting";
    if (events.some(mustSurvivePowerLoss)) {
      await log.durable();
      if (!this.#isHeld()) throw new LeaseLostError(turn_id);
    }
    await this.#tell(events);
  }

  #stamp(body: TurnEventBody): TurnEvent {
    const { redact, clock } = this.#app;
    this.#seq += 1;
    return { ...redact(body), turn_id: this.#claimed.turn_id, seq: this.#seq, at: clock.now() };
  }

  async #tell(events: readonly TurnEvent[]): Promise<void> {
    for (const event of events)
      for (const { after } of this.#observers) {
        const work = after?.(event);
        if (work !== undefined) await work;
      }
  }
}
