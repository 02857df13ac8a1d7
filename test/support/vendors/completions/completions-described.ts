import { objectOf, parseJson } from "../../../../src/core/values/json.ts";
import { callAddedTool } from "../../../../src/models/openai/chat/added-tools.ts";
import type { ScriptedCall, ViewedCall } from "../view.ts";
import { string, textOf, type Wire } from "../wire.ts";
import type { ChatRequest } from "./completions-request.ts";

/** A model reads in a message which tools are new, and calls them through the one that the list has for it. */
export function describedTools({ tools, messages }: Pick<ChatRequest, "tools" | "messages">): Wire[] {
  const names = tools.map((tool) => string(objectOf(tool.function).name));
  if (!names.includes(callAddedTool.name)) return [];
  const described = messages.flatMap(({ role, content }) =>
    role === "assistant" ? [] : [...textOf(content).matchAll(/^\{"name":"[\w-]+","description":.*\}$/gm)],
  );
  return described
    .map(([line]) => objectOf(parseJson(line)))
    .filter(({ name }) => !names.includes(string(name)));
}

/** A call as the model writes it. */
export function throughOne(call: ScriptedCall, request: ChatRequest): ScriptedCall {
  if (!describedTools(request).some((tool) => tool.name === call.name)) return call;
  return { name: callAddedTool.name, input: { name: call.name, arguments: call.input } };
}

/** A past call as the model meant it. */
export function meant(call: ViewedCall): ViewedCall {
  if (call.name !== callAddedTool.name) return call;
  const { name, arguments: input = {} } = objectOf(call.input);
  return { ...call, name: string(name), input };
}
