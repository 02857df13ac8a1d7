import { createHash } from "node:crypto";
import type { OpenAI } from "openai";
import type { SystemMessage, ToolDefinition } from "../../../core/values/message.ts";
import { nearestEffort, openAiFamily } from "../family.ts";
import type { ResponsesForm } from "./responses-form.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type FunctionTool = OpenAI.Responses.FunctionTool;

/** Says what changed in a conversation, change after change, as input items. */
export interface ChangeItems {
  /** The tools of the opening, where they are not in `tools`. */
  ofOpening(tools: readonly ToolDefinition[]): Item[];
  of(change: SystemMessage): Item[];
}

/**
 * `additional_tools` items add up: a later one adds tools and replaces those of the same name in earlier ones, but cannot
 * replace one of `tools` nor remove any. So all tools are in such items, and removals are told in words alone.
 * https://developers.openai.com/api/docs/guides/function-calling
 */
export function createChangeItems(
  model: string,
  form: ResponsesForm,
  ofTools: (tools: readonly ToolDefinition[]) => FunctionTool[],
): ChangeItems {
  const unavailable = new Set<string>();
  const additional = (tools: readonly ToolDefinition[]): Item[] =>
    tools.length === 0 ? [] : [{ type: "additional_tools", role: "developer", tools: ofTools(tools) }];
  const inWords = (content: string): Item[] => (content === "" ? [] : [{ role: form.instructions, content }]);
  const effortItem = ({ effort }: SystemMessage): Item[] => {
    const known = openAiFamily(model)?.efforts ?? [];
    const nearest = effort === undefined || !form.updatesEffort ? undefined : nearestEffort(effort, known);
    return nearest === undefined ? [] : [{ type: "configuration_update", reasoning: { effort: nearest } }];
  };

  return {
    ofOpening: (tools) => (form.additions === "additional_tools" ? additional(tools) : []),
    of(change) {
      const { text, add = [], remove = [] } = change;
      for (const { name } of add) unavailable.delete(name);
      const notice = add.length === 0 ? "" : incrementalNotice(unavailable);
      const added = new Set(add.map(({ name }) => name));
      for (const name of remove) if (!added.has(name)) unavailable.add(name);
      switch (form.additions) {
        case "additional_tools": {
          const words = [text, notice].filter(Boolean).join("\n\n");
          return [...inWords(words), ...additional(add), ...effortItem(change)];
        }
        case "tool_search":
          return [...inWords(text), ...foundTools(ofTools(add)), ...effortItem(change)];
        case "tools":
          return [...inWords(text), ...effortItem(change)];
      }
    },
  };
}

/** Without it models take the latest item for the whole list, and small ones call tools again that are gone. */
function incrementalNotice(unavailable: ReadonlySet<string>): string {
  const notice =
    "This is an incremental update of the tools. All tools declared before stay available unless they are named as unavailable. A tool declared again is available again, and its latest definition counts.";
  return unavailable.size === 0 ? notice : `${notice}\nStill unavailable: ${[...unavailable].join(", ")}.`;
}

/** https://developers.openai.com/api/docs/guides/tools-tool-search: as if the client had been asked to search for them. */
function foundTools(tools: readonly FunctionTool[]): Item[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ name }) => name).join(" ");
  const digest = createHash("sha256").update(JSON.stringify(tools)).digest("hex").slice(0, 24);
  const shared = { call_id: `call_${digest}`, execution: "client", status: "completed" } as const;
  return [
    { type: "tool_search_call", ...shared, arguments: { query: names, limit: tools.length } },
    { type: "tool_search_output", ...shared, tools: tools.map((tool) => ({ ...tool, defer_loading: true })) },
  ];
}
