import { type Asked, approverWithin } from "./decide-call.ts";
import { canonicalJson, type Json } from "./json.ts";
import type { ApprovalRequest, Tool, ToolResult } from "./tool.ts";
import type { TurnEventOf } from "./turn-event.ts";
import type { CallRequest, TurnScope } from "./turn-scope.ts";
import type { ApprovalState } from "./turn-state.ts";
import { WaitingForPerson } from "./waiting.ts";

/** What came of asking. `input` is what was shown to who approved, and so what runs. */
export type Decision = { status: "approved"; input: Json } | { status: "refused"; result: ToolResult };

/**
 * Asks for approval of a call that has not started, or looks for the decision. `waiting`: there is none yet; the turn waits and
 * the call is taken up again on resume.
 */
export async function approveCall(
  scope: TurnScope,
  { call }: CallRequest,
  tool: Tool,
  input: Json,
  asked: Asked,
): Promise<Decision | "waiting"> {
  const known = scope.state.approvals.get(call.id);
  if (known === undefined && wasRefused(scope, tool, input)) return refusedBefore(tool);
  const question = { call_id: call.id, tool: tool.name, skill_id: tool.skill_id, input, ...asked };
  const decided = await askOrFind(scope, known, question);
  if (known === undefined || decided === "waiting") return "waiting";
  return decisionOf(known, tool, decided);
}

type Question = Omit<
  TurnEventOf<"approval_requested">,
  "type" | "approval_id" | "expires_at" | "turn_id" | "seq" | "at"
>;

/** Asks when nobody was asked yet; else looks for the decision and records it, that nobody made one in time included. */
async function askOrFind(
  scope: TurnScope,
  known: ApprovalState | undefined,
  asked: Question,
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
  const { approved, by, name, always, for_turn }: Decided = found ?? { approved: false, by: "" };
  const { approval_id } = known;
  await scope.emit({ type: "approval_decided", approval_id, approved, by, name, always, for_turn });
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
  { action, question, input, approver = "manager", reason, addresses }: ApprovalRequest,
): Promise<Decided> {
  const { callId: call_id, skillId: skill_id } = askedBy;
  const decided = await askOrFind(scope, scope.state.approvals.get(call_id), {
    ...{ call_id, skill_id, tool: action, input, question, reason, addresses },
    approver: approverWithin(scope, skill_id, approver),
  });
  if (decided === "waiting") throw new WaitingForPerson();
  return decided;
}

interface Decided {
  approved: boolean;
  /** Empty when nobody decided in time. */
  by: string;
  name?: string | undefined;
  /** Such calls are not asked about here any more. */
  always?: true | undefined;
  /** The hosts it asked for may be reached in the whole turn. */
  for_turn?: true | undefined;
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
