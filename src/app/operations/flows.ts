import { z } from "zod";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { diagnostic, ownNamespace } from "../services/shapes.ts";
import { type SkillDetail, skillDetail, skillListing } from "../services/skill-listing.ts";
import { operation, runOperation } from "./operation.ts";
import type { CommandOption, Services } from "./services.ts";
import { brokenLines, skillDetailText, skillListText } from "./skills/skill-text.ts";
import { setSkill } from "./skills/skills.ts";
import { placeWords } from "./words.ts";

const noFlows =
  "There are no flows yet. An operator adds them by copying flow files into the bot's folder for flows (`.knack-workspace/flows` unless set otherwise). `/skill list` shows what there is instead.";

export const listFlows = operation({
  name: "flow.list",
  input: z.object({ namespace: ownNamespace }),
  output: z.object({ flows: z.array(skillListing), diagnostics: z.array(diagnostic) }),
  who: "anyone",
  http: {
    route: "GET /flows",
    summary: "All flows, as they are in a channel",
    answers: "flows, and what could not be loaded",
  },
  chat: {
    command: "flow list",
    description: "Shows the flows of this channel",
    read: (_words, { namespace }) => ({ namespace }),
  },
  commandLine: { command: "flows list" },
  text: ({ flows, diagnostics }, _input, reading) =>
    flows.length === 0
      ? [noFlows, ...brokenLines(diagnostics, reading.whole)].join("\n")
      : skillListText(flows, diagnostics, reading),
  async run({ input: { namespace }, services }) {
    const { skills, diagnostics } = await services.skills.list(namespace);
    const flows = skills.filter(({ kind }) => kind === "flow");
    return { ok: true, value: { flows, diagnostics: diagnostics.filter(({ path }) => isFlowFile(path)) } };
  },
});

/** Flows are JSON files, like a few other files in folders of skills. */
export function isFlowFile(path: string): boolean {
  return /\.json$/i.test(path) && !/(^|[\\/])(plugin|mcp|package)\.json$/i.test(path);
}

const flowId = z.string().max(200);

/** The option of a command that takes a flow. */
export const flowOption: CommandOption = {
  name: "flow",
  description: "The id of the flow",
  required: true,
  complete: async (services, namespace) =>
    (await flowsOf(services, namespace)).map(({ id, summary }) => ({ text: id, description: summary })),
};

export const showFlow = operation({
  name: "flow.show",
  input: z.object({ id: flowId, namespace: ownNamespace }),
  output: skillDetail,
  who: "anyone",
  chat: {
    command: "flow show",
    description: "Shows one flow, its steps and parameters",
    options: [flowOption],
    read: (words, { namespace }) => ({ id: firstWord(words), namespace }),
  },
  text: (flow, _input, reading) => `${skillDetailText(flow, reading)}\n\n${flow.instructions}`,
  run: ({ input: { id, namespace }, services }) => findFlow(id, namespace, services),
});

const changes = [
  { state: "pinned", verb: "enable", description: "Lets the agent use a flow here" },
  { state: "blocked", verb: "disable", description: "Keeps the agent from using a flow here" },
] as const;

export const setFlow = operation({
  name: "flow.set",
  input: z.object({ ns: setSkill.input.shape.ns, id: flowId, state: z.enum(["pinned", "blocked"]) }),
  output: skillListing,
  who: "anyone",
  chat: changes.map(({ state, verb, description }) => ({
    command: `flow ${verb}`,
    public: true,
    description,
    options: [flowOption],
    read: (words: string, { namespace }: { namespace: string }) => ({
      ns: namespace,
      id: firstWord(words),
      state,
    }),
  })),
  text: ({ id }, { ns, state }) =>
    `**${id}** is ${state === "pinned" ? "enabled" : "disabled"} ${placeWords(ns)}.`,
  async run(call) {
    const { ns, id, state } = call.input;
    const flow = await findFlow(id, ns, call.services);
    // Permission and audit are those of any skill.
    return flow.ok ? runOperation(setSkill, { ...call, input: { ns, id: flow.value.id, state } }) : flow;
  },
});

async function flowsOf({ skills }: Services, namespace: string) {
  return (await skills.list(namespace)).skills.filter(({ kind }) => kind === "flow");
}

function firstWord(words: string): string {
  return words.split(/\s+/, 1)[0] ?? "";
}

/** The flow that a person in a channel means. A failure says why there is none. */
export async function findFlow(
  id: string,
  namespace: string,
  services: Services,
): Promise<Outcome<SkillDetail>> {
  const missing = (message: string): Outcome<never> => failed(404, message);
  if ((await flowsOf(services, namespace)).length === 0) return missing(noFlows);
  if (id === "") return missing("Which flow? `/flow list` shows what there is.");
  const found = await services.skills.detail(id, namespace);
  if (found === undefined)
    return missing(`There is no flow called ${id}. \`/flow list\` shows what there is.`);
  if (found.kind === "flow") return { ok: true, value: found };
  return missing(`**${found.id}** is a skill, not a flow: \`/skill info ${found.id}\`.`);
}
