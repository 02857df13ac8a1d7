import type { Json } from "../src/core/values/json.ts";
import { echo } from "../test/support/vendors/script.ts";
import type { Script, ScriptedCall, ViewedRequest } from "../test/support/vendors/view.ts";

/** What a model does before it answers: a call of a tool, or a search for the tools of a server. */
export type Step = { server: string; words: string } | { tool: string; input: Json };

/** One message of a person, and what a competent model does about it. */
export interface Exchange {
  said: string;
  steps: readonly Step[];
  answer: string;
}

/** A model that calls the tools that are there directly, runs others through their skill, and answers when it has what it needs. */
export function competentModel(exchanges: readonly Exchange[]): Script {
  return (request) => {
    const exchange = exchanges.find(({ said }) => request.said.includes(said));
    if (exchange === undefined || !request.may_call || request.schema !== undefined) return echo(request);
    const step = exchange.steps[request.results.length];
    return step === undefined ? { text: exchange.answer } : { calls: [callOf(step, request)] };
  };
}

function callOf(step: Step, request: ViewedRequest): ScriptedCall {
  if (!("tool" in step)) return { name: "find_tools", input: step };
  const { tool: name, input } = step;
  if (request.tools.some((tool) => tool.name === name)) return { name, input };
  return { name: "invoke_skill", input: { skill_id: name, params: input } };
}
