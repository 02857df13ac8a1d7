/**
 * Invariants:
 * [turn-1] Every call that started has exactly one result before its turn ends, also when the turn is stopped.
 * [turn-2] A call that may have had an effect is not repeated. The model is told that its outcome is unknown.
 * [turn-3] Whether a call may run is decided when it starts, from the channel as it is then.
 * [turn-4] A model is not asked again for an answer that the log has.
 * [turn-5] Rounds and calls of sub-runs count as those of their turn.
 */

import { innerCallId } from "../log/call-id.ts";
import type { Emit } from "../log/turn-event.ts";
import { remindAt, type TurnState } from "../log/turn-state.ts";
import { ModelError, mayHelp, modelErrorWords } from "../ports/model.ts";
import { isTemporaryFailure } from "../ports/storage.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import { DeadlineError, type Turn, type TurnEnd, type TurnPorts } from "../scope/turn.ts";
import type { MetaTool, TurnScope } from "../scope/turn-scope.ts";
import type { ToolResult } from "../skill/tool.ts";
import { endForReader } from "../transcript/audience.ts";
import { keepTranscript, keepWhileWaiting, requestOf } from "../transcript/keep-transcript.ts";
import { fitUserText, saidBy, userMessage } from "../transcript/user-message.ts";
import { outputText } from "../values/json.ts";
import type { AssistantMessage, CutAnswer, ToolCall } from "../values/message.ts";
import { agentNamedIn, type Profile } from "../values/profile.ts";
import { fingerprint } from "../values/told.ts";
import { afterWait, waitForModel } from "./away-model.ts";
import { repeatedTooOften } from "./check-call.ts";
import { idsIn, readAnswer, withUniqueIds } from "./read-answer.ts";
import { openDirectRun, openTaskRun } from "./sub-run.ts";
import { endOutside } from "./tool-call.ts";
import { refreshOffer } from "./toolset.ts";
import { openScope } from "./turn-opening.ts";

/**
 * Runs a turn to its end: model → tool calls → results → model, until there is an answer. Emits every event before it takes effect outside
 * core. A turn whose log has more than entry 0 is resumed: finished work is not repeated. The last event is `turn_finished`, or
 * `turn_waiting` when the turn waits for a person or for its model.
 * @param record never settles once the turn is given up
 * @throws the error of a store that cannot be reached for a moment (`isTemporaryFailure`): the turn can be resumed then
 */
export async function runTurn(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  record: Emit,
): Promise<void> {
  const scope = await openScope(turn, ports, metaTools, record);
  const { state } = scope;
  const direct = turn.direct ? { direct: true as const } : {};
  await scope.emit(
    state.started
      ? { type: "turn_resumed" }
      : { type: "turn_started", profile: turn.profile.id, model: chosenModel(scope).id, ...direct },
  );
  const asked = (turn.asked ?? []).filter((id) => !state.conversation.activated.has(id));
  for (const skill_id of asked) await scope.emit({ type: "skill_activated", skill_id, by: turn.author.id });
  const reached = await (turn.direct ? answerDirectly(scope) : loop(scope)).catch((error: unknown) =>
    endOf(scope, error),
  );
  if (reached === undefined) return;
  const end = await endForReader(scope, reached);
  if (end.error !== undefined) await scope.emit({ type: "error", ...end.error });
  const { outcome, refused } = end;
  // The reader of an answer has to know which messages it was made without.
  const text = [end.text, ...state.left_out].filter(Boolean).join("\n\n");
  const only = state.private ? { private: true as const } : {};
  await scope.emit({ type: "turn_finished", outcome, text, refused, ...only });
}

/** The end of a turn whose message names an agent, or that works in the background. Undefined when the turn waits. */
async function answerDirectly(scope: TurnScope): Promise<TurnEnd | undefined> {
  const end = await loop(await openDirectRun(scope));
  if (end === undefined) await scope.emit({ type: "turn_waiting", until: waitUntil(scope) });
  return end;
}

/**
 * Has another agent do a task, in a conversation of its own and within the limits of the turn. Resumes where the log of the turn has it.
 * Undefined when the turn waits for a person or for the agent's model.
 */
export async function runAgent(
  scope: TurnScope,
  callId: string,
  agent: Profile,
  reason: string,
): Promise<TurnEnd | undefined> {
  const { shared, turn } = scope;
  const work = shared.runs.run(turn.signal, async () => loop(openTaskRun(scope, callId, agent, reason)));
  shared.going.add(work);
  return work.finally(() => shared.going.delete(work));
}

