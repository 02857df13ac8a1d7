import { sha256 } from "../../base/sha256.ts";
import { approvalIdOf, askingId, readAskingId } from "../log/call-id.ts";
import type { AskedFile, TurnEventBodyOf } from "../log/turn-event.ts";
import type { ApprovalState } from "../log/turn-state.ts";
import type { Web, WebRequest } from "../ports/web.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { type ApprovalRequest, type Decided, failure, type Tool, type ToolResult } from "../skill/tool.ts";
import { isSameSite, readAddress } from "../values/address.ts";
import { type CallInWords, callInWords, editedInput } from "../values/call-arguments.ts";
import { WaitingForPerson } from "../values/failure.ts";
import type { Allowed } from "../values/inbound.ts";
import { canonicalJson, type Json } from "../values/json.ts";
import { named } from "../values/label.ts";
import { namedFiles, type Purpose } from "./asked-files.ts";
import { approverWithin, type CallDecision } from "./decide-call.ts";
import { judgeAndNote, reasonFor } from "./known-addresses.ts";
import { doNotInsist, notApproved } from "./not-approved.ts";
import type { StandingDecision } from "./standing-decisions.ts";

/** The result of asking. `input` is the input that the approver saw, and therefore the one that runs. */
export type Decision =
  | { status: "approved"; input: Json; allowed: Allowed }
  | { status: "refused"; result: ToolResult };

/**
 * Asks for approval of a call that has not started, or looks up the decision, which may be a standing one. `waiting`: there is no decision
 * yet; the turn waits, and the call continues when it resumes. `changed`: the turn became private before people were asked, so the call has
 * to be decided anew.
 */
export async function approveCall(
  scope: TurnScope,
  { call }: CallRequest,
  tool: Tool,
  input: Json,
  found: CallDecision,
): Promise<Decision | "waiting" | "changed"> {
  const files: AskedNow["files"] = (given, purpose) => namedFiles(scope, given, purpose);
  const definition = found.kind === "ask" ? found.asked.binds?.definition : undefined;
  const known = await requestFor(scope, call.id, { files, definition });
  if (known !== undefined) {
    const standing = found.kind === "decided" ? standingDecision(found.standing) : undefined;
    const decided = await takeDecision(scope, known, standing);
    if (decided === "waiting") return decided;
    return decisionOf(editedInput(known.input, known.says, decided.edited), tool, decided);
  }
  if (found.kind === "decided") return decisionOf(input, tool, standingDecision(found.standing));
  if (wasRefused(scope, tool, input)) return refusedBefore(tool);
  const { name, skill_id } = tool;
  const clean = scope.ports.redact(input);
  const title = typeof tool.title === "function" ? tool.title(clean) : tool.title;
  const says = { ...sayOf(tool, input), edits: true as const };
  const isPrivate = scope.state.private;
  const kept = await files(input, "keep");
  if (scope.state.private !== isPrivate) return "changed";
  await ask(scope, {
    call_id: call.id,
    tool: name,
    skill_id,
    input,
    says,
    title,
    files: kept,
    ...found.asked,
  });
  return "waiting";
}

/** What a question is about now. */
interface AskedNow {
  /** Absent for a call, which runs with the input that was asked about. */
  input?: Json;
  /** `Binding.definition`. */
  definition?: string | undefined;
  files(input: Json, purpose: Purpose): Promise<AskedFile[]>;
}

/**
 * The request for this call, unless people approved another input, other files or another form of the tool: then that request is closed, and
 * its decision counts no more.
 */
async function requestFor(
  scope: TurnScope,
  callId: string,
  now: AskedNow,
): Promise<ApprovalState | undefined> {
  const { state, ports, emit } = scope;
  const known = state.approvalOf(callId);
  if (known === undefined) return undefined;
  const decided = known.decided ?? (await findDecision(scope, known));
  if (decided?.approved !== true) return known;
  const printOf = (input: Json, files: readonly AskedFile[] = []) =>
    canonicalJson(ports.redact([input, files.map(({ name, sha256 }) => [name, sha256])]));
  const { approval_id } = known;
  const definition = known.binds?.definition;
  const isSameTool = definition === undefined || definition === (now.definition ?? definition);
  if (
    isSameTool &&
    printOf(known.input, known.files) ===
      printOf(now.input ?? known.input, await now.files(known.input, "compare"))
  )
    return known;
  if (known.decided === undefined)
    await emit({ type: "approval_decided", approval_id, approved: false, by: "", replaced: true });
  return undefined;
}

