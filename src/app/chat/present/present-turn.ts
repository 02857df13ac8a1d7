/**
 * Invariants:
 * [post-1] A message of a turn is posted at most once, across crashes and workers too.
 * [post-2] An answer is stored, then each of its parts is posted and noted, then the turn finishes.
 * [post-3] What cannot be shown does not fail its turn, and its answer is delivered when it can be.
 * [post-4] A private answer is seen by its asker alone, whatever was shown before it became private.
 * [post-5] Secrets are removed before a text is cut or streamed.
 */

import { unlessAborted } from "../../../base/time-limit.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/log/turn-event.ts";
import { type ClaimedTurn, seqStride } from "../../../core/log/turn-log.ts";
import { emptyTurnView, foldTurn } from "../../../core/log/turn-view.ts";
import { channelThread } from "../../../core/ports/chat-platform.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { type ProgressLevel, settingsOf } from "../../../core/skill/namespace-state.ts";
import { isDirectMessage } from "../../../core/values/place.ts";
import { followGivenUp, ShuttingDown } from "../../turns/given-up.ts";
import { readAnswerFiles } from "./answer-files.ts";
import { type Delivered, deliverAnswer } from "./deliver-answer.ts";
import { LiveAnswer } from "./live-answer.ts";
import { PersonPrompts } from "./person-prompts.ts";
import { type AnswerReady, finishedBy } from "./plan-answer.ts";
import { lastReference } from "./posted-message.ts";
import { noteCalls, type PresentedTurn, type TurnPresenterDeps } from "./presented-turn.ts";
import { createAside, reasonAbove } from "./private-answer.ts";
import { statusOf } from "./render-progress.ts";
import { replaceEarlier } from "./replace-earlier.ts";
import { createNoteQueue, createTurnProgress, mergeNotes } from "./turn-progress.ts";
import { createWorkingMark } from "./working-mark.ts";

type Finished = Extract<TurnEventBody, { type: "turn_finished" }>;

/** The parts that show one turn. */
type Stage = ReturnType<typeof openStage>;

/** Delay before retrying a question that could not be posted, ms. */
const questionRetryMs = 30_000;

/** Time for running calls to end when a turn is given up, ms. */
const closeTimeoutMs = 2_000;

/** The events of a turn shown on its platform, including those of its presentation (`createTurnPresenter`). */
export async function* presentTurn(
  deps: TurnPresenterDeps,
  claimed: ClaimedTurn,
  base: Pick<PresentedTurn, "platform" | "to">,
  run: () => AsyncGenerator<TurnEventBody, void>,
  signal: AbortSignal,
): AsyncGenerator<TurnEventBody, void> {
  const { givenUp, release } = followGivenUp(signal);
  const stage = openStage(deps, claimed, base, givenUp);
  try {
    const known = claimed.events.find((event) => event.type === "answer_ready");
    const ready = known ?? (yield* showRun(stage, run));
    if (ready !== undefined) yield* finish(stage, ready, known?.at ?? deps.clock.now());
  } catch (error) {
    if (!givenUp.aborted) throw error;
    deps.logger.debug({ err: error, turn_id: claimed.turn_id }, "A turn was given up while it was shown");
  } finally {
    await close(stage);
    release();
  }
}

function openStage(
  { clock, redact, logger, chat, store, log, files }: TurnPresenterDeps,
  claimed: ClaimedTurn,
  base: Pick<PresentedTurn, "platform" | "to">,
  givenUp: AbortSignal,
) {
  const { inbound, turn_id, events } = claimed;
  const { namespace, thread, author, kind, text } = inbound;
  const notes = createNoteQueue();
  // A process that died early may have stored nothing; its claim still advanced the sequence.
  const resumed = claimed.last_seq >= seqStride || events.some((event) => event.type === "turn_started");
  const place = { namespace, thread: inbound.cause?.in_channel ? channelThread : thread };
  const { says, background, kind: why } = inbound.cause ?? {};
  const isForAuthor = (says ?? background) !== undefined && why !== "spending";
  const calls = isForAuthor && !isDirectMessage(namespace);
  const turn: PresentedTurn = {
    ...base,
    mention: calls ? author.id : undefined,
    background: background?.to,
    turn_id,
    kind,
    author,
    text,
    place,
    clock,
    redact,
    logger,
    files,
    resumed,
    givenUp,
    note: notes.add,
    calls: new Set([author.id, ...(inbound.origin?.mentions ?? []).map(({ id }) => id)]),
  };
  for (const event of events) noteCalls(turn, event);
  const view = events.reduce(foldTurn, emptyTurnView(turn_id));
  const level = progressLevel(store, turn);
  const delay = chat.progress_delay_ms;
  const mark = createWorkingMark(turn, kind === "command" ? delay : 0);
  const isShown = [lastReference(events, "progress", 0), lastReference(events, "answer", 0)].some(Boolean);
  const notBefore = clock.now() + (isShown ? 0 : delay);
  const show = () => live.progressed();
  const progress = createTurnProgress(turn, { level, notBefore, shortest: delay, show });
  const changed = (isVisible: boolean) => void (isVisible ? mark.hide() : mark.show());
  const live: LiveAnswer = new LiveAnswer(turn, events, progress.card, changed);
  const because = events.find((event) => event.type === "answer_private")?.because;
  if (because !== undefined) live.hide();
  const aside = createAside(turn);
  const prompts = new PersonPrompts(turn, events, aside);
  return {
    ...{ turn, claimed, log, notes, mark, live, progress, prompts, view },
    notifyAfterMs: chat.notify_after_ms,
    /** Files that were made since the turn was claimed. */
    made: [] as TurnEventBody[],
    /** Turns of further messages that this one has absorbed. */
    taken: new Set(events.flatMap((event) => (event.type === "steered" ? [event.from_turn] : []))),
    /** Why everything from now on is for the asker alone; undefined while it is public. */
    because,
    /** The place for private texts. */
    aside,
  };
}