/** Returns undefined when the turn waits for a person or for its model. */
async function loop(scope: TurnScope): Promise<TurnEnd | undefined> {
  const { turn, conversation } = scope;
  for (;;) {
    turn.signal.throwIfAborted();
    const { open } = conversation;
    const end = open === undefined ? await askModel(scope) : await runOpenCalls(scope, open);
    if (end === "waiting") return undefined;
    if (end !== undefined) return end;
    // Each call reads the channel itself.
    if (conversation.open === undefined) await refreshOffer(scope);
  }
}

/**
 * Runs the next round. Returns undefined when the model has called tools, otherwise the turn's end, or `waiting` until the model is
 * available.
 */
async function askModel(scope: TurnScope): Promise<TurnEnd | "waiting" | undefined> {
  const { rounds, last } = scope.conversation;
  // turn-4: after a crash between the model's answer and `turn_finished`, the answer is already in the log.
  if (last?.tool_calls.length === 0) return answered(scope, last.text);
  const wait = await afterWait(scope);
  if (wait !== "go") return wait;
  try {
    const limit = await limitReached(scope);
    if (limit !== undefined) return await answerAtLimit(scope, limit);
    const { rest } = await takeSteering(scope);
    const message = await callModel(scope);
    if (message.tool_calls.length > 0) return undefined;
    // Messages that had to wait before the round do so after it.
    return rest ? answered(scope, message.text) : await endUnlessOutdated(scope, message.text);
  } catch (error) {
    if (scope.turn.signal.aborted || !mayHelp("later", error)) throw error;
    return (await waitForModel(scope, error, rounds)) ?? "waiting";
  }
}

const cutWords: Record<CutAnswer, string> = {
  length: "The answer is cut off here: the model reached its limit of output tokens.",
  context: "The answer is cut off here: the conversation fills the model's context.",
  declined: "The answer ends here: the model or a filter of its provider declined to go on.",
};

/** The turn's end with the model's answer, which says so if it is cut. */
function answered({ conversation: { cut }, turn }: TurnScope, text: string): TurnEnd {
  if (cut === undefined) return { outcome: "completed", text };
  return { outcome: "limit_reached", text: `${text.trim()}\n\n${withContinue(turn, cutWords[cut])}` };
}

/** A person may go on from a limit; a sub-run's reader may not. */
function withContinue({ task }: Turn, note: string): string {
  return task === undefined ? `${note} Say “continue” to go on from here.` : note;
}

const outdated =
  "Your answer above was not posted: this message came first. What you write next replaces it, so repeat what still holds.";

/** Ends the turn with the model's answer. Returns undefined if its author wrote meanwhile: then the model reads that and answers again. */
async function endUnlessOutdated(scope: TurnScope, text: string): Promise<TurnEnd | undefined> {
  const isOutdated = (await limitReached(scope)) === undefined && (await takeSteering(scope, outdated)).taken;
  if (!isOutdated) return answered(scope, text);
  await scope.emit({ type: "text_reset" });
  return undefined;
}

async function limitReached(scope: TurnScope): Promise<string | undefined> {
  const { turn, state, namespace } = scope;
  const { limits, link } = turn;
  if (roundsOf(state) >= limits.max_rounds) return `it reached its limit of ${limits.max_rounds} rounds`;
  if (state.toolCalls >= limits.max_tool_calls)
    return `it reached its limit of ${limits.max_tool_calls} tool calls`;
  const repeated = repeatedTooOften(scope);
  if (repeated !== undefined) return repeated;
  return link.overBudget(namespace.settings);
}

/** Rounds of the turn and of its sub-runs (turn-5). */
function roundsOf({ conversation, runs }: TurnState): number {
  return [...runs.values()].reduce((sum, { rounds }) => sum + rounds, conversation.rounds);
}

/** Makes one last model call without tools. The person gets an answer that names the limit. */
async function answerAtLimit(scope: TurnScope, limit: string): Promise<TurnEnd> {
  const { turn } = scope;
  const note = `This turn ends here: ${limit}.`;
  if ((await scope.turn.link.overBudget(scope.namespace.settings)) !== undefined)
    return {
      outcome: "limit_reached",
      text: note,
      refused: roundsOf(scope.state) === 0 ? true : undefined,
    };
  const message = await callModel(
    scope,
    `You can call no more tools in this turn: ${limit}. Answer now with what you have.`,
  ).catch(ignoreBadResponse);
  return {
    outcome: "limit_reached",
    text: [message?.text.trim(), withContinue(turn, note)].filter(Boolean).join("\n\n"),
  };
}

