import { type Json, objectOf } from "../../src/core/values/json.ts";

/** A tool as it is called today. */
interface CurrentTool {
  name: string;
  /** The input of the frozen tool as today's tool accepts it; the same unless given. */
  input?(frozen: Json): Json;
}

/**
 * The tasks and the plain loop call tools by the names and inputs of `frozen-tools.json`. This table is the only place that says which
 * tool of today does the same; a tool that is not in it has kept its name and input.
 */
const renamed: Readonly<Record<string, CurrentTool>> = {
  "channel-summary": { name: "channel_summarize" },
  "code-execution": { name: "code_execute" },
  "code-generation": { name: "code_generate" },
  "code-review": { name: "code_review" },
  "data-visualization": { name: "chart_draw" },
  "document-summarizer": { name: "document_summarize" },
  "image-generation_diagram": { name: "diagram_draw" },
  "image-generation_make": { name: "picture_make" },
  "simple-writing": { name: "document_write" },
  "task-planning": { name: "task_plan" },
  "text-analyzer": { name: "text_analyze" },
  "web-research": { name: "web_research" },
  "web-scraping": { name: "web_read" },
  "web-search": { name: "web_search" },
  reminder: { name: "schedule_add" },
  schedule_add: {
    name: "schedule_add",
    input(frozen) {
      const { at, cron, ...rest } = objectOf(frozen);
      return { ...rest, when: at ?? cron ?? "" };
    },
  },
};

/** Today's tool for a frozen name. */
export function currentTool(name: string): CurrentTool {
  return renamed[name] ?? { name };
}

/** Today's input for an input of the frozen tool. */
export function currentInput(name: string, input: Json): Json {
  return renamed[name]?.input?.(input) ?? input;
}