/** The progress level of the channel; `steps` when its settings cannot be read. */
async function progressLevel(
  store: KeyValue,
  { place, logger, turn_id }: PresentedTurn,
): Promise<ProgressLevel> {
  try {
    return (await settingsOf(store, place.namespace)).progress;
  } catch (error) {
    const fields = { err: error, turn_id };
    logger.warn(fields, "The channel's settings cannot be read; progress is shown in steps");
    return "steps";
  }
}

/** Runs the turn and shows it. Returns its answer; undefined when it waits for a person or was absorbed by another turn. */
async function* showRun(
  stage: Stage,
  run: () => AsyncGenerator<TurnEventBody, void>,
): AsyncGenerator<TurnEventBody, AnswerReady | undefined> {
  const { turn, mark, notes, live } = stage;
  mark.state("working");
  mark.show();
  let finished: Finished | undefined;
  for await (const event of mergeNotes(run(), notes, turn)) {
    if (event.type === "turn_finished") {
      finished = event;
      continue;
    }
    const shown = watch(stage, event);
    if (event.type === "turn_waiting") yield* settleToWait(stage, event.until);
    else yield event;
    // The event is stored by now, so a crash cannot make the bot forget a visible question.
    if (shown !== undefined) stage.prompts.watch(shown);
  }
  if (finished === undefined) return undefined;
  stage.view = foldTurn(stage.view, stamped(turn, finished));
  stage.progress.stop();
  await unlessAborted(turn.givenUp, () => live.settle());
  if (finished.merged_into !== undefined || finished.silent) {
    if (finished.merged_into === undefined) mark.state("idle");
    await unlessAborted(turn.givenUp, () => Promise.all([unmark(stage), turn.platform.dismiss?.(turn.to)]));
    yield finished;
    return undefined;
  }
  await adoptFirstPart(stage);
  yield* notes.take();
  const { outcome, text, output, private: isPrivate } = finished;
  const ready: AnswerReady = { type: "answer_ready", outcome, text, output, private: isPrivate };
  yield ready;
  return ready;
}

/** Shows an event as far as possible before it is stored. Returns the event without secrets; undefined for text. */
function watch(stage: Stage, event: TurnEventBody): TurnEventBody | undefined {
  const { live, progress, mark, turn } = stage;
  if (event.type === "text_delta") {
    live.add(event.text);
    return undefined;
  }
  // Redacted before anything is cut: half a secret would not be recognised.
  const shown = turn.redact(event);
  stage.view = foldTurn(stage.view, stamped(turn, shown));
  if (event.type === "text_reset") live.discard();
  if (event.type === "model_message" && event.message.tool_calls.length > 0) live.discard();
  if (event.type === "file") stage.made.push(event);
  if (shown.type === "error") {
    const { code, message: reason } = shown;
    turn.logger.warn(
      { turn_id: turn.turn_id, code, reason },
      "A turn failed; people are told in plain words",
    );
  }
  if (event.type === "steered") stage.taken.add(event.from_turn);
  noteCalls(turn, event);
  if (event.type === "answer_private") stage.because ??= event.because;
  if (stage.because !== undefined) {
    live.hide();
    mark.say("");
    return shown;
  }
  mark.say(statusOf(stage.view));
  progress.changed(stage.view);
  return shown;
}

const stamped = ({ turn_id, clock }: PresentedTurn, event: TurnEventBody): TurnEvent => ({
  ...event,
  turn_id,
  seq: 0,
  at: clock.now(),
});

