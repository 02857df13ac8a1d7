import { z } from "zod";
import { beginningOf } from "../../base/markdown-text.ts";
import { nearestNames } from "../../base/text/nearest-name.ts";
import { rightRefusal } from "../decisions/prevented-call.ts";
import type { MetaTool, TurnScope } from "../scope/turn-scope.ts";
import { isAgentHere } from "../skill/agent-skill.ts";
import { failure } from "../skill/tool.ts";
import { beginInBackground, filesOf } from "../turn/sub-run.ts";
import { refreshOffer } from "../turn/toolset.ts";
import { runAgent } from "../turn/turn-loop.ts";
import { WaitingForPerson } from "../values/failure.ts";
import { helpersIn, type Profile } from "../values/profile.ts";
import {
  createActivateSkill,
  createFindTools,
  createInvokeSkill,
  createListSkills,
  createOffloadSkill,
} from "./activate-skill.ts";
import { createListFiles, createWriteFile } from "./list-files.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";
import { createReadFile } from "./read-file.ts";
import { createReadSkillFile } from "./read-skill-file.ts";
import { createRunCode } from "./run-code.ts";
import { createRunSkillScript } from "./run-skill-script.ts";

/** The agent's own tools. Created once, when the bot is wired; each decides per turn whether it is offered. */
export function createMetaTools(): MetaTool[] {
  return [
    createListSkills(),
    createActivateSkill(),
    createFindTools(),
    createOffloadSkill(),
    createInvokeSkill(),
    createReadSkillFile(),
    createRunSkillScript(),
    createListFiles(),
    createReadFile(),
    createWriteFile(),
    createRunCode(),
    createAskUser(),
    createHandoff(),
  ];
}

/** Asks the person a question; the turn waits for the answer. */
const createAskUser = () =>
  defineMetaTool({
    name: "ask_user",
    category: "hitl",
    title: "Asking you",
    description:
      "Asks the person a question and waits for the answer. Only when you cannot go on without it.",
    parameters: z.object({
      question: z.string().min(1).max(2000),
      choices: z
        .array(z.string().min(1).max(100))
        .max(25)
        .default([])
        .describe("answers to choose from, if there are some"),
    }),
    effect: "idempotent",
    max_execution_ms: 86_400_000,
    offered: (_turn, { models }) => models.main.generative,
    run: async ({ question, choices }, context) =>
      ok({ answer: await context.ask({ text: question, choices }) }),
  });

/** Another agent does a part of the work, in a conversation of its own; its answer is the result. */
const createHandoff = () =>
  defineMetaTool({
    name: "handoff",
    category: "handoff",
    title: ({ to, reason, background }) =>
      `Asking ${to}${background ? " in the background" : ""}: ${beginningOf(reason, 80)}`,
    description:
      "Has another agent do a task. It knows only `reason`, the whole task, and the files. Several at once if independent.",
    parameters: z.object({
      to: z.string().min(1),
      reason: z.string().min(1).max(8_000),
      background: z.boolean().optional().describe("true: nobody waits; its answer is posted later"),
    }),
    effect: "idempotent",
    // The turn has a time limit, and so do the calls of the agent.
    max_execution_ms: 86_400_000,
    offered: ({ profiles }) => profiles.length > 1,
    run: async ({ to, reason, background }, context, scope) => {
      const agents = helpersIn(scope.turn.profiles);
      const agent = agents.find(({ id }) => id === to);
      if (agent === undefined) return unknownAgent(to, agents);
      const refusal = await notThisAgent(scope, agent);
      if (refusal !== undefined) return failure("not_permitted", refusal, "Go on without it and say so.");
      const { call_id } = context;
      const from = scope.turn.profile.id;
      if (background === true) return beginInBackground(scope, call_id, agent, reason);
      if (!scope.state.runs.has(call_id)) await scope.emit({ type: "handoff", from, to, call_id });
      const end = await runAgent(scope, call_id, agent, reason);
      if (end === undefined) throw new WaitingForPerson();
      const unnamed = filesOf(scope.state, call_id).filter((name) => !end.text.includes(name));
      return ok(unnamed.length === 0 ? end.text : `${end.text}\n\nFiles: ${unnamed.join(", ")}`);
    },
  });

/** Why an agent that is a skill does not work for this turn, by the channel and the rights as they are now. */
async function notThisAgent(scope: TurnScope, { skill }: Profile): Promise<string | undefined> {
  if (skill === undefined) return undefined;
  await refreshOffer(scope);
  const offered = scope.offer.all.get(skill);
  if (offered === undefined || !isAgentHere(offered) || offered.reasons.length > 0)
    return `The agent ${skill} was disabled in this channel.`;
  return await rightRefusal(scope, { skill_id: skill });
}

function unknownAgent(to: string, agents: readonly Profile[]) {
  const ids = agents.map(({ id }) => id);
  const [near] = nearestNames(to, ids);
  const hint = `${near === undefined ? "" : `Did you mean ${near}? `}Agents: ${ids.join(", ")}.`;
  return failure("unknown_agent", `There is no agent ${to}.`, hint);
}
