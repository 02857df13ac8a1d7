import { canonicalJson, type Json } from "./json.ts";
import type { ApprovalRequest, Approver, Tool, ToolEffect, ToolResult } from "./tool.ts";
import type { CallRequest, TurnScope } from "./turn-scope.ts";
import type { ApprovalState } from "./turn-state.ts";
import { WaitingForPerson } from "./waiting.ts";

/** What a risk asks for: changing something with a skill of high risk is for operators to allow; everything else runs. */
export function approverOfRisk(
  risk: "low" | "medium" | "high" | undefined,
  effect: ToolEffect,
): Approver | undefined {
  return risk === "high" && effect !== "read_only" ? "operator" : undefined;
}

/** Who has to approve this call before it runs; undefined when nobody has to. The one place that says so. */
export function approverOf(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Approver | undefined {
  const risk = tool.skill_id === "" ? undefined : scope.offer.all.get(tool.skill_id)?.skill.risk;
  const approver = approverOfRisk(risk, tool.effect(input)) ?? tool.approval?.(input);
  return approver !== undefined && isOrdered(scope, request, approver) ? undefined : approver;
}

/** Who may decide and wrote the call themselves (`/skill run`) has seen what will run. */
function isOrdered({ turn }: TurnScope, request: CallRequest, approver: Approver): boolean {
  if (!request.by_person) return false;
  const { trust } = turn.author;
  return trust === "operator" || (trust === "manager" && approver === "manager");
}

/** What came of asking. `input` is what was shown to who approved, and so what runs. */
export type Decision = { status: "approved"; input: Json } | { status: "refused"; result: ToolResult };

/**
 * Asks for approval of a call that has not started, or looks for the decision. `waiting`: there is none yet; the turn waits and
 * the call is taken up again on resume.
 */
export async function decideCall(
  scope: TurnScope,
  { call }: CallRequest,
  tool: Tool,
  input: Json,
  approver: Approver,
): Promise<Decision | "waiting"> {
  const { state, ports } = scope;
  const known = state.approvals.get(call.id);
  if (known === undefined) {
    if (wasRefused(scope, tool, input)) return refusedBefore(tool);
    await request(scope, call.id, tool, input, approver);
    return "waiting";
  }
  if (known.decided !== undefined) return decisionOf(known, tool, known.decided);
  const decided = await findDecision(scope, known);
  if (decided !== undefined) {
    const { approval_id } = known;
    const { approved, by, name } = decided;
    await scope.emit({ type: "approval_decided", approval_id, approved, by, name });
    return decisionOf(known, tool, decided);
  }
  if (ports.clock.now() < known.expires_at) return "waiting";
  const nobody = { approved: false, by: "" };
  await scope.emit({ type: "approval_decided", approval_id: known.approval_id, ...nobody });
  return decisionOf(known, tool, nobody);
}

async function request(
  { state, turn, ports, emit }: TurnScope,
  callId: string,
  tool: Tool,
  input: Json,
  approver: Approver,
): Promise<void> {
  await emit({
    type: "approval_requested",
    approval_id: `${turn.turn_id}:${state.approvals.size + 1}`,
    call_id: callId,
    tool: tool.name,
    skill_id: tool.skill_id,
    input,
    approver,
    expires_at: Math.min(turn.deadline, ports.clock.now() + turn.limits.question_ms),
  });
}

/**
 * Asks for an approval in the middle of a call, or looks for the decision: `CALL/approval:1` and so on. Who may decide and wrote the
 * call themselves is asked too: what comes up while it runs they have not seen.
 * @throws WaitingForPerson while nobody has decided
 */
export async function approveWithin(
  scope: TurnScope,
  askedBy: { callId: string; skillId: string },
  { action, question, input, approver = "manager" }: ApprovalRequest,
): Promise<Decided> {
  const { state, ports, turn } = scope;
  const known = state.approvals.get(askedBy.callId);
  if (known?.decided !== undefined) return known.decided;
  if (known === undefined) {
    await scope.emit({
      type: "approval_requested",
      approval_id: `${turn.turn_id}:${state.approvals.size + 1}`,
      call_id: askedBy.callId,
      tool: action,
      skill_id: askedBy.skillId,
      input,
      ...(question === undefined ? {} : { question }),
      approver,
      expires_at: Math.min(turn.deadline, ports.clock.now() + turn.limits.question_ms),
    });
    throw new WaitingForPerson();
  }
  const decided = await findDecision(scope, known);
  if (decided === undefined && ports.clock.now() < known.expires_at) throw new WaitingForPerson();
  const { approved, by, name }: Decided = decided ?? { approved: false, by: "" };
  await scope.emit({ type: "approval_decided", approval_id: known.approval_id, approved, by, name });
  return { approved, by, name };
}

interface Decided {
  approved: boolean;
  /** Empty when nobody decided in time. */
  by: string;
  name?: string | undefined;
}

/** The first decision counts. Only people who may decide get a signal stored. */
async function findDecision(scope: TurnScope, { approval_id }: ApprovalState): Promise<Decided | undefined> {
  for (const signal of await scope.ports.signals()) {
    if (signal.type === "approval" && signal.approval_id === approval_id) return signal;
  }
  return undefined;
}

function decisionOf({ input }: ApprovalState, tool: Tool, { approved, by, name }: Decided): Decision {
  if (approved) return { status: "approved", input };
  return by === "" ? expired(tool) : refusedBy(tool, name ?? by);
}

/** Whether the very same call was refused in this turn: people are not asked twice. */
function wasRefused({ state }: TurnScope, tool: Tool, input: Json): boolean {
  return [...state.approvals.values()].some(
    (each) =>
      each.decided?.approved === false &&
      each.decided.by !== "" &&
      each.tool === tool.name &&
      canonicalJson(each.input) === canonicalJson(input),
  );
}

const doNotInsist = "Do not try it again unless the person asks for it. Say what was not done.";

function refusedBy(tool: Tool, who: string): Decision {
  return refusal("refused", `${who} refused ${tool.name}, so it did not run.`, doNotInsist);
}

function refusedBefore(tool: Tool): Decision {
  const message = `${tool.name} with these arguments was refused earlier in this turn, so it did not run.`;
  return refusal("refused", message, doNotInsist);
}

function expired(tool: Tool): Decision {
  const message = `Nobody approved ${tool.name} in time, so it did not run.`;
  return refusal("approval_expired", message, "Tell the person that they can ask for it to be run again.");
}

function refusal(code: string, message: string, hint: string): Decision {
  return { status: "refused", result: { status: "error", code, message, hint } };
}
