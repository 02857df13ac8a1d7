import { errorCode, errorText } from "../../base/error-text.ts";
import { oneLine } from "../../base/markdown-text.ts";
import { withTimeLimit } from "../../base/time-limit.ts";
import { approveCall, approvedInput, changedTexts, sayOf } from "../decisions/approval.ts";
import { accountFor } from "../decisions/borrowed-account.ts";
import { decisionFor } from "../decisions/decide-call.ts";
import { prevented } from "../decisions/prevented-call.ts";
import { changesInWords } from "../effects/folder-run.ts";
import type { TurnEventBodyOf } from "../log/turn-event.ts";
import type { CallState } from "../log/turn-state.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { failure, outputOf, type Tool, type ToolResult } from "../skill/tool.ts";
import { ExpectedFailure, WaitingForPerson, WorkEnded } from "../values/failure.ts";
import type { Allowed } from "../values/inbound.ts";
import { type Json, outputText } from "../values/json.ts";
import type { ToolCall } from "../values/message.ts";
import { exactText } from "../values/shown.ts";
import { type CheckedCall, checkArguments, findAndCheck, toldWhenRepeated } from "./check-call.ts";
import { shownOf } from "./shown-result.ts";
import { createToolContext, firstStep } from "./tool-context.ts";
import { findTool, refreshOffer } from "./toolset.ts";

/**
 * Runs one call to its result. A failure of the tool is a result that the model reads, never an exception. Returns `waiting` when the
 * tool waits for a person: the call then has no result yet and continues when the turn resumes.
 */
export async function runToolCall(scope: TurnScope, request: CallRequest): Promise<ToolResult | "waiting"> {
  return await new RunningCall(scope, request).run();
}

type ReadyCall = Extract<CheckedCall, { status: "ready" }>;

/** One call of a running turn. */
class RunningCall {
  readonly #scope: TurnScope;
  readonly #request: CallRequest & { reached: Set<string> };
  #allowed: Allowed | undefined;

  constructor(scope: TurnScope, request: CallRequest) {
    this.#scope = scope;
    this.#request = { ...request, reached: new Set() };
  }

