import { z } from "zod";
import { nearestNames } from "../../base/text/nearest-name.ts";
import type { TurnEvent, TurnEventOf } from "../../core/log/turn-event.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { resolveSkill } from "../../core/skill/skill-identifier.ts";
import { checkArguments } from "../../core/turn/check-call.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { type Json, objectOf } from "../../core/values/json.ts";
import { runSkillNow, type TestRun } from "../services/run-skill-now.ts";
import { json, ownNamespace } from "../services/shapes.ts";
import { findFlow, flowOption, isFlowFile } from "./flows.ts";
import {
  type CommandCall,
  type CommandResult,
  type OperationCall,
  operation,
  refused,
  shown,
} from "./operation.ts";
import type { Services } from "./services.ts";
import { bareId, readRun, runInput, runSkillCommand } from "./skills/run-skill.ts";
import { codeSpan } from "./words.ts";

/** Maximum characters of a value that a dry run shows. */
const maxCode = 600;

/** Members of a step that its label shows. */
const inLabel = new Set(["step", "type", "name", "does", "request"]);

/** The result of `Tool.dryRun` for people. Markdown. */
function dryRunText(told: { [key: string]: Json }): string {
  const { flow, steps, note } = told;
  const lines = stepsOf(steps).flatMap((step) => stepLines(step, 0));
  return [`**${textOf(flow)}** would do this:`, "", ...lines, "", `_${textOf(note)}_`].join("\n");
}

function stepsOf(value: Json | undefined): { [key: string]: Json }[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function stepLines(step: { [key: string]: Json }, depth: number): string[] {
  const indent = "  ".repeat(depth);
  const label = step.name === undefined ? textOf(step.does) : `${textOf(step.name)} (${textOf(step.does)})`;
  const details = Object.entries(step).filter(([key]) => !inLabel.has(key));
  const inner = details.flatMap(([key, value]) =>
    isSteps(value)
      ? [`${indent}  - ${key}:`, ...stepsOf(value).flatMap((each) => stepLines(each, depth + 2))]
      : [`${indent}  - ${words(key)}: ${codeSpan(textOf(value), maxCode)}`],
  );
  return [`${indent}- **${textOf(step.step)}** ${label}`, ...requestLines(step.request, indent), ...inner];
}

function requestLines(request: Json | undefined, indent: string): string[] {
  if (request === undefined) return [];
  const { method, url, headers, body } = objectOf(request);
  const sent = Object.entries(objectOf(headers)).map(([name, value]) => `${name}: ${textOf(value)}`);
  const lines = [`${textOf(method)} ${textOf(url)}`, ...sent, ...(body === undefined ? [] : [textOf(body)])];
  return lines.map((line) => `${indent}  - ${codeSpan(line, maxCode)}`);
}

function isSteps(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => objectOf(each).step !== undefined);
}

