import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelRequest } from "../../core/ports/model.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import type { Abilities } from "./models.ts";

/**
 * A tool nobody can call. Without one that is deferred from the first request on, the first tool added later misses the
 * whole cache.
 */
const placeholder: Anthropic.Tool = {
  name: "reserved_placeholder",
  description: "Reserved. It is never available.",
  input_schema: { type: "object", properties: {} },
  defer_loading: true,
};

/**
 * The list of tools: that of the opening where later ones are added in the middle, otherwise with all that were added. Tools
 * that are gone stay, so that the list never shrinks. A list of deferred tools alone is refused.
 */
export function toolList(request: ModelRequest, { inline }: Abilities): Anthropic.Tool[] {
  if (inline && request.tools.length > 0) return [...request.tools.map(toolDefinition), placeholder];
  return toolsNow(request, "keep").map(toolDefinition);
}

/** A tool in Anthropic's shape. */
export function toolDefinition({ name, description, parameters }: ToolDefinition): Anthropic.Tool {
  return { name, description, input_schema: parameters as Anthropic.Tool["input_schema"] };
}
