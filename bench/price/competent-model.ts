import { echo } from "../../test/support/vendors/script.ts";
import type { Script, ScriptedCall, ViewedRequest } from "../../test/support/vendors/view.ts";
import { currentInput, currentTool } from "./current-tools.ts";
import type { Exchange, Step } from "./tasks.ts";

/**
 * A model that does each thing as it should be done: it calls tools that are there directly, makes a skill active where its
 * instructions say so, and answers when it has what it needs. The same for both sides.
 */
export function competentModel(exchanges: readonly Exchange[]): Script {
  return (request) => {
    const exchange = exchanges.find(({ said }) => request.said.includes(said));
    if (exchange === undefined || !request.may_call || request.schema !== undefined) return echo(request);
    const steps = exchange.steps.filter((step) => isNeeded(step, request));
    const step = steps[request.results.length];
    return step === undefined ? { text: exchange.answer } : { calls: [callOf(step, request)] };
  };
}

/** Where all tools are there anyway, nothing can be activated. */
function isNeeded(step: Step, request: ViewedRequest): boolean {
  return "tool" in step || isOfKnack(request);
}

/** The plain loop has no skills that could be activated. */
export function isOfKnack({ tools }: ViewedRequest): boolean {
  return tools.some(({ name }) => name === "activate_skill");
}

/** A tool that is not among the request's is run through its skill, as the instructions say. */
export function callOf(step: Step, request: ViewedRequest): ScriptedCall {
  if (!("tool" in step)) {
    const { activate, words } = step;
    return words === undefined
      ? { name: "activate_skill", input: { skill_name: activate } }
      : { name: "find_tools", input: { words, server: activate } };
  }
  if (!isOfKnack(request)) return { name: step.tool, input: step.input };
  const { name } = currentTool(step.tool);
  const input = currentInput(step.tool, step.input);
  if (request.tools.some((tool) => tool.name === name)) return { name, input };
  return { name: "invoke_skill", input: { skill_id: name, params: input } };
}
