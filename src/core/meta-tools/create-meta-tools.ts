import { z } from "zod";
import { nearestNames } from "../../base/nearest-name.ts";
import type { MetaTool } from "../scope/turn-scope.ts";
import { failure } from "../skill/tool.ts";
import { handoverTo } from "../values/profile.ts";
import {
  createActivateSkill,
  createFindTools,
  createInvokeSkill,
  createListSkills,
  createOffloadSkill,
  createReadSkillFile,
} from "./activate-skill.ts";
import { createListFiles, createWriteFile } from "./list-files.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";
import { createReadFile, createReadToolOutput } from "./read-file.ts";
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
    createReadToolOutput(),
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
        .max(5)
        .default([])
        .describe("answers to choose from, if there are some"),
    }),
    effect: "idempotent",
    max_execution_ms: 86_400_000,
    offered: (_turn, { models }) => models.main.generative,
    run: async ({ question, choices }, context) =>
      ok({ answer: await context.ask({ text: question, choices }) }),
  });

/** Maximum handoffs of a turn: two agents that each prefer the other would otherwise continue up to the limits of the turn. */
const maxHandoffs = 10;

/** Gives the turn to another agent profile, whose instructions apply from the next step on. */
const createHandoff = () =>
  defineMetaTool({
    name: "handoff",
    category: "handoff",
    title: ({ to }) => `Handing over to ${to}`,
    description:
      "Gives this turn to another agent that fits the task better; it goes on with the same conversation.",
    parameters: z.object({
      to: z.string().min(1).describe("the agent's id"),
      reason: z.string().max(500).default("").describe("what it should do"),
    }),
    effect: "idempotent",
    offered: ({ profiles }) => profiles.length > 1,
    run: async ({ to, reason }, context, scope) => {
      const ids = handoverTo(scope.turn.profiles).map((each) => each.id);
      if (!ids.includes(to)) return unknownAgent(to, ids);
      const { rounds, handoffs } = scope.state;
      const handed = handoffs.filter(({ returned }) => !returned);
      const now = handed.find(({ round }) => round === rounds);
      const done = ok(reason === "" ? "Handed over." : `Handed over: ${reason}`);
      if (now !== undefined) return now.to === to ? done : notNow(to, now.to);
      if (context.agent === to) return ok(`You are ${to} already. Go on.`);
      if (handed.length >= maxHandoffs) {
        const message = `This turn was handed over ${handed.length} times already.`;
        return failure("handed_over_too_often", message, "Answer the person with what there is.");
      }
      await scope.emit({ type: "handoff", from: context.agent, to });
      return done;
    },
  });

function unknownAgent(to: string, ids: readonly string[]) {
  const [near] = nearestNames(to, ids);
  const hint = `${near === undefined ? "" : `Did you mean ${near}? `}Agents: ${ids.join(", ")}.`;
  return failure("unknown_agent", `There is no agent ${to}.`, hint);
}

function notNow(to: string, has: string) {
  const message = `${has} has the turn now, so this part was not handed over to ${to}.`;
  return failure("one_at_a_time", message, "One agent has a turn at a time: hand this part over afterwards.");
}
