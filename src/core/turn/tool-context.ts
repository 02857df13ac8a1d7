import { approveWithin, mayReach, webOf } from "../decisions/approval.ts";
import { namedFiles } from "../decisions/asked-files.ts";
import { ChatDesk } from "../effects/chat-desk.ts";
import { createChatWork } from "../effects/create-chat-work.ts";
import { runInFolder } from "../effects/folder-run.ts";
import { receiverFor, withConsent } from "../effects/receiving.ts";
import { createToolFiles } from "../effects/tool-files.ts";
import { innerCallId, questionIdOf } from "../log/call-id.ts";
import { scopeKeyValue } from "../ports/storage.ts";
import type { DryRunModel } from "../ports/teaching.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import { generateWith, writeWith } from "../scope/generate.ts";
import { type CallRequest, type TurnScope, zoneIn } from "../scope/turn-scope.ts";
import { coversHost } from "../skill/network-grants.ts";
import type { Tool, ToolContext } from "../skill/tool.ts";
import type { PlanningContext, TeachingContext } from "../skill/work-context.ts";
import { standsIn } from "../transcript/keep-transcript.ts";
import { isOwnWords, untrustedIn } from "../transcript/untrusted.ts";
import { ExpectedFailure, WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import { createWorkContext } from "./create-work-context.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { seenByOthers } from "./shared-effects.ts";

/** A limit reached inside a tool. The model gets it as an error result. */
class ToolLimitError extends ExpectedFailure<"too_many_steps" | "no_answer"> {}

/** Maximum characters of a progress note. Above the limits that callers cut their notes to. */
const maxNote = 1_000;

/** Creates the execution context of one call. */
export function createToolContext(
  scope: TurnScope,
  request: CallRequest,
  tool: Pick<Tool, "skill_id" | "max_iterations">,
  signal: AbortSignal,
): ToolContext {
  const { turn, ports } = scope;
  const skill = turn.catalogue.skills.get(tool.skill_id);
  const root = skill?.parent ?? tool.skill_id;
  let nested = 0;
  const file = createToolFiles(scope, request.call.id, signal);
  const permissions = createPermissions(scope, request, tool.skill_id);
  const shared = <Part extends object>(part: Part, ...names: (keyof Part)[]) =>
    seenByOthers(scope, request, part, ...names);
  const { inFolder } = shared<Pick<ToolContext, "inFolder">>(
    { inFolder: (text, run) => runInFolder(scope, request.call.id, text, file, run, signal) },
    "inFolder",
  );
  const work = createWorkContext(
    scope,
    { inFolder, now: () => ports.clock.now(), approve: permissions.approve },
    signal,
  );
  const schedules = planningFor(scope, request, tool.skill_id);
  const teaching = teachingFor(scope, request, signal);
  return {
    call_id: request.call.id,
    turn_id: turn.turn_id,
    place: turn.place,
    user: turn.author,
    lender: request.owner?.id,
    signal,
    now: () => ports.clock.now(),
    progress(note, progress, total) {
      if (signal.aborted) return;
      const shown = ports.redact(note).slice(0, maxNote);
      void scope.emit({ type: "tool_progress", call_id: request.call.id, note: shown, progress, total });
    },
    step: createSteps(scope, request.call.id, tool, signal),
    journalled: (name) => scope.state.calls.get(request.call.id)?.steps.get(firstStep(name)),
    generative: chosenModel(scope).generative,
    generate: (asked) => generateWith(scope, asked, signal),
    write: (asked) => writeWith(scope, asked, signal),
    isInFront: (text) => isOfModel(scope, request) && standsIn(scope, text),
    ask: createAsk(scope, request.call.id),
    ...permissions,
    invoke(skillId, params) {
      nested += 1;
      return invokeSkill(scope, request, innerCallId(request.call.id, nested), skillId, params);
    },
    file,
    inFolder,
    ...work,
    knowledge: work.knowledge && shared(work.knowledge, "add"),
    chat: createChatWork(scope, request.call.id, tool.skill_id, signal),
    time_zone: zoneIn(scope),
    store: shared(scopeKeyValue(ports.store, `skill:${turn.place.namespace}:${root}:`), "set", "update"),
    schedules: schedules && shared(schedules, "add"),
    teaching: teaching && shared(teaching, "keep"),
    web: webOf(scope, request),
    reach: (address, options) => mayReach(scope, request, tool, address, options),
  };
}

/** Whether the turn's model made the call, itself or through `invoke_skill`. */
function isOfModel({ state }: TurnScope, { depth, by_person, parent_call_id }: CallRequest): boolean {
  if (by_person === true) return false;
  return depth === 0 || state.calls.get(parent_call_id ?? "")?.started?.tool === "invoke_skill";
}

/**
 * A schedule asks for approval if its text may come from material that the model read and not from a person. A reminder for somebody else
 * also asks if it may pass on what others are not to read.
 */
function planningFor(scope: TurnScope, request: CallRequest, skillId: string): PlanningContext | undefined {
  const { schedules } = scope.ports;
  if (schedules === undefined) return undefined;
  const { author, place, cause, turn_id } = scope.turn;
  const planner = { author, place, cause };
  const desk = new ChatDesk(scope, request.call.id, skillId);
  const isUntouched = () => untrustedIn(scope, request).length === 0;
  return {
    async plan(wish, whom) {
      const receiver = whom === undefined ? undefined : await receiverFor(desk, whom);
      const plan = await schedules.plan(planner, wish, receiver);
      if (!plan.ok) return plan;
      const isTheirs =
        receiver === undefined
          ? isUntouched() || (wish.what !== "change" && isOwnWords(scope, request, wish.text))
          : isUntouched() && receiver.isNamed && !scope.state.private;
      return { ok: true, value: { ...plan.value, asks: plan.value.asks || !isTheirs } };
    },
    add: async (proposal) =>
      schedules.add(planner, await withConsent(desk, proposal), `${turn_id}/${request.call.id}`),
    list: () => schedules.list(place.namespace, author),
    change: (id, to) => schedules.change(planner, id, to),
  };
}

/** What is taught here, everybody here reads: nothing of a private turn. */
function teachingFor(
  scope: TurnScope,
  { call }: CallRequest,
  signal: AbortSignal,
): TeachingContext | undefined {
  const { teaching } = scope.ports;
  if (teaching === undefined) return undefined;
  const { author, place, turn_id, link } = scope.turn;
  const teacher = { author, place, turn_id };
  const own =
    "This thread has parts that only its asker may read, and everybody here would read the skill. Ask for it in a thread without them.";
  return {
    check: async (lesson) =>
      scope.state.private ? { ok: false, status: 403, message: own } : teaching.check(teacher, lesson),
    async dryRun(draft) {
      const model = chosenModel(scope);
      if (draft.kind === "document" && !model.generative) return [];
      const over = await link.overBudget(scope.namespace.settings);
      if (over !== undefined)
        return [{ turn_id, request: draft.request, calls: [], missing: [], problem: over }];
      const used: DryRunModel["used"] = (id, usage) => scope.emit({ type: "usage", model: id, ...usage });
      return teaching.dryRun(teacher, draft, { model, used, signal });
    },
    keep: (draft, accepted) => teaching.keep(teacher, draft, { ...accepted, key: `${turn_id}/${call.id}` }),
  };
}

/** Key in the journal of the first step of a name. */
export function firstStep(name: string): string {
  return `${name}#1`;
}

/** Runs named steps: each is staged, counted and journalled. A step that finished before a crash is answered from the journal. */
function createSteps(
  scope: TurnScope,
  callId: string,
  tool: Pick<Tool, "skill_id" | "max_iterations">,
  signal: AbortSignal,
): ToolContext["step"] {
  const occurrences = new Map<string, number>();
  let iterations = 0;
  return async <T extends Json>(name: string, work: () => Promise<T> | T): Promise<T> => {
    signal.throwIfAborted();
    iterations += 1;
    if (iterations > tool.max_iterations) {
      throw new ToolLimitError("too_many_steps", `it needs more than its ${tool.max_iterations} steps`);
    }
    const occurrence = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, occurrence);
    const key = `${name}#${occurrence}`;
    const journalled = scope.state.calls.get(callId)?.steps.get(key);
    if (journalled !== undefined) return journalled as T;
    const stage = (status: "running" | "completed" | "failed") =>
      scope.emit({ type: "stage", call_id: callId, skill_id: tool.skill_id, name, status });
    await stage("running");
    try {
      const result = await work();
      signal.throwIfAborted();
      await scope.emit({ type: "step_finished", call_id: callId, step: key, result: result ?? null });
      await stage("completed");
      return result;
    } catch (error) {
      if (!signal.aborted) await stage("failed");
      throw error;
    }
  };
}

