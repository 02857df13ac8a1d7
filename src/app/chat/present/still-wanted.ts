import { durationInWords } from "../../../base/duration-in-words.ts";
import type { Emit, TurnEvent } from "../../../core/log/turn-event.ts";
import type { ClaimedTurn, Signal } from "../../../core/log/turn-log.ts";
import type { TurnPresenterDeps } from "./presented-turn.ts";

/** Prefix of this question's ids, followed by the seq of the turn's last event before it. */
const questionPrefix = "still-wanted:";

const [yes, no] = ["Yes, go on", "No"] as const;

/** The reason for aborting a turn that is no longer wanted. */
class NotWanted extends Error {
  readonly code = "not_wanted";
}

/** Runs a turn and emits its events. */
export type Run = (emit: Emit, signal: AbortSignal) => Promise<void>;

/**
 * Runs a resumed turn. If it was interrupted for longer than messages stay fresh (`chat.stale_minutes`), it first asks its author
 * whether it is still wanted. A yes or a further message of the author resumes it; after a no, or without an answer in time, it is
 * stopped and nothing runs.
 */
export async function ifStillWanted(
  deps: TurnPresenterDeps,
  claimed: ClaimedTurn,
  run: Run,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const asked = openQuestion(claimed.events);
  if (asked !== undefined && !signal.aborted)
    return afterQuestion(deps, claimed, asked, { run, emit, signal });
  const gapMs = interruptedFor(claimed, deps.clock.now());
  if (gapMs <= deps.chat.stale_ms || signal.aborted) return run(emit, signal);
  await emit({ type: "turn_resumed" });
  const expires_at = deps.clock.now() + deps.question_ms;
  await emit({
    type: "question_asked",
    question_id: `${questionPrefix}${claimed.events.at(-1)?.seq}`,
    text: `I was interrupted ${durationInWords(gapMs)} ago while I worked on this. Still want this?`,
    choices: [yes, no],
    expires_at,
  });
  await emit({ type: "turn_waiting", until: expires_at });
}

type Question = Extract<TurnEvent, { type: "question_asked" }>;

function openQuestion(events: readonly TurnEvent[]): Question | undefined {
  const question = events.findLast((event) => event.type === "question_asked");
  if (question === undefined || !question.question_id.startsWith(questionPrefix)) return undefined;
  const isAnswered = events.some(
    (event) => event.type === "question_answered" && event.question_id === question.question_id,
  );
  return isAnswered ? undefined : question;
}

async function afterQuestion(
  { log, clock }: TurnPresenterDeps,
  { turn_id, inbound }: ClaimedTurn,
  { question_id, expires_at }: Question,
  { run, emit, signal }: { run: Run; emit: Emit; signal: AbortSignal },
): Promise<void> {
  const answer = (await log.signals(turn_id)).find(
    (one): one is Extract<Signal, { type: "answer" }> =>
      one.type === "answer" && one.question_id === question_id,
  );
  if (answer !== undefined) {
    await emit({ type: "question_answered", question_id, text: answer.text, by: answer.by });
    await run(emit, answer.text === no ? AbortSignal.abort(new NotWanted()) : signal);
  } else if ((await log.steering(turn_id)).length > 0) {
    await emit({ type: "question_answered", question_id, text: yes, by: inbound.author.id });
    await run(emit, signal);
  } else if (clock.now() < expires_at) {
    await emit({ type: "turn_waiting", until: expires_at });
  } else {
    const say: Emit = (event) =>
      emit(event.type === "turn_finished" ? { ...event, text: unanswered } : event);
    await run(say, AbortSignal.abort(new NotWanted()));
  }
}

const unanswered =
  "I was interrupted while I worked on this, and nobody confirmed that it is still wanted, so I stopped. Ask again if you still need it.";

/** How long ago the turn was interrupted in the middle of its work, ms; 0 when it was not. */
function interruptedFor({ inbound, events }: ClaimedTurn, now: number): number {
  const last = events.at(-1);
  const isUnderWay = events.some((event) => event.type === "turn_started") && last?.type !== "turn_waiting";
  if (inbound.kind !== "message" || !isUnderWay || last === undefined) return 0;
  return now - last.at;
}
