import type { CatalogueLoader } from "../../core/catalogue.ts";
import { checkArguments } from "../../core/check-call.ts";
import { type Json, objectOf } from "../../core/json.ts";
import type { OfferReader } from "../../core/offer-reader.ts";
import type { Outcome } from "../../core/outcome.ts";
import { mayOperate } from "../../core/permissions.ts";
import type { Skill } from "../../core/skill.ts";
import { nearest, resolveSkill } from "../../core/skill-identifier.ts";
import type { TurnEvent, TurnEventOf } from "../../core/turn-event.ts";
import type { AddFlow, FlowResult, FlowRun, FlowService } from "./flow-service.ts";
import { type RunAsCommand, runSkillNow, type TestRun } from "./run-skill-now.ts";
import type { SkillService } from "./skill-service.ts";

export interface FlowServiceDeps {
  skills: SkillService;
  catalogue: CatalogueLoader;
  offers: OfferReader;
  addFlow: AddFlow | undefined;
}

export function createFlowService(
  { skills, catalogue, offers, addFlow }: FlowServiceDeps,
  app: RunAsCommand,
): FlowService {
  const flows = async () =>
    [...(await catalogue.current()).skills.values()].filter(({ kind }) => kind === "flow");

  const runFlow = async (skill: Skill, run: FlowRun): Promise<Outcome<FlowResult>> => {
    if (!run.dry_run) {
      const ran = await runSkillNow(app, skill.id, run.vars, run.namespace, run.by);
      return { ok: true, value: resultOf(ran) };
    }
    const { offer } = await offers.read(run.namespace, await catalogue.current());
    const reasons = offer.all.get(skill.id)?.reasons ?? [];
    if (reasons.length > 0) {
      return { ok: false, status: 409, message: `${skill.id} cannot be used here. ${reasons.join(" ")}` };
    }
    return dryRun(skill, run.vars);
  };

  const runNamed = async (flow: string, run: FlowRun): Promise<Outcome<FlowResult>> => {
    const found = findFlow(flow, await flows());
    if (found.ok) return runFlow(found.value, run);
    const broken = (await catalogue.current()).diagnostics.find(
      ({ path, severity }) => severity === "error" && isFlowFile(path) && namesFile(flow, path),
    );
    if (broken === undefined) return found;
    return {
      ok: false,
      status: 404,
      message: `${flow} could not be loaded: ${broken.message}`,
    };
  };

  return {
    async list(namespace) {
      const { skills: all, diagnostics } = await skills.list(namespace);
      const found = all.filter(({ kind }) => kind === "flow");
      return { flows: found, diagnostics: diagnostics.filter(({ path }) => isFlowFile(path)) };
    },

    run: runNamed,

    async runText(text, name, run) {
      if (!mayOperate(run.by)) {
        const message = "Only operators of the bot may run a flow that is in none of its folders.";
        return { ok: false, status: 403, message };
      }
      if (addFlow === undefined) {
        const message =
          "This bot cannot run a flow from a text. Copy the file into its folder for flows, then run it by its id.";
        return { ok: false, status: 409, message };
      }
      const added = await addFlow(text, name);
      if (!added.ok) {
        return { ok: false, status: 400, message: `${name} is not a flow that can run: ${added.reason}` };
      }
      return runNamed(added.id, run);
    },
  };
}

/** Flows are JSON files; so are a few others that sources of skills read. */
function isFlowFile(path: string): boolean {
  return /\.json$/i.test(path) && !/(^|[\\/])(plugin|mcp|package)\.json$/i.test(path);
}

/** Whether a text is the name of this file, with its ending or without. */
function namesFile(text: string, path: string): boolean {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return [name, name.replace(/\.json$/i, "")].includes(text.trim());
}

function findFlow(text: string, flows: readonly Skill[]): Outcome<Skill> {
  const resolved = resolveSkill(text, flows);
  const byName = flows.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const id = resolved.status === "found" ? resolved.id : byName.length === 1 ? byName[0]?.id : undefined;
  const flow = flows.find((each) => each.id === id);
  if (flow !== undefined) return { ok: true, value: flow };
  const ids = flows.map((each) => each.id);
  const near = byName.length > 1 ? byName.map((each) => each.id) : nearest(text, ids);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : ids.length > 0
        ? "`knack flows list` and `/flow list` show what there is."
        : "There are no flows yet: copy flow files into the bot's folder for flows.";
  return { ok: false, status: 404, message: `There is no flow called ${text || "that"}. ${hint}` };
}

async function dryRun(skill: Skill, vars: Record<string, Json>): Promise<Outcome<FlowResult>> {
  const [tool] = skill.tools;
  if (tool?.dryRun === undefined) {
    return {
      ok: false,
      status: 409,
      message: `${skill.id} cannot tell what it would do. Run it without a dry run.`,
    };
  }
  const valid = checkArguments(tool, vars);
  if (!valid.ok) return { ok: false, status: 400, message: `The variables do not fit: ${valid.message}` };
  const value = { ...nothing, success: true, dry_run: await tool.dryRun(valid.value) };
  return { ok: true, value };
}

const nothing = { results: [], variables: {}, directOutput: null };

/** The output of `/skill run` in the shape of flows: an error has what the steps before it did. */
function resultOf({ output, events }: TestRun): FlowResult {
  const answer = objectOf(output);
  if (answer.success !== true || !("output" in answer)) {
    const { error, code, hint } = answer;
    const reasons = {
      error: typeof error === "string" ? error : "The flow failed.",
      ...(typeof code === "string" ? { code } : {}),
      ...(typeof hint === "string" ? { hint } : {}),
    };
    return { ...shaped(answer), success: false, ...reasons };
  }
  const direct = directEnd(events);
  if (direct === undefined) return { ...shaped(objectOf(answer.output)), success: true };
  return { ...shaped(direct.details ?? {}), success: true, directOutput: answer.output ?? null };
}

/** The end of a flow that a step with direct output ended. The flow is the first call of its turn. */
function directEnd(events: readonly TurnEvent[]): TurnEventOf<"tool_finished"> | undefined {
  const started = events.find((event) => event.type === "tool_started");
  const ended = events.find((event) => event.type === "tool_finished" && event.call_id === started?.call_id);
  return ended?.type === "tool_finished" && ended.direct === true ? ended : undefined;
}

function shaped({ results, variables, directOutput = null }: Record<string, Json | undefined>) {
  return {
    results: Array.isArray(results) ? results : [],
    variables: objectOf(variables),
    directOutput,
  };
}
