/**
 * Handles a model that is unavailable: the turn frees its worker and retries, at first by itself, later only if a person still wants the
 * answer.
 */
import { backoff } from "../../base/backoff.ts";
import { questionIdOf } from "../log/call-id.ts";
import type { AwayState } from "../log/conversation.ts";
import { ModelError, type ModelErrorCode, mayHelp } from "../ports/model.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnEnd } from "../scope/turn.ts";
import { type TurnScope, zoneIn } from "../scope/turn-scope.ts";

/** Reasons of an outage, as people read them. */
const reasons: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "it limits how often it is asked",
  overloaded: "it is overloaded",
  unavailable: "it cannot be reached",
};

/** Delay between automatic retries, ms: doubles from the minimum to the maximum. */
const pauses = { minMs: 1_000, maxMs: 60_000 };
/** Interval between checks of the model once people have to be asked, ms. */
const lateInterval = 5 * 60_000;

const wanted = "Yes, answer it";
const unwanted = "No";

/**
 * Suspends the turn after a failed call of its model. Returns the turn's end when the time for retries is used up, and undefined when the
 * turn waits. `rounds` is the number of rounds before the failed call, which does not count as one.
 */
export async function waitForModel(
  scope: TurnScope,
  error: ModelError,
  rounds: number,
): Promise<TurnEnd | undefined> {
  const { ports, conversation, turn } = scope;
  const { away_retry_ms, away_ask_ms } = turn.limits;
  if (away_retry_ms === 0) throw error;
  const now = ports.clock.now();
  const { since, tries } = conversation.away ?? { since: now, tries: 0 };
  const retriesEnd = since + away_retry_ms;
  const isLate = now >= retriesEnd;
  if (now >= retriesEnd + away_ask_ms) return gaveUp(now - since, error);
  // A server may ask for a day and be back in a minute.
  const asked = Math.min(error.retryAfterMs ?? 0, pauses.maxMs);
  const pause = isLate ? lateInterval : Math.max(backoff(tries + 1, pauses), asked);
  const end = isLate ? retriesEnd + away_ask_ms : retriesEnd;
  if (conversation.streamed !== "") await scope.emit({ type: "text_reset" });
  const reason = `The model does not answer (${error.seen ?? reasons[error.code] ?? error.code}).`;
  const text = isLate
    ? `${reason} It has been unavailable since ${timeOf(scope, since)}. Once it is back, I'll ask whether you still want this.`
    : `${reason} I'll keep trying until ${timeOf(scope, retriesEnd)}.`;
  const { code, message } = error;
  const until = Math.min(end, now + pause);
  await scope.emit({ type: "model_away", code, message, text, since, rounds, until });
  await scope.emit({ type: "turn_waiting", until });
  return undefined;
}

/**
 * Decides whether a model that was unavailable is asked again. Returns `go` when it may be, `waiting` when the turn keeps waiting, or the
 * turn's end. After a long outage the model is asked only once the person has confirmed that they still want the answer.
 */
export async function afterWait(scope: TurnScope): Promise<"go" | "waiting" | TurnEnd> {
  const { state, turn, ports } = scope;
  const { away, rounds } = scope.conversation;
  if (away === undefined || ports.clock.now() < away.since + turn.limits.away_retry_ms) return "go";
  if (turn.limits.away_ask_ms === 0) return "go";
  const question = state.questions.get(questionId(away));
  if (question !== undefined) return answerOf(scope, away, question);
  // A person who writes again still wants the answer.
  if ((await turn.link.steering()).length > 0) return "go";
  const failure = await whyAway(scope);
  if (failure !== undefined) return (await waitForModel(scope, failure, rounds)) ?? "waiting";
  const expires_at = ports.clock.now() + turn.limits.away_ask_ms;
  await scope.emit({
    type: "question_asked",
    question_id: questionId(away),
    text: `The model was unavailable since ${timeOf(scope, away.since)} and is back now. Still want this?`,
    choices: [wanted, unwanted],
    expires_at,
  });
  await scope.emit({ type: "turn_waiting", until: expires_at });
  return "waiting";
}

const questionId = ({ since }: AwayState) => questionIdOf("away", since);

async function answerOf(
  scope: TurnScope,
  away: AwayState,
  { answer, expires_at }: { answer?: string; expires_at: number },
): Promise<"go" | "waiting" | TurnEnd> {
  const text = answer ?? (await findAnswer(scope, questionId(away)));
  if (text === unwanted) return { outcome: "stopped", text: "OK, I left it unanswered." };
  if (text !== undefined) return "go";
  if (scope.ports.clock.now() < expires_at) {
    await scope.emit({ type: "turn_waiting", until: expires_at });
    return "waiting";
  }
  const message =
    "The model was unavailable when you asked, and nobody confirmed that the answer is still wanted. Ask again if it is.";
  return { outcome: "failed", text: message, error: { code: "not_wanted", message } };
}

/** Finds the person's answer: a button, or a new message. A new message counts as yes, and the model reads it like any other. */
async function findAnswer(
  { turn: { link }, emit }: TurnScope,
  question_id: string,
): Promise<string | undefined> {
  const signals = await link.signals();
  const signal = signals.find((each) => each.type === "answer" && each.question_id === question_id);
  const [said] = await link.steering();
  const given = signal?.type === "answer" ? { text: signal.text, by: signal.by } : undefined;
  const answer = given ?? (said && { text: wanted, by: said.author.id });
  if (answer !== undefined) await emit({ type: "question_answered", question_id, ...answer });
  return answer?.text;
}

/** Sends the model a minimal request. Returns the error if it is still unavailable. */
async function whyAway(scope: TurnScope): Promise<ModelError | undefined> {
  const messages = [{ role: "user" as const, text: "Answer with OK." }];
  try {
    const request = { system: "", messages, tools: [], can_wait: true, signal: scope.turn.signal } as const;
    const events = chosenModel(scope).stream(request);
    for await (const { type } of events) if (type !== "reset" && type !== "delayed") return undefined;
    return undefined;
  } catch (error) {
    if (mayHelp("later", error)) return error;
    // Any other error is left for the turn's own call to report.
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

function gaveUp(ms: number, error: ModelError): TurnEnd {
  const [seconds, minutes] = [Math.round(ms / 1_000), Math.round(ms / 60_000)];
  const inMinutes = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  const time = seconds < 90 ? `${seconds} seconds` : inMinutes;
  const text = `The model did not answer for ${time}, so I gave up. Your message is kept: try again.\n\n${error.message}`;
  return { outcome: "failed", text, error: { code: error.code, message: error.message } };
}

/** Local time of the asker, e.g. `14:35 CET`. */
function timeOf(scope: TurnScope, at: number): string {
  const time = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...time, timeZone: zoneIn(scope) }).format(at);
}