  async run(): Promise<ToolResult | "waiting"> {
    const scope = this.#scope;
    const { call } = this.#request;
    const known = scope.state.calls.get(call.id);
    if (known?.finished !== undefined) return resultOf(known.finished);

    // turn-3: the skill may have been blocked, or a permission revoked, after the model was asked.
    await refreshOffer(scope);
    const started = known?.started === undefined ? undefined : known;
    const valid = await findAndCheck(scope, this.#request);
    const isPrivate = scope.state.private;
    const asked = started === undefined ? await this.#askIfNeeded(valid) : this.#asApproved(valid);
    const checked = asked === "waiting" ? asked : await this.#withAccount(asked);
    if (checked === "waiting") return checked;
    // Another call has made the turn private meanwhile, so this one has to be decided as what it is now.
    if (started === undefined && scope.state.private !== isPrivate) return await this.run();
    if (started === undefined) await this.#announce(checked);
    const outcome =
      started === undefined ? await this.#attempt(checked) : await this.#attemptAgain(checked, started);
    if (outcome === "waiting") {
      if (!scope.state.calls.get(call.id)?.asking)
        await scope.emit({ type: "call_waiting", call_id: call.id });
      return outcome;
    }
    return await this.#finish(checked, outcome);
  }

  /**
   * Asks a person for approval if the call needs it. This happens before `tool_started`, so that `tool_started` means that the call may
   * have run. A call that would be refused anyway asks nobody.
   */
  async #askIfNeeded(checked: CheckedCall): Promise<CheckedCall | "waiting"> {
    if (checked.status === "refused") return checked;
    const { tool, input } = checked;
    const found = await decisionFor(this.#scope, this.#request, tool, input);
    const isPointless = async () =>
      (await prevented(this.#scope, tool, input)) !== undefined || this.#repeated(checked) !== undefined;
    if (found === undefined || (await isPointless())) return checked;
    const decision = await approveCall(this.#scope, this.#request, tool, input, found);
    if (decision === "waiting") return decision;
    // `run` sees it, too.
    if (decision === "changed") return checked;
    if (decision.status === "refused") return { status: "refused", tool, input, result: decision.result };
    this.#allowed = decision.allowed;
    if (decision.input === input) return { status: "ready", tool, input };
    const edited = await checkArguments(tool, decision.input);
    if (edited.ok) return { status: "ready", tool, input: edited.value };
    const result = failure(
      "invalid_arguments",
      `The text that a person changed is invalid: ${edited.message}`,
    );
    return { status: "refused", tool, input: decision.input, result };
  }

  /** Notes whose account the call uses. The owner of an account that is not the asker's is asked first. */
  async #withAccount(checked: CheckedCall): Promise<CheckedCall | "waiting"> {
    if (checked.status === "refused") return checked;
    const { tool, input } = checked;
    const account = await accountFor(this.#scope, this.#request, tool, input);
    if (account === "waiting") return account;
    if ("refused" in account) return { status: "refused", tool, input, result: account.refused };
    this.#request.owner = account.owner;
    return checked;
  }

  /** A started call runs again with the text that a person has changed. */
  #asApproved(checked: CheckedCall): CheckedCall {
    const input = approvedInput(this.#scope, this.#request.call.id, checked.input);
    return checked.status === "ready" ? { ...checked, input } : checked;
  }

  async #announce(checked: CheckedCall): Promise<void> {
    const { call, parent_call_id } = this.#request;
    const { tool } = checked;
    // Titles shorten what they quote: a secret has to be removed before half of it is cut off.
    const input = this.#scope.ports.redact(checked.input);
    const title = typeof tool?.title === "function" ? tool.title(input) : tool?.title;
    await this.#scope.emit({
      type: "tool_started",
      call_id: call.id,
      parent_call_id,
      tool: call.name,
      title: title ?? `Trying ${call.name}`,
      skill_id: tool?.skill_id ?? "",
      ...(checked.status === "ready" ? this.#effectOf(checked.tool, checked.input, input) : {}),
      shadow: this.#request.shadow?.length ? this.#request.shadow : undefined,
      input,
    });
  }

  /** The effect of the call, and of a call that has one what the audit tells. @param clean the input without secrets */
  #effectOf(tool: Tool, input: Json, clean: Json): Partial<TurnEventBodyOf<"tool_started">> {
    const effect = tool.effect(input);
    const { server } = tool;
    if (server?.host !== undefined) this.#request.reached.add(server.host);
    if (effect === "read_only") return { effect };
    const byRule = this.#request.by_person ? "ordered" : server === undefined ? "unasked" : "trusted";
    const allowed = this.#allowed ?? { rule: byRule };
    const deed = oneLine(exactText(sayOf(tool, clean).deed), maxDeed);
    const { author } = this.#scope.turn;
    const whose = { shared: "shared", per_user: (this.#request.owner ?? author).name, none: undefined }[
      server?.credentials ?? "none"
    ];
    const account = whose === undefined ? undefined : `${server?.server}: ${whose}`;
    return { effect, deed, allowed, account };
  }

  async #attempt(checked: CheckedCall): Promise<ToolResult | "waiting"> {
    if (checked.status === "refused") return checked.result;
    const { tool, input } = checked;
    const { guard, ports } = this.#scope;
    const answered = (await prevented(this.#scope, tool, input)) ?? this.#repeated(checked);
    if (answered !== undefined) return answered;
    const result = await this.#runWithStages(checked);
    if (result !== "waiting") guard.record(tool, input, result, ports.clock.now());
    return result;
  }

  /** Continues a call that had started before a wait or a crash. A call that may have had an effect is not run again. */
  async #attemptAgain(checked: CheckedCall, before: CallState): Promise<ToolResult | "waiting"> {
    const { call } = this.#request;
    if (checked.status === "refused") {
      // The call was valid when it started, so the refusal now says nothing about its effect then.
      const mayHaveRun = !before.asking && (before.started?.effect ?? "read_only") !== "read_only";
      return mayHaveRun ? outcomeUnknown(this.#scope, call) : checked.result;
    }
    if (!mayRunAgain(before, checked)) return outcomeUnknown(this.#scope, call);
    // From here on it may have an effect, which must not be repeated after another crash.
    if (checked.tool.effect(checked.input) === "side_effect")
      await this.#scope.emit({ type: "call_resumed", call_id: call.id });
    return this.#attempt(checked);
  }

  /** The result of an earlier call that answers this one; undefined when the tool has to run. */
  #repeated({ tool, input }: ReadyCall): ToolResult | undefined {
    const { guard, ports } = this.#scope;
    return guard.check(tool, input, ports.clock.now(), this.#isBySkill());
  }

  /** Whether the code of a skill makes the call, directly or through `invoke_skill`, and not a model or a person. */
  #isBySkill(): boolean {
    const { parent_call_id } = this.#request;
    return (
      parent_call_id !== undefined && Boolean(this.#scope.state.calls.get(parent_call_id)?.started?.skill_id)
    );
  }

  /** Emits the stage `running`, runs the tool and emits `completed` or `failed`. The agent's own tools have no stages. */
  async #runWithStages(ready: ReadyCall): Promise<ToolResult | "waiting"> {
    const { skill_id } = ready.tool;
    const stage = async (status: "running" | "completed" | "failed") => {
      if (skill_id === "") return;
      const call_id = this.#request.call.id;
      await this.#scope.emit({ type: "stage", call_id, skill_id, name: `skill_${skill_id}`, status });
    };
    await stage("running");
    const result = await this.#runLimited(ready);
    if (result !== "waiting") await stage(result.status === "ok" ? "completed" : "failed");
    return result;
  }

  /** Runs the tool within its time limit, stops it with the turn, and turns every failure into a result. */
  async #runLimited({ tool, input }: ReadyCall): Promise<ToolResult | "waiting"> {
    const { ports, turn } = this.#scope;
    const limit = {
      ms: tool.max_execution_ms,
      timer: ports.clock,
      signal: turn.signal,
      late: () => new ToolTimeout(),
    };
    try {
      const result = await withTimeLimit(limit, (signal) =>
        tool.run(input, createToolContext(this.#scope, this.#request, tool, signal)),
      );
      return limitOutput(tool, result);
    } catch (error) {
      if (error instanceof WaitingForPerson) return "waiting";
      if (error instanceof ToolTimeout) return timedOut(tool);
      return turn.signal.aborted ? stoppedWithTurn(tool) : failureOf(this.#scope, tool, error);
    }
  }

  /** Records the result of the call, and returns the result that its caller gets. */
  async #finish(checked: CheckedCall, outcome: ToolResult): Promise<ToolResult> {
    const scope = this.#scope;
    const { call, depth, reached } = this.#request;
    const isModels = depth === 0;
    const result = isModels ? toldWhenRepeated(scope, call.name, checked.input, outcome) : outcome;
    if (result.status === "ok" && checked.status === "ready" && checked.tool.skill_id !== "") {
      await scope.emit({ type: "skill_output", skill_id: checked.tool.skill_id, output: result.output });
    }
    const now = scope.ports.clock.now();
    // Before the text is cut for the model: half a secret would not be recognised.
    const clean = scope.ports.redact(result);
    const shown = isModels ? await shownOf(scope, call, checked.tool ?? {}, clean) : {};
    const changed = isModels ? changedTexts(scope, call.id) : undefined;
    if (changed !== undefined) shown.shown = `${shown.shown ?? outputText(outputOf(clean))}\n${changed}`;
    await scope.emit({
      type: "tool_finished",
      call_id: call.id,
      tool: call.name,
      status: clean.status,
      output: outputOf(clean),
      ...shown,
      duration_ms: Math.max(0, now - (scope.state.calls.get(call.id)?.started_at ?? now)),
      direct: clean.status === "ok" && clean.direct ? true : undefined,
      details: clean.status === "ok" ? clean.details : undefined,
      hosts: reached.size === 0 ? undefined : [...reached].slice(0, maxHosts),
      finds: checked.tool?.finds,
    });
    return result;
  }
}

/** Maximum characters of a call in words, and hosts of a call, that are recorded. */
const maxDeed = 300;
const maxHosts = 20;

function resultOf({ status, output, direct }: NonNullable<CallState["finished"]>): ToolResult {
  if (status === "ok") return { status, output, direct };
  const { error = "failed", code = "failed", ...details } = output as Record<string, Json>;
  return { status, code: String(code), message: String(error), details };
}

/**
 * A call that was waiting for a person had no effect after the question; the journal of its steps has its earlier effects. One that goes on
 * outside the bot is only followed (turn-2).
 */
function mayRunAgain(before: CallState, { tool, input }: ReadyCall): boolean {
  return before.asking || tool.effect(input) !== "side_effect" || goesOnOutside(before, tool);
}

function goesOnOutside({ steps }: CallState, { continues }: Tool): boolean {
  return continues !== undefined && steps.has(firstStep(continues));
}

/** Lets a started call whose turn has been stopped end what goes on outside the bot. Its result is ignored. */
export async function endOutside(scope: TurnScope, callId: string, call: CallState): Promise<void> {
  const { started } = call;
  const tool = started && findTool(scope, started.tool);
  const isOver = scope.turn.signal.reason instanceof WorkEnded;
  if (!isOver || started === undefined || tool === undefined || !goesOnOutside(call, tool)) return;
  const { parent_call_id, input } = started;
  const named = { id: callId, name: started.tool, arguments: "" };
  const request: CallRequest = { call: named, parent_call_id, depth: 0 };
  const account = await accountFor(scope, request, tool, input);
  if (account === "waiting" || "refused" in account) return;
  request.owner = account.owner;
  const context = createToolContext(scope, request, tool, scope.turn.signal);
  await tool.run(input, context).catch(() => undefined);
}

async function outcomeUnknown({ turn, ports }: TurnScope, { name, id }: ToolCall): Promise<ToolResult> {
  const changed = changesInWords(await ports.folders.of(turn.place).interrupted(id));
  const files = changed === "" ? "" : ` By then it had ${changed}.`;
  return failure(
    "outcome_unknown",
    `${name} had started when the bot was interrupted. Whether it took effect is not known, and it was not run again.${files}`,
    "Check whether it took effect before you call it again, or tell the person.",
  );
}

/** Abort reason of a tool that reached its time limit. */
class ToolTimeout extends WorkEnded {
  constructor() {
    super("timed_out");
  }
}

function stoppedWithTurn(tool: Tool): ToolResult {
  return failure("stopped", `${tool.name} was stopped with the turn. What it had done by then stays done.`);
}

function timedOut(tool: Tool): ToolResult {
  const seconds = Math.round(tool.max_execution_ms / 1000);
  const message = `${tool.name} was stopped: it took longer than ${seconds} s.`;
  return failure("timed_out", message, "Ask for less at once, or go on without it.");
}

/** Refuses an output that is larger than the tool's limit, in bytes of UTF-8. */
function limitOutput(tool: Tool, result: ToolResult): ToolResult {
  if (result.status === "error") return result;
  const text = typeof result.output === "string" ? result.output : JSON.stringify(result.output);
  if (text === undefined) return { ...result, output: null };
  const size = new TextEncoder().encode(text).byteLength;
  if (size <= tool.max_output_bytes) return result;
  const message = `${tool.name} answered ${size} bytes; at most ${tool.max_output_bytes} are kept.`;
  return failure("output_too_large", message, "Ask for a part of it.");
}

function failureOf(scope: TurnScope, tool: Tool, error: unknown): ToolResult {
  const expected = error instanceof ExpectedFailure;
  if (!expected) scope.ports.report(error, `tool ${tool.name}`);
  const hint = expected ? error.hint : undefined;
  return failure(errorCode(error) ?? "failed", `${tool.name} failed: ${errorText(error)}`, hint);
}