/** Ignores a model that calls tools regardless: the person is still told the limit. */
function ignoreBadResponse(error: unknown): undefined {
  if (!(error instanceof ModelError) || error.code !== "bad_response") throw error;
}

/**
 * Takes the author's further messages into the turn, the first one with a note for the model. `rest`: messages are left, which get turns of
 * their own.
 */
async function takeSteering(scope: TurnScope, note?: string): Promise<{ taken: boolean; rest: boolean }> {
  const { turn, ports, namespace } = scope;
  const { rounds, away } = scope.conversation;
  // A person steers the agent that answers.
  if (turn.task !== undefined || namespace.settings.while_running === "queue")
    return { taken: false, rest: true };
  const said = await turn.link.steering();
  if (rounds === 0 && away === undefined) return { taken: false, rest: said.length > 0 };
  for (const [index, { turn_id, text, author, said_at, has_files }] of said.entries()) {
    // A message that names another agent gets a turn of its own with that agent.
    const named = agentNamedIn(text, turn.profiles);
    if (has_files || (named !== undefined && named.id !== turn.profile.id))
      return { taken: index > 0, rest: true };
    const fitting = fitUserText({ turn_id, text, limits: turn.limits }, ports.countTokens);
    const context = index > 0 || note === undefined ? undefined : { thread: [], files: [], notes: [note] };
    const shown = userMessage(fitting, { line: saidBy(scope, author, said_at), context }).text;
    await scope.emit({ type: "steered", text, by: author.id, from_turn: turn_id, shown });
  }
  return { taken: said.length > 0, rest: false };
}

/** Runs one round: streams the model's answer and records it. With a `finalNote` the model reads that note and may call no tools. */
async function callModel(scope: TurnScope, finalNote?: string): Promise<AssistantMessage> {
  const { turn, ports, conversation } = scope;
  const transcript = await keepTranscript(scope);
  if (finalNote !== undefined && transcript.messages.at(-1)?.text !== finalNote) {
    const message = { role: "system", text: finalNote } as const;
    await scope.emit({ type: "transcript_changed", message, told: {} });
  }
  const round = conversation.rounds + 1;
  await scope.emit({ type: "round_started", round });
  turn.signal.throwIfAborted();
  const finished = await readAnswer(scope, async () => ({
    ...(await requestOf(scope, transcript)),
    no_calls: finalNote === undefined ? undefined : true,
    can_wait: turn.limits.away_retry_ms === 0 ? undefined : true,
  }));
  await scope.emit({ type: "usage", model: finished.model, round, ...finished.usage });
  const message =
    finalNote === undefined
      ? withUniqueIds(finished.message, idsIn(scope), `call_${fingerprint(turn.turn_id)}_${round}`)
      : withoutCalls(finished.message);
  const kept = withWholeBlocks(message, ports.redact(message));
  // Before calls, some models say what they do in a note beside the text.
  const said = kept.tool_calls.length === 0 || finished.note === "" ? {} : { note: finished.note };
  const { model, cut } = finished;
  await scope.emit({ type: "model_message", round, message: kept, ...said, model, cut });
  return kept;
}

/** Drops provider blocks that were redacted, because their signatures no longer match. */
function withWholeBlocks(
  written: AssistantMessage,
  { provider_blocks, ...clean }: AssistantMessage,
): AssistantMessage {
  const isWhole = provider_blocks !== undefined && provider_blocks === written.provider_blocks;
  return isWhole ? { ...clean, provider_blocks } : clean;
}

/** Removes the calls: a conversation may not contain unanswered calls, nor blocks that belong to them. */
function withoutCalls({ tool_calls, provider_blocks, ...message }: AssistantMessage): AssistantMessage {
  return {
    ...message,
    tool_calls: [],
    provider_blocks: tool_calls.length === 0 ? provider_blocks : undefined,
  };
}

