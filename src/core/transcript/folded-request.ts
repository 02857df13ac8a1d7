import type { ModelRequest } from "../ports/model.ts";
import type { ToolDefinition } from "../values/message.ts";

/**
 * The tools of a request as its system messages left them: those of the opening in their order, then the added ones in
 * theirs; a tool that changed keeps its place. `removed` says whether tools that are gone stay in the list, for providers
 * whose cache and reasoning depend on it (a call of them is refused all the same).
 */
export function toolsNow(
  { tools, messages }: Pick<ModelRequest, "tools" | "messages">,
  removed: "keep" | "drop",
): readonly ToolDefinition[] {
  if (!messages.some((message) => message.role === "system")) return tools;
  const now = new Map(tools.map((tool) => [tool.name, tool]));
  for (const message of messages) {
    if (message.role !== "system") continue;
    const added = new Set(message.add?.map(({ name }) => name));
    for (const name of message.remove ?? []) if (removed === "drop" && !added.has(name)) now.delete(name);
    for (const tool of message.add ?? []) now.set(tool.name, tool);
  }
  return [...now.values()];
}

/**
 * The request as one that never changed: instructions and tools as they are now, no system message among the others. For
 * models to which nothing can be said in the middle.
 */
export function foldedRequest(request: ModelRequest): ModelRequest {
  const changes = request.messages.filter((message) => message.role === "system");
  if (changes.length === 0 && request.no_calls !== true) return request;
  const effort = changes.findLast((message) => message.effort !== undefined)?.effort;
  return {
    ...request,
    system: [request.system, ...changes.map(({ text }) => text)].filter(Boolean).join("\n\n"),
    messages: request.messages.filter((message) => message.role !== "system"),
    tools: request.no_calls === true ? [] : toolsNow(request, "drop"),
    ...(effort === undefined ? {} : { effort }),
  };
}
