import { objectOf } from "../../core/json.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import { placeWords } from "../operations/place-words.ts";
import { bareId, readRun, runSkillCommand } from "../operations/run-skill.ts";
import { skillDetailText, skillLegend, skillLine } from "../operations/skill-text.ts";
import type { RunOperation } from "../operations/table.ts";
import type { FlowService } from "../services/flow-service.ts";
import type { SkillService } from "../services/skill-service.ts";
import { dryRunText } from "./dry-run-text.ts";

/** `/flow list|show|run|enable|disable`: as `/skill`, for those skills that are flows. */
export function flowCommands(
  skills: SkillService,
  flows: Pick<FlowService, "list" | "run">,
  runOperation: RunOperation,
): PlainCommand[] {
  const complete = async (namespace: string) => {
    const flows = await flowsOf(skills, namespace);
    return flows.map(({ id, description }) => ({ text: id, description }));
  };
  const onFlow = (run: (call: PlainCall, id: string) => Promise<CommandResult>) => (call: PlainCall) =>
    withFlow(skills, call, (id) => run(call, id));
  const set = (state: "pinned" | "blocked", done: string) =>
    onFlow(async ({ place, author }, id) => {
      const { namespace } = place;
      const input = { ns: namespace, id, state };
      const outcome = await runOperation("skill.set", { input, asker: { by: author, namespace } });
      return outcome.ok
        ? said(`**${id}** is ${done} ${placeWords(place.namespace)}.`)
        : refused(outcome.message);
    });
  return [
    {
      name: "flow list",
      usage: "",
      description: "Shows the flows of this channel",
      run: (call) => list(flows, call),
    },
    {
      name: "flow show",
      usage: "<flow>",
      description: "Shows one flow, its steps and parameters",
      complete,
      run: onFlow(({ place }, id) => show(skills, place.namespace, id)),
    },
    {
      name: "flow run",
      usage: "<flow> [--dry-run] [name=value …, JSON, or text]",
      description: "Runs a flow now; with --dry-run it only tells what it would do",
      complete,
      form: (input) => (typeof input === "string" ? bareId(readRun(input)) : undefined),
      run: (call) => run(skills, flows, call),
    },
    {
      name: "flow enable",
      usage: "<flow>",
      description: "Lets the agent use a flow here",
      complete,
      run: set("pinned", "enabled"),
    },
    {
      name: "flow disable",
      usage: "<flow>",
      description: "Keeps the agent from using a flow here",
      complete,
      run: set("blocked", "disabled"),
    },
  ];
}

const dryRunFlag = /(^|\s)(--|—|–)dry[-_]?run(?=\s|$)/i;

function run(skills: SkillService, flows: Pick<FlowService, "run">, call: PlainCall): Promise<CommandResult> {
  const rest = call.rest.replace(dryRunFlag, " ").trim();
  const asked = readRun(rest);
  if (!dryRunFlag.test(call.rest)) return withFlow(skills, call, () => runSkillCommand(skills, asked, call));
  const { place, author: by } = call;
  const runSkill: PlainCall["runSkill"] = async (id, params) => {
    const vars = typeof params === "object" && params !== null && !Array.isArray(params) ? params : {};
    const told = await flows.run(id, { vars, dry_run: true, namespace: place.namespace, by });
    if (told.ok) return { status: "ok", output: told.value.dry_run ?? null };
    return { status: "error", code: "no_dry_run", message: told.message };
  };
  return withFlow(skills, { ...call, rest }, async () => {
    const result = await runSkillCommand(skills, asked, { ...call, runSkill });
    const { output: told } = objectOf(result.output);
    return result.ok ? { ...shown(dryRunText(objectOf(told))), ...output(result) } : result;
  });
}

function output({ output: value }: CommandResult): Pick<CommandResult, "output"> {
  return value === undefined ? {} : { output: value };
}

const noFlows =
  "There are no flows yet. An operator adds them by copying flow files into the bot's folder for flows (`.knack-workspace/flows` unless set otherwise). `/skill list` shows what there is instead.";

async function flowsOf(skills: SkillService, namespace: string) {
  return (await skills.list(namespace)).skills.filter((skill) => skill.kind === "flow");
}

async function list(service: Pick<FlowService, "list">, { place }: PlainCall): Promise<CommandResult> {
  const { flows, diagnostics } = await service.list(place.namespace);
  const lines = flows.length === 0 ? [noFlows] : [...flows.map(skillLine), "", skillLegend];
  const defects = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ path, message }) => `- ${path.split(/[/\\]/).at(-1)}: ${message}`);
  const notLoaded = defects.length === 0 ? [] : ["", "Not loaded:", ...defects];
  return shown([...lines, ...notLoaded].join("\n"));
}

async function show(skills: SkillService, namespace: string, id: string): Promise<CommandResult> {
  const flow = await skills.detail(id, namespace);
  return flow === undefined ? refused(noFlows) : shown(`${skillDetailText(flow)}\n\n${flow.instructions}`);
}

async function withFlow(
  skills: SkillService,
  { place, rest }: PlainCall,
  work: (id: string) => Promise<CommandResult>,
): Promise<CommandResult> {
  const flows = await flowsOf(skills, place.namespace);
  if (flows.length === 0) return refused(noFlows);
  const [named = ""] = rest.split(/\s+/);
  if (named === "") return refused("Which flow? `/flow list` shows what there is.");
  const found = await skills.detail(named, place.namespace);
  if (found?.kind === "flow") return work(found.id);
  if (found !== undefined)
    return refused(`**${found.id}** is a skill, not a flow: \`/skill info ${found.id}\`.`);
  return refused(`There is no flow called ${named}. \`/flow list\` shows what there is.`);
}