type Question = Omit<TurnEventBodyOf<"approval_requested">, "type" | "approval_id" | "expires_at">;

/** The call in words: the tool's own, or made of its names and arguments. */
export function sayOf({ says, name, skill_id, server, open }: Tool, input: Json): CallInWords {
  if (says !== undefined) return says(input);
  if (server !== undefined) return callInWords(server.tool, ` of the server “${server.server}”`, input);
  return wordsFor(name, skill_id, input, open);
}

function wordsFor(name: string, skillId: string, input: Json, open?: readonly string[]): CallInWords {
  return callInWords(name, skillId === "" ? "" : ` of the skill “${skillId}”`, input, open);
}

/** The input that a started call runs with: the one it was given, or that of its approval. */
export function approvedInput({ state }: TurnScope, callId: string, input: Json): Json {
  const known = state.approvalOf(callId);
  return editedInput(input, known?.says, known?.decided?.edited);
}

/** What the model has to be told about texts that people changed when they approved a call; undefined if there are none. */
export function changedTexts({ state }: TurnScope, callId: string): string | undefined {
  const lines = [...state.approvals.values()].flatMap(({ call_id, decided, says }) => {
    if (decided?.edited === undefined || readAskingId(call_id).callId !== callId) return [];
    const text = JSON.stringify(decided.edited);
    return [
      `[${named(decided.name ?? decided.by, decided.by)} changed ${says?.quotes ?? "the text"} before it ran: ${text}]`,
    ];
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

async function ask({ state, turn, ports, emit }: TurnScope, { files, ...asked }: Question): Promise<void> {
  const approval_id = approvalIdOf(turn.turn_id, state.approvals.size + 1);
  const expires_at = ports.clock.now() + turn.limits.approval_ms;
  const shown = files?.length ? files : undefined;
  await emit({ type: "approval_requested", approval_id, ...asked, files: shown, expires_at });
}

/**
 * Looks up the decision on an approval and records it, or records that nobody decided in time. `standing` applies if nobody decided on this
 * call itself.
 */
async function takeDecision(
  scope: TurnScope,
  known: ApprovalState,
  standing?: Decided,
): Promise<Decided | "waiting"> {
  if (known.decided !== undefined) return known.decided;
  const found = (await findDecision(scope, known)) ?? standing;
  if (found === undefined && scope.ports.clock.now() < known.expires_at) return "waiting";
  const decided: Decided = found ?? { approved: false, by: "" };
  const { approved, by, name, edited, always, never, for_turn } = decided;
  const { approval_id } = known;
  await scope.emit({
    type: "approval_decided",
    ...{ approval_id, approved, by, name, edited, always, never, for_turn },
  });
  return { approved, by, name, edited, always, never };
}

/**
 * Asks for approval in the middle of a call, or looks up the decision on this input and these files. `key` identifies it within
 * the call. A person who wrote the call themselves is asked too, because they have not seen requests that arise while it runs.
 * @throws WaitingForPerson while nobody has decided
 */
export async function approveWithin(
  scope: TurnScope,
  { callId, key, skillId: skill_id }: { callId: string; key: string | number; skillId: string },
  { action, label, question, says, input, approver = "manager", person, reason, addresses }: ApprovalRequest,
  files: AskedNow["files"] = async () => [],
): Promise<Decided> {
  const call_id = askingId(callId, key);
  const known = await requestFor(scope, call_id, { input, files });
  if (known === undefined)
    await ask(scope, {
      call_id,
      skill_id,
      tool: action,
      label,
      input,
      question,
      says: says ?? (question === undefined ? wordsFor(action, skill_id, input) : undefined),
      reason,
      files: await files(input, "keep"),
      addresses,
      approver: approverWithin(scope, skill_id, approver),
      person,
    });
  const decided = known === undefined ? "waiting" : await takeDecision(scope, known);
  if (decided === "waiting") throw new WaitingForPerson();
  return decided;
}

/** The first decision counts. Signals are stored only for people who may decide. */
async function findDecision(scope: TurnScope, { approval_id }: ApprovalState): Promise<Decided | undefined> {
  for (const signal of await scope.turn.link.signals()) {
    if (signal.type === "approval" && signal.approval_id === approval_id) return signal;
  }
  return undefined;
}

function standingDecision({ verdict, by, name }: StandingDecision): Decided {
  return verdict === "always"
    ? { approved: true, by, name, always: true }
    : { approved: false, by, name, never: true };
}

function decisionOf(input: Json, tool: Tool, decided: Decided): Decision {
  const { approved, by, name, always, never } = decided;
  if (approved)
    return { status: "approved", input, allowed: { rule: always ? "always" : "approved", by, name } };
  if (never) return refusedByStanding(tool, named(name ?? by, by));
  const { code, message, hint } = notApproved(decided, { what: tool.name, so: "it did not run" });
  return refusal(code, message, hint);
}

/** Whether the same call was refused in this turn: people are not asked twice. */
function wasRefused({ state }: TurnScope, tool: Tool, input: Json): boolean {
  return [...state.approvals.values()].some(
    (each) =>
      each.decided?.approved === false &&
      each.decided.by !== "" &&
      each.tool === tool.name &&
      canonicalJson(each.input) === canonicalJson(input),
  );
}

/** The refusal of a call that matches a "never". `who` is the person who decided. */
function refusedByStanding(tool: Tool, who: string): Decision {
  const message = `${tool.name} did not run: calls like this one were refused by ${who}, for good in this channel.`;
  const hint =
    "Do not insist, and do not look for another way to do the same. Say what was not done; /agent approvals lists the refusal and takes it back.";
  return refusal("refused", message, hint);
}

function refusedBefore(tool: Tool): Decision {
  const message = `${tool.name} with these arguments was refused earlier in this turn, so it did not run.`;
  return refusal("refused", message, doNotInsist);
}

function refusal(code: string, message: string, hint?: string): Decision {
  return { status: "refused", result: failure(code, message, hint) };
}

/**
 * Whether a running call may send something to an address; asks a person if the address is not free. Gives the same result when the call is
 * run again.
 * @throws WaitingForPerson while nobody has decided
 */
export async function mayReach(
  scope: TurnScope,
  request: CallRequest,
  tool: Pick<Tool, "skill_id">,
  text: string,
  { foreign = false }: { foreign?: boolean } = {},
): Promise<boolean> {
  const address = readAddress(text);
  // The fetch itself refuses a text that is not a web address.
  if (address === undefined) return true;
  const why = await judgeAndNote(scope, request, address, { foreign });
  if (why === undefined) return true;
  const { host } = address;
  // Identified by its hash: the approval covers exactly this address, and none that a page made look similar.
  const where = {
    callId: request.call.id,
    key: `reach:${await sha256(address.key)}`,
    skillId: tool.skill_id,
  };
  const { approved } = await approveWithin(scope, where, {
    action: "reach_address",
    says: { deed: `send a request to ${host}`, quotes: "address" },
    input: { address: text },
    reason: reasonFor([{ host, why }]),
    approver: "asker",
    addresses: [address.key],
  });
  return approved;
}

/** Web access of a call. Redirects to another site are judged like addresses, because a server could pass on the data it was sent. */
export function webOf(scope: TurnScope, request: CallRequest): Web {
  const { redact, web } = scope.ports;
  const note = (url: string) => {
    if (URL.canParse(url)) request.reached?.add(new URL(url).host);
  };
  const mayFollow: WebRequest["mayFollow"] = async ({ from, to, sends }) => {
    const [here, there] = [readAddress(from), readAddress(to)];
    if (here === undefined || there === undefined) return false;
    const may =
      isSameSite(here.host, there.host) ||
      (!sends && (await judgeAndNote(scope, request, there)) === undefined);
    if (may) note(to);
    return may;
  };
  return {
    fetch(url, options) {
      note(url);
      return web.fetch(url, { mayFollow, ...options });
    },
    async read(url, options) {
      note(url);
      // Redacted before skills cut the text: half a secret would not be recognised.
      return redact(await web.read(url, { mayFollow, ...options }));
    },
  };
}