function words(key: string): string {
  return key.replaceAll("_", " ");
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const run = {
  vars: z.record(z.string(), json).default({}).describe("values of its variables"),
  dry_run: z.boolean().default(false).describe("tells what it would do, and does nothing"),
  namespace: ownNamespace,
};
const answers = "what it answered; success is false when it failed";

/** The output of a run of a flow. A dry run has `dry_run` instead of results. */
const flowResult = z.object({
  success: z.boolean(),
  results: z.array(json).describe("one per step: {success, result} or {success: false, error}"),
  variables: z.record(z.string(), json),
  directOutput: json.describe("what a step with direct output answered, else null"),
  error: z.string().optional(),
  code: z.string().optional(),
  hint: z.string().optional(),
  dry_run: json.optional().describe("what each step would do"),
});

type FlowResult = z.output<typeof flowResult>;
type FlowCall = Pick<OperationCall<z.output<z.ZodObject<typeof run>>>, "input" | "asker" | "services">;

export const runFlow = operation({
  name: "flow.run",
  input: z.object({ id: z.string().min(1).max(200).describe("a flow's id or name"), ...run }),
  output: flowResult,
  who: "anyone",
  http: {
    route: "POST /flows/{id}/run",
    summary: "Run a flow outside of a conversation, or tell what it would do",
    answers,
  },
  chat: {
    command: "flow run",
    public: true,
    description: "Runs a flow now; with --dry-run it only tells what it would do",
    options: [
      flowOption,
      { name: "dry-run", description: "Only tell what the flow would do", type: "flag" },
      runInput,
    ],
    read: (words) => words,
    form: (input) => (typeof input === "string" ? bareId(readRun(input)) : undefined),
    answer: runCommand,
  },
  run: (call) => runNamed(call.input.id, call),
});

export const runFlowText = operation({
  name: "flow.run_text",
  input: z.object({
    flow: z.string().min(2).max(1_000_000).describe("the flow's file, as text"),
    name: z.string().min(1).max(300).default("flow.json").describe("of the file"),
    ...run,
  }),
  output: flowResult,
  who: {
    least: "operator",
    refusal: "Only operators of the bot may run a flow that is in none of its folders.",
  },
  http: { route: "POST /flows/run", summary: "Run a flow that is in no folder of the bot", answers },
  async run(call) {
    const { flow, name } = call.input;
    const { addFlow } = call.services;
    if (addFlow === undefined) {
      const message =
        "This bot cannot run a flow from a text. Copy the file into its folder for flows, then run it by its id.";
      return failed(409, message);
    }
    const added = await addFlow(flow, name);
    if (added.ok) return runNamed(added.id, call);
    return failed(400, `${name} is not a flow that can run: ${added.reason}`);
  },
});

const dryRunFlag = /(^|\s)(--|—|–)dry[-_]?run(?=\s|$)/i;

/** `/flow run`: the turn of the command is the run. */
async function runCommand(call: CommandCall, services: Services): Promise<CommandResult> {
  const written = typeof call.input === "string" ? call.input : "";
  const asked = readRun(written.replace(dryRunFlag, " ").trim());
  const { place, author: by } = call;
  const { namespace } = place;
  const flow = await findFlow(asked.id, namespace, services);
  if (!flow.ok) return refused(flow.message);
  if (!dryRunFlag.test(written)) return runSkillCommand(services.skills, asked, call);
  const runSkill: CommandCall["runSkill"] = async (id, params) => {
    const input = { vars: objectOf(params), dry_run: true, namespace };
    const told = await runNamed(id, { input, asker: { by, namespace }, services });
    if (told.ok) return { status: "ok", output: told.value.dry_run ?? null };
    return { status: "error", code: "no_dry_run", message: told.message };
  };
  const result = await runSkillCommand(services.skills, asked, { ...call, runSkill });
  const { output = null } = result;
  if (!result.ok) return result;
  return { ...shown(dryRunText(objectOf(objectOf(output).output))), output };
}

/** Runs a flow by id, alias or name. A flow that fails is an answer with `success: false`. */
async function runNamed(text: string, { input, asker, services }: FlowCall): Promise<Outcome<FlowResult>> {
  const flow = await flowCalled(text, services);
  if (!flow.ok) return flow;
  const { id } = flow.value;
  if (!input.dry_run) {
    const ran = await runSkillNow(services, id, input.vars, input.namespace, asker.by);
    return { ok: true, value: resultOf(ran) };
  }
  const { offer } = await services.offers.read(input.namespace, await services.catalogue.current());
  const reasons = offer.all.get(id)?.reasons ?? [];
  if (reasons.length === 0) return dryRun(flow.value, input.vars);
  return failed(409, `${id} cannot be used here. ${reasons.join(" ")}`);
}

/** The flow with an id, alias or name. For the name of a file that could not be loaded, the failure says why. */
async function flowCalled(text: string, { catalogue }: Services): Promise<Outcome<Skill>> {
  const { skills, diagnostics } = await catalogue.current();
  const flows = [...skills.values()].filter(({ kind }) => kind === "flow");
  const resolved = resolveSkill(text, flows);
  const byName = flows.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const id = resolved.status === "found" ? resolved.id : byName.length === 1 ? byName[0]?.id : undefined;
  const flow = flows.find((each) => each.id === id);
  if (flow !== undefined) return { ok: true, value: flow };
  const broken = diagnostics.find(
    ({ path, severity }) => severity === "error" && isFlowFile(path) && namesFile(text, path),
  );
  const ids = (byName.length > 1 ? byName : flows).map((each) => each.id);
  const near = byName.length > 1 ? ids : nearestNames(text, ids);
  const message =
    broken === undefined
      ? `There is no flow called ${text || "that"}. ${hintOf(near, ids)}`
      : `${text} could not be loaded: ${broken.message}`;
  return failed(404, message);
}

/** Whether a text is the name of this file, with its ending or without. */
function namesFile(text: string, path: string): boolean {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return [name, name.replace(/\.json$/i, "")].includes(text.trim());
}

function hintOf(near: readonly string[], known: readonly string[]): string {
  if (near.length > 0) return `Did you mean ${near.join(" or ")}?`;
  return known.length > 0
    ? "`knack flows list` and `/flow list` show what there is."
    : "There are no flows yet: copy flow files into the bot's folder for flows.";
}

async function dryRun(
  { id, tools: [tool] }: Skill,
  vars: Record<string, Json>,
): Promise<Outcome<FlowResult>> {
  if (tool?.dryRun === undefined) {
    return failed(409, `${id} cannot tell what it would do. Run it without a dry run.`);
  }
  const valid = await checkArguments(tool, vars);
  if (!valid.ok) return failed(400, `The variables do not fit: ${valid.message}`);
  return { ok: true, value: { ...shaped({}), success: true, dry_run: await tool.dryRun(valid.value) } };
}

/** The output of `/skill run` in the shape of flows. An error includes the results of earlier steps. */
function resultOf({ output, events }: TestRun): FlowResult {
  const answer = objectOf(output);
  if (answer.success === true && "output" in answer) {
    const direct = directEnd(events);
    if (direct === undefined) return { ...shaped(objectOf(answer.output)), success: true };
    return { ...shaped(direct.details ?? {}), success: true, directOutput: answer.output ?? null };
  }
  const { error, code, hint } = answer;
  return {
    ...shaped(answer),
    success: false,
    error: typeof error === "string" ? error : "The flow failed.",
    code: typeof code === "string" ? code : undefined,
    hint: typeof hint === "string" ? hint : undefined,
  };
}

/** The end of a flow whose last step has direct output. The flow is the first call of its turn. */
function directEnd(events: readonly TurnEvent[]): TurnEventOf<"tool_finished"> | undefined {
  const started = events.find((event) => event.type === "tool_started");
  const ended = events.find((event) => event.type === "tool_finished" && event.call_id === started?.call_id);
  return ended?.type === "tool_finished" && ended.direct === true ? ended : undefined;
}

function shaped({ results, variables, directOutput = null }: Record<string, Json | undefined>) {
  return { results: Array.isArray(results) ? results : [], variables: objectOf(variables), directOutput };
}
