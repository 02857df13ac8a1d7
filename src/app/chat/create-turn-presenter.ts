import { backoff } from "../../base/backoff.ts";
import type { Emit, TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import { finishedBy } from "./present/plan-answer.ts";
import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenterDeps } from "./present/presented-turn.ts";
import { ifStillWanted, type Run } from "./present/still-wanted.ts";
import { whileHeld } from "./present/while-held.ts";

/**
 * Shows turns that came from a chat platform there while they run, and delivers their answers. All others pass at no cost.
 */
export function createTurnPresenter(deps: TurnPresenterDeps) {
  return {
    /**
     * Runs a turn and emits its events, including those of its presentation. For a turn from a platform, progress and questions are posted
     * while the events pass. `answer_ready` comes before `turn_finished`; in between, the answer is posted and noted (`message_posted`).
     * When the platform cannot be reached, the turn waits (`turn_waiting`), and the next worker only delivers the answer. Turns from
     * elsewhere pass unchanged.
     *
     * A turn that was interrupted for a long time first asks its author whether it is still wanted.
     *
     * @param emit when it rejects, this does too, and nothing that runs for the turn continues after its last event
     * @param isHeld whether nobody else can have the turn now; when somebody can, nothing more is posted or changed
     */
    async around(
      claimed: ClaimedTurn,
      run: Run,
      emit: Emit,
      { signal, isHeld }: { signal: AbortSignal; isHeld: () => boolean },
    ): Promise<void> {
      const { origin, namespace, author } = claimed.inbound;
      const found = origin && deps.platforms.of(namespace);
      const unseen = () => untilRefused(emit, (own) => run(own, signal));
      if (origin === undefined) return unseen();
      if (found === undefined) return withoutPlatform(claimed, deps.clock.now(), emit, unseen);
      const platform = whileHeld(found, claimed.turn_id, isHeld);
      const to = { message: origin.message, person: author.id };
      const events = () => eventsOf((own) => ifStillWanted(deps, claimed, run, own, signal));
      for await (const event of presentTurn(deps, claimed, { platform, to }, events, signal))
        await emit(event);
    },
  };
}

/** Work that emits the events of a turn. */
type Work = (emit: Emit) => Promise<void>;

/**
 * Runs the work until it ends, or until `emit` rejects: then rejects with the same error, and the work stays where it is, so that nothing
 * follows.
 */
function untilRefused(emit: Emit, work: Work): Promise<void> {
  const refused = Promise.withResolvers<never>();
  const own: Emit = (event) =>
    emit(event).catch((error: unknown) => {
      refused.reject(error);
      return new Promise<never>(() => {});
    });
  return Promise.race([work(own), refused.promise]);
}

/** The events of the work as a stream, which ends or fails with it. The next event waits until the reader asks for it. */
async function* eventsOf(work: Work): AsyncGenerator<TurnEventBody, void> {
  const waiting: { event: TurnEventBody; taken: () => void }[] = [];
  let wake = () => {};
  let isOver = false;
  const own: Emit = (event) =>
    new Promise((taken) => {
      waiting.push({ event, taken });
      wake();
    });
  const ended = () => {
    isOver = true;
    wake();
  };
  const working = work(own);
  working.then(ended, ended);
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) {
      yield next.event;
      next.taken();
    } else if (isOver) return working;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

/** Maximum time a turn waits for a process that serves its platform, ms. */
const maxAbsenceMs = 24 * 3_600_000;
/** Pauses between checks whether this process serves the platform, ms. */
const pauses = { minMs: 2_000, maxMs: 60_000 };

/**
 * A turn for a platform this process does not serve: the process is a command run while the bot is stopped, or the platform was removed
 * from the configuration. The turn waits for a bot that serves it; after a day it ends, and only the console shows its answer.
 */
async function withoutPlatform(
  { events }: ClaimedTurn,
  now: number,
  emit: Emit,
  run: () => Promise<void>,
): Promise<void> {
  const said = events[0]?.at ?? now;
  if (now - said < maxAbsenceMs) {
    const waits = events.filter((event) => event.type === "turn_waiting").length;
    return emit({ type: "turn_waiting", until: now + backoff(waits + 1, pauses) });
  }
  const ready = events.find((event) => event.type === "answer_ready");
  return ready === undefined ? run() : emit(finishedBy(ready));
}
