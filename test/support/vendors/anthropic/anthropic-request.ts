import { objectOf } from "../../../../src/core/values/json.ts";
import type { Incoming } from "../exchange.ts";
import { blocksOf, objects, string, type Wire } from "../wire.ts";
import { type ClaudeFacts, claudeFacts } from "./anthropic-models.ts";

export interface ClaudeMessage {
  role: string;
  /** The content; a string is one text block. */
  blocks: Wire[];
  /** The effort from here on, of a system message. */
  effort: string | undefined;
  wire: Wire;
}

/** A request to the messages API, taken apart. */
export interface ClaudeRequest {
  model: string;
  facts: ClaudeFacts;
  /** The model exists. */
  known: boolean;
  body: Wire;
  betas: ReadonlySet<string>;
  /** The API key. */
  account: string;
  system: Wire[];
  tools: Wire[];
  messages: ClaudeMessage[];
  /** Type of `thinking`, the model's own unless given. */
  thinking: string;
  /** `none` leaves out what the model would show. */
  display: string;
}

export function readClaudeRequest({ body, headers, key }: Incoming): ClaudeRequest {
  const model = string(body.model);
  const known = claudeFacts(model);
  const facts = known ?? claudeFacts("claude-sonnet-4-5");
  if (facts === undefined) throw new Error("the table of models has no default");
  const thinking = objectOf(body.thinking);
  return {
    model,
    facts,
    known: known !== undefined,
    body,
    betas: new Set((headers["anthropic-beta"] ?? "").split(",").map((beta) => beta.trim())),
    account: key,
    system: blocksOf(body.system),
    tools: objects(body.tools),
    messages: objects(body.messages).map((wire) => ({
      role: string(wire.role),
      blocks: blocksOf(wire.content),
      effort: string(objectOf(wire.output_config).effort) || undefined,
      wire,
    })),
    thinking: string(thinking.type) || (facts.thinks ? "adaptive" : "disabled"),
    display: string(thinking.display) || (facts.bound ? "omitted" : "summarized"),
  };
}

/** The definition a `tool_addition` carries; undefined when it only names a tool. */
export function addedDefinition(block: Wire): Wire | undefined {
  const tool = objectOf(block.tool);
  return tool.type === "tool_definition" ? objectOf(tool.definition) : undefined;
}

/** The name of the tool a `tool_addition` or `tool_removal` is about. */
export function changedTool(block: Wire): string {
  const definition = addedDefinition(block);
  return string(definition === undefined ? objectOf(block.tool).name : definition.name);
}

/** The tools that can be called at the end of the conversation. */
export function availableTools({ tools, messages }: ClaudeRequest): Wire[] {
  const declared = new Map(tools.map((tool) => [string(tool.name), tool]));
  const now = new Map(
    tools.filter((tool) => tool.defer_loading !== true).map((tool) => [string(tool.name), tool]),
  );
  for (const block of messages.flatMap((message) => message.blocks)) {
    const name = changedTool(block);
    if (block.type === "tool_removal") now.delete(name);
    if (block.type !== "tool_addition") continue;
    const definition = addedDefinition(block);
    if (definition !== undefined) declared.set(name, definition);
    const tool = declared.get(name);
    if (tool !== undefined) now.set(name, tool);
  }
  return [...now.values()];
}

/** The effort of the next answer. */
export function effortOf({ messages, body }: ClaudeRequest): string | undefined {
  const said = messages.findLast((message) => message.effort !== undefined)?.effort;
  return said ?? (string(objectOf(body.output_config).effort) || undefined);
}
