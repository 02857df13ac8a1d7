import { canonicalJson, type Json } from "./json.ts";
import type { ApprovalRequest, Approver, Tool, ToolEffect, ToolResult } from "./tool.ts";
import type { TurnEventOf } from "./turn-event.ts";
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
  const known = scope.state.approvals.get(call.id);
  if (known === undefined && wasRefused(scope, tool, input)) return refusedBefore(tool);
  const asked = { call_id: call.id, tool: tool.name, skill_id: tool.skill_id, input, approver };
  const decided = await askOrFind(scope, known, asked);
  if (known === undefined || decided === "waiting") return "waiting";
  return decisionOf(known, tool, decided);
}

type Asked = Omit<
  TurnEventOf<"approval_requested">,
  "type" | "approval_id" | "expires_at" | "turn_id" | "seq" | "at"
>;

/** Asks when nobody was asked yet; else looks for the decision and records it, that nobody made one in time included. */
async function askOrFind(
  scope: TurnScope,
  known: ApprovalState | undefined,
  asked: Asked,
): Promise<Decided | "waiting"> {
  const { state, turn, ports } = scope;
  if (known === undefined) {
    const approval_id = `${turn.turn_id}:${state.approvals.size + 1}`;
    const expires_at = Math.min(turn.deadline, ports.clock.now() + turn.limits.question_ms);
    await scope.emit({ type: "approval_requested", approval_id, ...asked, expires_at });
    return "waiting";
  }
  if (known.decided !== undefined) return known.decided;
  const found = await findDecision(scope, known);
  if (found === undefined && ports.clock.now() < known.expires_at) return "waiting";
  const { approved, by, name }: Decided = found ?? { approved: false, by: "" };
  const { approval_id } = known;
  await scope.emit({ type: "approval_decided", approval_id, approved, by, name });
  return { approved, by, name };
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
  const asked = { tool: action, input, ...(question === undefined ? {} : { question }), approver };
  const where = { call_id: askedBy.callId, skill_id: askedBy.skillId };
  const decided = await askOrFind(scope, scope.state.approvals.get(askedBy.callId), { ...where, ...asked });
  if (decided === "waiting") throw new WaitingForPerson();
  return decided;
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