/**
 * Asks a person. Questions are numbered within their call, or named by their key. The answer is a signal (a button, the API) or
 * the asker's next message in the thread.
 */
function createAsk(scope: TurnScope, callId: string): ToolContext["ask"] {
  let asked = 0;
  return async ({ text, choices = [], key }) => {
    if (key === undefined) asked += 1;
    const questionId = questionIdOf(callId, key ?? asked);
    const { turn, ports, state } = scope;
    const open = state.questions.get(questionId);
    if (open?.answer !== undefined) return open.answer;
    if (open === undefined) {
      const expires_at = ports.clock.now() + turn.limits.question_ms;
      const earlier = (await turn.link.steering()).map(({ turn_id }) => turn_id);
      await scope.emit({
        type: "question_asked",
        question_id: questionId,
        text,
        choices: [...choices],
        expires_at,
        earlier: earlier.length === 0 ? undefined : earlier,
      });
      throw new WaitingForPerson();
    }
    const answer = await findAnswer(scope, questionId, open.earlier);
    if (answer !== undefined) {
      await scope.emit({ type: "question_answered", question_id: questionId, ...answer });
      return answer.text;
    }
    if (ports.clock.now() >= open.expires_at) {
      const hint = "This is no refusal: if the person still wants it, they can be asked again.";
      throw new ToolLimitError("no_answer", "Nobody answered the question in time.", { hint });
    }
    throw new WaitingForPerson();
  };
}

