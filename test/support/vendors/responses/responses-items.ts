import { objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { blocksOf, string, type Wire } from "../wire.ts";
import { effortRefusal } from "./responses-parameters.ts";
import { broughtTools, type GptRequest, modelMark, readAnswerId } from "./responses-request.ts";

/** Errors in the items of the input, except reasoning. */
export function gptItemRefusals(request: GptRequest): Refusal[] {
  return [
    ...messageRefusals(request),
    ...callRefusals(request),
    ...idRefusals(request),
    ...changeRefusals(request),
    ...configurationRefusals(request),
  ];
}

const partsOf: Readonly<Record<string, readonly string[]>> = {
  user: ["input_text", "input_image", "input_file"],
  developer: ["input_text", "input_image"],
  system: ["input_text", "input_image"],
  assistant: ["output_text", "refusal"],
};

const itemTypes = new Set([
  ...["message", "reasoning", "function_call", "function_call_output", "additional_tools"],
  ...["tool_search_call", "tool_search_output", "configuration_update"],
]);

function* messageRefusals({ input }: GptRequest): Generator<Refusal> {
  for (const [index, item] of input.entries()) {
    const param = `input[${index}]`;
    if (!itemTypes.has(string(item.type))) {
      yield { rule: "item_type", message: `Invalid value: '${string(item.type)}'.`, param: `${param}.type` };
    }
    if (item.type !== "message") continue;
    const allowed = partsOf[string(item.role)];
    if (allowed === undefined) {
      const message = `Invalid value: '${string(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
      yield { rule: "role", message, param: `${param}.role`, code: "invalid_value" };
      continue;
    }
    for (const part of blocksOf(item.content, allowed[0])) {
      if (allowed.includes(string(part.type))) continue;
      const values = allowed.map((one) => `'${one}'`).join(", ");
      const message = `Invalid value: '${string(part.type)}'. Supported values are: ${values}.`;
      yield { rule: "content_type", message, param: `${param}.content`, code: "invalid_value" };
    }
  }
}

/** Every call has its output behind it, and every output its call before it. */
function* callRefusals({ input }: GptRequest): Generator<Refusal> {
  const calls = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of input.entries()) {
    const id = string(item.call_id);
    if (item.type === "function_call") {
      yield* oneCallRefusals(item, `input[${index}]`, calls);
      calls.add(id);
      open.add(id);
    }
    if (item.type !== "function_call_output") continue;
    if (!calls.has(id)) {
      const message = `No tool call found for function call output with call_id ${id}.`;
      yield { rule: "tool_pair", message, param: "input" };
    }
    open.delete(id);
  }
  for (const id of open) {
    yield { rule: "tool_pair", message: `No tool output found for function call ${id}.`, param: "input" };
  }
}

function* oneCallRefusals(item: Wire, param: string, calls: ReadonlySet<string>): Generator<Refusal> {
  const id = string(item.call_id);
  if (id === "" || id.length > 64) {
    const message = `Invalid '${param}.call_id': string too long. Expected a string with maximum length 64.`;
    yield { rule: "call_id", message, param: `${param}.call_id` };
  }
  if (calls.has(id)) {
    yield {
      rule: "call_id",
      message: `Duplicate function call with call_id ${id}.`,
      param: `${param}.call_id`,
    };
  }
  if (typeof item.arguments !== "string") {
    const message = `Invalid type for '${param}.arguments': expected a string, but got an object instead.`;
    yield { rule: "arguments", message, param: `${param}.arguments`, code: "invalid_type" };
  }
}

const idKinds: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };

/** Ids are of this model, of their kind, and an item that was reasoned about comes with its reasoning. */
function* idRefusals({ input, model }: GptRequest): Generator<Refusal> {
  const reasoned = new Set(input.filter(isReasoning).map(({ id }) => readAnswerId(string(id))?.answer));
  for (const [index, item] of input.entries()) {
    const kind = idKinds[string(item.type)];
    if (kind === undefined || item.id == null) continue;
    const id = string(item.id);
    const param = `input[${index}].id`;
    if (!id.startsWith(kind)) {
      const message = `Invalid '${param}': '${id}'. Expected an ID that begins with '${kind}'.`;
      yield { rule: "item_id", message, param, code: "invalid_value" };
    }
    const origin = readAnswerId(id);
    if (origin === undefined) continue;
    if (origin.model !== modelMark(model)) {
      const message = `Item '${id}' of type '${string(item.type)}' was created by another model and cannot be used with '${model}'.`;
      yield { rule: "item_id", message, param: "input" };
    } else if (origin.reasoned && !isReasoning(item) && !reasoned.has(origin.answer)) {
      const message = `Item '${id}' of type '${string(item.type)}' was provided without its required 'reasoning' item.`;
      yield { rule: "reasoning_pair", message, param: "input" };
    }
  }
}

function isReasoning({ type }: Wire): boolean {
  return type === "reasoning";
}

/** Items that change the tools. */
function* changeRefusals(request: GptRequest): Generator<Refusal> {
  const { input, facts, model } = request;
  const searches = new Set<string>();
  for (const [index, item] of input.entries()) {
    const param = `input[${index}]`;
    if (item.type === "additional_tools") yield* additionRefusals(request, item, param);
    if (item.type !== "tool_search_call" && item.type !== "tool_search_output") continue;
    if (!facts.tool_search) yield unsupportedItem("tool_search", model, param);
    yield* searchRefusals(item, param, searches);
  }
  for (const id of searches) {
    const message = `No tool search output found for tool search call ${id}.`;
    yield { rule: "tool_search", message, param: "input" };
  }
}

/** Adds to what is declared, and replaces nothing of the top-level list. */
function* additionRefusals(
  { tools, facts, model }: GptRequest,
  item: Wire,
  param: string,
): Generator<Refusal> {
  if (!facts.additional_tools) yield unsupportedItem("additional_tools", model, param);
  if (item.role !== "developer") {
    const message = `Invalid value: '${string(item.role)}'. Supported values are: 'developer'.`;
    yield { rule: "additional_tools", message, param: `${param}.role`, code: "invalid_value" };
  }
  const twice = broughtTools(item).find((tool) => tools.some(({ name }) => name === tool.name));
  if (twice === undefined) return;
  const message = `Tool '${string(twice.name)}' in 'additional_tools' conflicts with a tool in the top-level 'tools' parameter.`;
  yield { rule: "additional_tools", message, param: `${param}.tools` };
}

function unsupportedItem(rule: string, model: string, param: string): Refusal {
  const message = `Invalid input: '${rule}' items are not supported with the '${model}' model.`;
  return { rule, message, param, code: "unsupported_value" };
}

/** A call is followed by its output with the same `call_id`, both by the client and completed. */
function* searchRefusals(item: Wire, param: string, open: Set<string>): Generator<Refusal> {
  const id = string(item.call_id);
  if (item.execution !== "client" || item.status !== "completed") {
    const message = `Invalid '${param}': tool search items in the input need execution 'client' and status 'completed'.`;
    yield { rule: "tool_search", message, param };
  }
  if (item.type === "tool_search_call") {
    open.add(id);
  } else if (!open.delete(id)) {
    const message = `No tool search call found for tool search output with call_id ${id}.`;
    yield { rule: "tool_search", message, param: "input" };
  }
}

function* configurationRefusals(request: GptRequest): Generator<Refusal> {
  const { input, facts, model } = request;
  for (const [index, item] of input.entries()) {
    if (item.type !== "configuration_update") continue;
    const param = `input[${index}]`;
    if (!facts.sixth) yield unsupportedItem("configuration_update", model, param);
    if (input[index - 1]?.type === "configuration_update") {
      const message = `Invalid '${param}': adjacent 'configuration_update' items must be merged.`;
      yield { rule: "configuration_update", message, param };
    }
    const effort = string(objectOf(item.reasoning).effort);
    if (effort !== "" && !facts.efforts.includes(effort)) {
      yield effortRefusal(effort, request, `${param}.reasoning.effort`);
    }
  }
}
