import type { ToolCall, ToolDefinition } from "../../../core/values/message.ts";
import { argumentsObject, argumentsText } from "../../tool-call-text.ts";

/*
 * Tools that come during a conversation, for servers whose cache ends where the list of tools has changed: a message describes
 * them, and the model calls them through one tool that is there from the beginning.
 */

const calling = "call_added_tool";

/** The tool that calls the others. */
export const callAddedTool: ToolDefinition = {
  name: calling,
  description: "Calls a tool that a later message added; only these.",
  parameters: {
    type: "object",
    properties: {
      name: { type: "string" },
      arguments: { type: "object", description: "as the parameters of that tool say" },
    },
    required: ["name", "arguments"],
  },
};

/** What a message says that adds tools. */
export function describedTools(tools: readonly ToolDefinition[]): string {
  const lines = tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  );
  return [`New or changed tools; those that are not in your list, you call with ${calling}:`, ...lines].join(
    "\n",
  );
}

/** A call as the model makes it: through the one tool unless its own is in the list of the request. */
export function asMade(call: ToolCall, listed: ReadonlySet<string>): ToolCall {
  if (listed.has(call.name)) return call;
  const { name, arguments: input } = call;
  return {
    ...call,
    name: calling,
    arguments: `{"name":${JSON.stringify(name)},"arguments":${argumentsText(input)}}`,
  };
}

/**
 * A call as it is meant. Models also call added tools directly, or write the arguments as text; of a call that is no JSON, the tool that it
 * names gets all of the text.
 */
export function asMeant<Call extends ToolCall>(call: Call): Call {
  if (call.name !== calling) return call;
  const { name, arguments: input = {} } = argumentsObject(call.arguments);
  if (typeof name === "string")
    return { ...call, name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
  const named = /"name"\s{0,9}:\s{0,9}"([\w-]{1,64})"/.exec(call.arguments)?.[1];
  return named === undefined ? call : { ...call, name: named };
}