/** Approvals are numbered within their call or named, like questions. Requests for hosts are named after the hosts. */
function createPermissions(
  scope: TurnScope,
  { call: { id: callId }, reached }: CallRequest,
  skillId: string,
): Pick<ToolContext, "approve" | "network"> {
  let asked = 0;
  const approve: ToolContext["approve"] = (approval) => {
    if (approval.key === undefined) asked += 1;
    const where = { callId, key: approval.key ?? asked, skillId };
    // A person outside of the thread is not shown its files.
    const files: Parameters<typeof approveWithin>[3] = async (input, purpose) =>
      approval.person === undefined ? namedFiles(scope, input, purpose) : [];
    return approveWithin(scope, where, approval, files);
  };
  const { grants } = scope.ports;
  const skill = scope.turn.catalogue.skills.get(skillId);
  const hosts = async () => (skill === undefined ? [] : await grants.hostsOf(skill));
  return {
    approve,
    network: {
      hosts,
      couldReach: (host) => grants.couldReach(host),
      reached: (host) => void reached?.add(host),
      async request(wanted) {
        const granted = await hosts();
        const missing = wanted.filter((host) => !coversHost(granted, host));
        if (skill === undefined || missing.length === 0) return missing.length === 0;
        if (!missing.every(grants.couldReach)) return false;
        const names = missing.join(", ");
        const question = `May the code of the skill ${skill.id} reach ${names}, now and in future? It reads files of the threads it is called in, and may send them to ${names}.`;
        const input = { hosts: [...missing] };
        // Named, because a granted request is not asked again: a number would then pass to the next approval.
        const key = `hosts:${missing.join(",")}`;
        const says = { deed: `reach ${names}`, names: ["hosts"] };
        const decision = await approve({
          action: "reach_hosts",
          ...{ question, says, input, key },
          approver: "operator",
        });
        if (decision.approved) await grants.grant(skill, missing, decision.by);
        return decision.approved;
      },
    },
  };
}

async function findAnswer(
  scope: TurnScope,
  questionId: string,
  earlier: readonly string[],
): Promise<{ text: string; by: string } | undefined> {
  for (const signal of await scope.turn.link.signals()) {
    if (signal.type === "answer" && signal.question_id === questionId)
      return { text: signal.text, by: signal.by };
  }
  const said = (await scope.turn.link.steering()).find(({ turn_id }) => !earlier.includes(turn_id));
  if (said === undefined) return undefined;
  const by = said.author.id;
  const { text, usage } = said.has_files
    ? await scope.turn.link.readWhole(said.turn_id, scope.turn.signal)
    : { text: said.text, usage: [] };
  for (const used of usage) await scope.emit(used);
  await scope.emit({ type: "steered", text: said.text, by, from_turn: said.turn_id });
  return { text, by };
}
