import { errorCode, errorText } from "../../base/error-text.ts";
import { withTimeLimit } from "../../base/time-limit.ts";
import { approveCall } from "../decisions/approval.ts";
import { decisionFor } from "../decisions/decide-call.ts";
import { prevented } from "../decisions/prevented-call.ts";
import { changesInWords } from "../effects/folder-run.ts";
import type { CallState } from "../log/turn-state.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { cutForModel, outputOf, outputText, type Tool, type ToolResult } from "../skill/tool.ts";
import { ExpectedFailure, WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import type { ToolCall } from "../values/message.ts";
import { type CheckedCall, findAndCheck, toldWhenRepeated } from "./check-call.ts";
import { createToolContext } from "./tool-context.ts";
import { guidesWith, refreshOffer } from "./toolset.ts";

/**
 * Brings one call to its result. Whatever happens to the tool is a result the model can read. Answers `waiting` when the
 * tool waits for a person: then there is no result yet, and the call is taken up again on resume.
 */
export async function runToolCall(scope: TurnScope, request: CallRequest): Promise<ToolResult | "waiting"> {
  const { call } = request;
  const known = scope.state.calls.get(call.id);
  if (known?.finished !== undefined) return resultOf(known.finished);

  // People may have blocked the skill, or taken a permission back, since the model was asked.
  await refreshOffer(scope);
  const started = known?.started === undefined ? undefined : known;
  const valid = await findAndCheck(scope, request);
  const checked = started === undefined ? await askIfNeeded(scope, request, valid) : valid;
  if (checked === "waiting") return checked;
  if (started === undefined) await announce(scope, request, checked);
  const outcome =
    started === undefined
      ? await attempt(scope, request, checked)
      : await attemptAgain(scope, request, checked, started);
  if (outcome === "waiting") {
    if (!scope.state.calls.get(call.id)?.asking) await scope.emit({ type: "call_waiting", call_id: call.id });
    return outcome;
  }
  return finish(scope, request, checked, outcome);
}

/** Records what came of a call, and answers what its caller is told. */
async function finish(
  scope: TurnScope,
  request: CallRequest,
  checked: CheckedCall,
  outcome: ToolResult,
): Promise<ToolResult> {
  const { call, parent_call_id } = request;
  const isModels = parent_call_id === undefined && request.by_person !== true;
  const result = isModels ? toldWhenRepeated(scope.state, call.name, checked.input, outcome) : outcome;
  if (result.status === "ok" && checked.status === "ready" && checked.tool.skill_id !== "") {
    await scope.emit({ type: "skill_output", skill_id: checked.tool.skill_id, output: result.output });
  }
  const now = scope.ports.clock.now();
  // Before it is cut for the model: half a secret would not be known for one.
  const clean = scope.ports.redact(result);
  await scope.emit({
    type: "tool_finished",
    call_id: call.id,
    tool: call.name,
    status: clean.status,
    output: outputOf(clean),
    ...(parent_call_id === undefined ? shownOf(scope, call, checked.tool ?? {}, clean) : {}),
    duration_ms: Math.max(0, now - (scope.state.calls.get(call.id)?.started_at ?? now)),
    ...besideOutput(clean),
    ...(checked.tool?.finds === undefined ? {} : { finds: checked.tool.finds }),
  });
  return result;
}

/** What is kept of a good result beside its output. */
function besideOutput(result: ToolResult): { direct?: true; details?: { [key: string]: Json } } {
  if (result.status === "error") return {};
  const { direct, details } = result;
  return { ...(direct ? { direct } : {}), ...(details === undefined ? {} : { details }) };
}

function resultOf({ status, output, direct }: NonNullable<CallState["finished"]>): ToolResult {
  if (status === "ok") return { status, output, ...(direct ? { direct } : {}) };
  const { error = "failed", code = "failed", ...details } = output as Record<string, Json>;
  return { status, code: String(code), message: String(error), details };
}

/**
 * A call that needs approval is announced when it has it, so `tool_started` still means that it may have run. What would not run
 * anyway is not asked about.
 */
async function askIfNeeded(
  scope: TurnScope,
  request: CallRequest,
  checked: CheckedCall,
): Promise<CheckedCall | "waiting"> {
  if (checked.status === "refused") return checked;
  const { tool, input } = checked;
  const found = await decisionFor(scope, request, tool, input);
  const isPointless = async () =>
    (await prevented(scope, tool, input)) !== undefined ||
    scope.guard.check(tool, input, scope.ports.clock.now(), isBySkill(scope, request)) !== undefined;
  if (found === undefined || (await isPointless())) return checked;
  const decision = await approveCall(scope, request, tool, input, found);
  if (decision === "waiting") return decision;
  if (decision.status === "refused") return { status: "refused", tool, input, result: decision.result };
  return { status: "ready", tool, input: decision.input };
}

async function announce(
  scope: TurnScope,
  { call, parent_call_id }: CallRequest,
  checked: CheckedCall,
): Promise<void> {
  const { tool } = checked;
  // Titles cut what they quote.
  const input = scope.ports.redact(checked.input);
  const title = typeof tool?.title === "function" ? tool.title(input) : tool?.title;
  await scope.emit({
    type: "tool_started",
    call_id: call.id,
    ...(parent_call_id === undefined ? {} : { parent_call_id }),
    tool: call.name,
    title: title ?? `Trying ${call.name}`,
    skill_id: tool?.skill_id ?? "",
    ...(checked.status === "ready" ? { effect: checked.tool.effect(checked.input) } : {}),
    input,
  });
}

/** Goes on with a call that had started before a wait or a crash; one that may have had an effect is not run again. */
async function attemptAgain(
  scope: TurnScope,
  request: CallRequest,
  checked: CheckedCall,
  before: CallState,
): Promise<ToolResult | "waiting"> {
  const { id } = request.call;
  if (checked.status === "refused") {
    // It was found and valid when it started, so what is wrong with it now says nothing about its effect.
    const mayHaveRun = !before.asking && (before.started?.effect ?? "read_only") !== "read_only";
    return mayHaveRun ? outcomeUnknown(scope, request.call) : checked.result;
  }
  if (!mayRunAgain(before, checked)) return outcomeUnknown(scope, request.call);
  // What it does from here on must not be repeated after the next crash.
  if (checked.tool.effect(checked.input) === "side_effect")
    await scope.emit({ type: "call_resumed", call_id: id });
  return attempt(scope, request, checked);
}

async function attempt(
  scope: TurnScope,
  request: CallRequest,
  checked: CheckedCall,
): Promise<ToolResult | "waiting"> {
  if (checked.status === "refused") return checked.result;
  const { tool, input } = checked;
  const refusal = await prevented(scope, tool, input);
  if (refusal !== undefined) return refusal;
  const { clock } = scope.ports;
  const repeated = scope.guard.check(tool, input, clock.now(), isBySkill(scope, request));
  if (repeated !== undefined) return repeated;
  const result = await runWithStages(scope, request, tool, input);
  if (result !== "waiting") scope.guard.record(tool, input, result, clock.now());
  return result;
}

/** Whether the code of a skill makes the call, and not a model or a person, `invoke_skill` in between or not. */
function isBySkill({ state }: TurnScope, { parent_call_id }: CallRequest): boolean {
  return parent_call_id !== undefined && Boolean(state.calls.get(parent_call_id)?.started?.skill_id);
}

/** A call whose last word was a question had no effect after it; what it did before is in the journal of its steps. */
function mayRunAgain(
  { asking }: CallState,
  { tool, input }: Extract<CheckedCall, { status: "ready" }>,
): boolean {
  return asking || tool.effect(input) !== "side_effect";
}

async function outcomeUnknown({ turn, ports }: TurnScope, { name, id }: ToolCall): Promise<ToolResult> {
  const changed = changesInWords(await ports.folders.of(turn.place).interrupted(id));
  const files = changed === "" ? "" : ` By then it had ${changed}.`;
  return {
    status: "error",
    code: "outcome_unknown",
    message: `${name} had started when the bot was interrupted. Whether it took effect is not known, and it was not run again.${files}`,
    hint: "Check whether it took effect before you call it again, or tell the person.",
  };
}

/** `running` before the work, then its steps, then `completed`, or `failed`; the agent's own tools have no stages. */
async function runWithStages(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<ToolResult | "waiting"> {
  const stage = async (status: "running" | "completed" | "failed") => {
    if (tool.skill_id === "") return;
    const name = `skill_${tool.skill_id}`;
    await scope.emit({ type: "stage", call_id: request.call.id, skill_id: tool.skill_id, name, status });
  };
  await stage("running");
  const result = await runLimited(scope, request, tool, input);
  if (result !== "waiting") await stage(result.status === "ok" ? "completed" : "failed");
  return result;
}

/** The reason of an abort because a tool used up its time. */
class ToolTimeout extends Error {
  readonly code = "timed_out";
}

/** Runs a tool within its time, stops with the turn, and turns every failure into a result. */
async function runLimited(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<ToolResult | "waiting"> {
  const { ports, turn } = scope;
  const limit = {
    ms: tool.max_execution_ms,
    timer: ports.clock,
    signal: turn.signal,
    late: () => new ToolTimeout(),
  };
  try {
    const result = await withTimeLimit(limit, (signal) =>
      tool.run(input, createToolContext(scope, request, tool, signal)),
    );
    return limitOutput(tool, result);
  } catch (error) {
    if (error instanceof WaitingForPerson) return "waiting";
    if (error instanceof ToolTimeout) return timedOut(tool);
    return turn.signal.aborted ? stoppedWithTurn(tool) : failureOf(scope, tool, error);
  }
}

function stoppedWithTurn(tool: Tool): ToolResult {
  const message = `${tool.name} was stopped with the turn. What it had done by then stays done.`;
  return { status: "error", code: "stopped", message };
}

function timedOut(tool: Tool): ToolResult {
  const seconds = Math.round(tool.max_execution_ms / 1000);
  const message = `${tool.name} was stopped: it took longer than ${seconds} s.`;
  return { status: "error", code: "timed_out", message, hint: "Ask for less at once, or go on without it." };
}

function limitOutput(tool: Tool, result: ToolResult): ToolResult {
  if (result.status === "error") return result;
  const size =
    typeof result.output === "string" ? result.output.length : JSON.stringify(result.output)?.length;
  if (size === undefined) return { ...result, output: null };
  if (size <= tool.max_output_bytes) return result;
  const message = `${tool.name} answered ${size} bytes; at most ${tool.max_output_bytes} are kept.`;
  return { status: "error", code: "output_too_large", message, hint: "Ask for a part of it." };
}

function failureOf(scope: TurnScope, tool: Tool, error: unknown): ToolResult {
  const expected = error instanceof ExpectedFailure;
  if (!expected) scope.ports.report(error, `tool ${tool.name}`);
  const hint = expected ? error.hint : undefined;
  return {
    status: "error",
    code: errorCode(error) ?? "failed",
    message: `${tool.name} failed: ${errorText(error)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** What the model is told, where that is not the output itself: its beginning and end, and the guides it activated. */
function shownOf(
  scope: TurnScope,
  { id }: ToolCall,
  { shown: how }: Pick<Tool, "shown">,
  result: ToolResult,
): { shown?: string } {
  const { turn, ports } = scope;
  const whole = outputText(outputOf(result));
  const tokens = how !== undefined ? Number.POSITIVE_INFINITY : turn.limits.tool_output_tokens;
  const cutTo = (text: string) => cutForModel(text, tokens, id, ports.countTokens);
  const readable = result.status === "ok" ? result.readable : undefined;
  // What is paged and searched is the output: its words are shown where they fit whole.
  const cut = readable !== undefined && cutTo(readable) === readable ? readable : cutTo(whole);
  const guides = how === "guide" ? "" : guidesWith(scope, id);
  const shown = guides === "" ? cut : `${cut}\n\n${guides}`;
  return shown === whole ? {} : { shown };
}