/** Runs the calls of one response, several at a time. Direct outputs end the turn. */
async function runOpenCalls(
  scope: TurnScope,
  message: AssistantMessage,
): Promise<TurnEnd | "waiting" | undefined> {
  const queue = [...message.tool_calls];
  const direct = new Map<string, string>();
  let waiting = false;
  const work = async () => {
    for (let call = queue.shift(); call !== undefined; call = queue.shift()) {
      const result = await runCall(scope, call);
      if (result === "waiting") waiting = true;
      else if (result.status === "ok" && result.direct) direct.set(call.id, outputText(result.output));
    }
  };
  const workers = Math.min(scope.turn.limits.max_concurrent, queue.length);
  const ends = await Promise.allSettled(Array.from({ length: workers }, work));
  // Waits for all of them: no call may finish after its turn.
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  if (waiting && !scope.turn.signal.aborted) {
    await keepWhileWaiting(scope);
    await scope.emit({ type: "turn_waiting", until: waitUntil(scope) });
    return "waiting";
  }
  if (direct.size === 0) return undefined;
  const texts = message.tool_calls.flatMap((call) => direct.get(call.id) ?? []);
  return { outcome: "completed", text: texts.join("\n\n") };
}

/** Runs a call of the model. Sub-runs together run as many calls at the same time as a turn does. */
async function runCall(scope: TurnScope, call: ToolCall): Promise<ToolResult | "waiting"> {
  const { turn, shared } = scope;
  const { run: parent_call_id } = scope.conversation;
  if (parent_call_id === undefined) return scope.runCall({ call, depth: 0 });
  const id = innerCallId(parent_call_id, call.id);
  const run = () => scope.runCall({ call: { ...call, id }, parent_call_id, depth: 0 });
  return turn.task === undefined ? run() : shared.calls.run(turn.signal, run);
}

/**
 * When the first open question or approval expires, people are reminded of an approval, or an unavailable model is asked again, ms since
 * the epoch.
 */
export function waitUntil({ state, turn, ports }: TurnScope): number {
  const questions = [...state.questions.values()].filter((question) => question.answer === undefined);
  const approvals = [...state.approvals.values()].filter((approval) => approval.decided === undefined);
  const expire = [...questions, ...approvals].map((asked) => asked.expires_at);
  const remind = approvals.map(({ asked_at, expires_at }) => remindAt(asked_at, expires_at));
  const retries = [...state.runs.values()].flatMap(({ away, open }) => (open ? [] : (away?.until ?? [])));
  const times = [...expire, ...remind.filter((time) => time > ports.clock.now()), ...retries];
  return times.length === 0 ? turn.deadline : Math.min(...times);
}

/** The end of a turn that ended without an answer. Every started tool gets its result first. @throws an error that passes */
async function endOf(scope: TurnScope, error: unknown): Promise<TurnEnd> {
  const { turn, ports } = scope;
  // Their calls end with them.
  await Promise.allSettled(scope.shared.going);
  if (isTemporaryFailure(error) && !turn.signal.aborted) throw error;
  await closeOpenCalls(scope);
  const { streamed, last } = scope.conversation;
  const kept = streamed.trim() || (last?.text.trim() ?? "");
  if (turn.signal.aborted) {
    const reason: unknown = turn.signal.reason;
    if (reason instanceof DeadlineError) {
      return {
        outcome: "limit_reached",
        text: [kept, "This turn ends here: it reached its time limit."].filter(Boolean).join("\n\n"),
      };
    }
    return { outcome: "stopped", text: [kept, "Stopped."].filter(Boolean).join("\n\n") };
  }
  if (error instanceof ModelError) {
    const { code, message, seen } = error;
    const words = [modelErrorWords[code], ...(code === "invalid_request" ? [seen] : [])];
    const text = turn.detailed_errors ? message : words.filter(Boolean).join(" ");
    if (code === "cut_off") return { outcome: "limit_reached", text: withContinue(turn, text) };
    return { outcome: "failed", text, error: { code, message } };
  }
  ports.report(error, "turn");
  const message =
    "Something went wrong inside the bot; the details are in its log. Your message is kept: try again.";
  return { outcome: "failed", text: message, error: { code: "internal", message } };
}

// turn-1
async function closeOpenCalls(scope: TurnScope): Promise<void> {
  for (const [callId, call] of scope.state.calls) {
    if (call.started === undefined || call.finished !== undefined) continue;
    await endOutside(scope, callId, call);
    const duration_ms = Math.max(0, scope.ports.clock.now() - call.started_at);
    await scope.emit({
      type: "tool_finished",
      call_id: callId,
      tool: call.started.tool,
      status: "error",
      output: { error: "The turn ended before this finished.", code: "stopped" },
      duration_ms,
    });
  }
}