/** Before the turn waits, finishes everything begun and posts its questions. */
async function* settleToWait(stage: Stage, until: number): AsyncGenerator<TurnEventBody, void> {
  const { turn, live, progress, prompts, mark, notes, view } = stage;
  progress.stop();
  const waits = view.question !== undefined || view.approvals.some(({ state }) => state === "open");
  if (waits) mark.state("waiting");
  const [failure] = await unlessAborted(turn.givenUp, () =>
    Promise.all([prompts.posted(), live.pause(progress.hasNotice), mark.hide()]),
  );
  yield* notes.take();
  if (failure === undefined) {
    yield { type: "turn_waiting", until };
    return;
  }
  turn.logger.warn({ err: failure, turn_id: turn.turn_id }, "A question could not be posted");
  const message = `The question could not be posted: ${failure.message} You can see and answer it in the console.`;
  if (failure.isTemporary)
    yield { type: "turn_waiting", until: Math.min(until, turn.clock.now() + questionRetryMs) };
  else {
    yield { type: "error", code: "not_delivered", message };
    yield { type: "turn_waiting", until };
  }
}

/** A worker that died may have begun the answer without noting it: that message is continued instead of a second one. */
async function adoptFirstPart({ turn, live }: Stage): Promise<void> {
  const first = live.part(0);
  if (first.reference !== undefined) return;
  try {
    await unlessAborted(turn.givenUp, () => first.adopt());
  } catch (error) {
    turn.logger.debug(
      { err: error, turn_id: turn.turn_id },
      "An answer that may be there was not looked for",
    );
  }
  const { reference } = first;
  if (reference !== undefined) turn.note({ type: "message_posted", purpose: "answer", part: 0, reference });
}

/** Delivers the answer, closes the prompts and removes the marks (post-2). */
async function* finish(
  stage: Stage,
  ready: AnswerReady,
  readyAt: number,
): AsyncGenerator<TurnEventBody, void> {
  const { turn, claimed, live, mark, notes, prompts, progress } = stage;
  if (stage.view.finished_at === undefined) stage.view = { ...stage.view, finished_at: readyAt };
  const order = prompts.end();
  const files = await readAnswerFiles(turn, [...claimed.events, ...stage.made]);
  const card = await progress.collapsed(stage.view);
  const hasSteps = stage.view.steps.length > 0;
  const isAside = ready.private === true && turn.kind === "message" && !isDirectMessage(turn.place.namespace);
  const aside = isAside && turn.platform.actions?.direct !== undefined ? await stage.aside() : undefined;
  const reason = isAside ? await reasonAbove(turn, stage.because) : undefined;
  const frame = { files, card, hasSteps, reason };
  const { notifyAfterMs } = stage;
  const delivery = { ready, readyAt, notifyAfterMs, events: claimed.events, live, aside, ...frame };
  const delivered: Delivered = yield* deliverAnswer(turn, delivery);
  const unmarked = delivered.kind === "waiting" ? undefined : unmark(stage);
  mark.state("idle");
  const dismissed = isAside ? turn.platform.dismiss?.(turn.to) : undefined;
  await unlessAborted(turn.givenUp, () => Promise.allSettled([order, mark.hide(), unmarked, dismissed]));
  yield* notes.take();
  if (delivered.kind === "waiting") {
    yield { type: "turn_waiting", until: delivered.until };
    return;
  }
  if (delivered.kind === "delivered" && ready.outcome === "completed")
    await replaceEarlier(turn, stage.log, claimed.inbound.key, aside === undefined ? "answer" : "private");
  yield finishedBy(ready);
}

/** Removes the mark from the turn's message and from the messages it absorbed. */
async function unmark({ turn, log, taken }: Stage): Promise<void> {
  const first = await Promise.all([...taken].map(async (id) => (await log.read(id))[0]));
  const others = first.flatMap((event) =>
    event?.type === "inbound" ? (event.inbound.origin?.message ?? []) : [],
  );
  const messages = new Set([...(turn.to.message === undefined ? [] : [turn.to.message]), ...others]);
  await Promise.all([...messages].map((message) => turn.platform.markSeen(turn.place, message, false)));
}

/** Leaves nothing running: clears timers and lets calls to the platform finish. */
async function close({ turn, live, mark, progress }: Stage): Promise<void> {
  const isNextStarts = turn.givenUp.reason instanceof ShuttingDown;
  const answer = live.settle().then(() => (isNextStarts ? live.part(0).leave() : undefined));
  progress.stop();
  const rest = Promise.allSettled([answer, mark.hide()]);
  const patience = new AbortController();
  const enough = turn.clock.sleep(closeTimeoutMs, patience.signal).catch(() => undefined);
  await Promise.race([rest, enough]);
  patience.abort();
}
