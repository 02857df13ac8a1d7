import type { Anthropic } from "@anthropic-ai/sdk";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import type { JsonSchema } from "../../core/values/json.ts";
import type { Effort } from "../../core/values/message.ts";
import { type OutputForm, objectSchema, outputName } from "../structured-output.ts";
import { notesExplained } from "../system-note.ts";
import { markConversation, markSystem, markTools } from "./cache.ts";
import type { WireMessage } from "./messages.ts";
import { type Abilities, wireEffort } from "./models.ts";
import { closedSchema } from "./schema.ts";
import { toolList } from "./tools.ts";

/** A request without its model: the body, and the beta features it uses. */
export interface WireRequest {
  body: Omit<Anthropic.MessageCreateParams, "model" | "max_tokens" | "stream">;
  betas: string[];
}

/**
 * What is sent for a request. Between two requests of one transcript only the end of `messages` grows where the model takes
 * changes in the middle; elsewhere `tools` and the effort change too.
 * @throws ModelError `invalid_request` for a schema the server has no means for.
 */
export function wireRequest(
  request: ModelRequest,
  messages: readonly WireMessage[],
  form: OutputForm,
  abilities: Abilities,
): WireRequest {
  const isFree = form.kind === "free";
  // Threads share openings with tools. Any other question is asked once; with a schema, not even its end is read again.
  const forAnHour = isFree && request.tools.length > 0 && abilities.hourCache;
  const tools = markTools(toolList(request, abilities), forAnHour);
  const output = form.kind === "schema" ? outputMeans(form.schema, abilities) : {};
  const effort = wireEffort(openingEffort(request, abilities), abilities);
  const outputConfig = { ...(effort === undefined ? {} : { effort }), ...output.config };
  const forbidden = !isFree || request.no_calls === true;
  return {
    body: {
      // The typings of the stable API know no tool changes in system messages.
      messages: (isFree ? markConversation(messages) : messages) as Anthropic.MessageParam[],
      ...markSystem(systemText(request, abilities), forAnHour),
      ...toolUse(tools, forbidden, output.tool),
      ...(isFree ? thinkingPart(abilities) : {}),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    },
    betas: [...betasOf(request, abilities), ...(isFree ? displayBetas(abilities) : [])],
  };
}

/** Where changes are told as notes, a conversation with tools says from its opening on what notes are. */
function systemText({ system, tools }: ModelRequest, { inline }: Abilities): string {
  return inline || tools.length === 0 ? system : [system, notesExplained].filter(Boolean).join("\n\n");
}

/** Betas are the same for every request of a transcript, whether or not something has changed yet. */
function betasOf({ tools }: ModelRequest, { inline, effortChange }: Abilities): string[] {
  if (!inline) return [];
  return [
    ...(tools.length > 0 ? ["inline-tools-2026-09-15"] : []),
    ...(effortChange ? ["mid-conversation-output-config-2026-07-01"] : []),
  ];
}

/**
 * Asks models that think anyway to show something of it, in every request of a transcript in the same way.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#controlling-thinking-display
 */
function thinkingPart({ display }: Abilities): Pick<Anthropic.MessageCreateParams, "thinking"> {
  if (display === undefined) return {};
  // The typings of the stable API do not know `updates`.
  return { thinking: { type: "adaptive", display } as Anthropic.ThinkingConfigParam };
}

function displayBetas({ display }: Abilities): string[] {
  return display === "updates" ? ["thinking-display-updates-2026-08-18"] : [];
}

/** Where effort cannot change in the middle, the whole request has the latest. */
function openingEffort(
  { effort, messages }: ModelRequest,
  { inline, effortChange }: Abilities,
): Effort | undefined {
  if (inline && effortChange) return effort;
  const changed = messages.findLast((message) => message.role === "system" && message.effort !== undefined);
  return changed?.role === "system" ? changed.effort : effort;
}

/** Tools stay where none may be called: a conversation with calls in it is refused without them. */
function toolUse(tools: readonly Anthropic.Tool[], forbidden: boolean, forced: Anthropic.Tool | undefined) {
  if (forced !== undefined) {
    const tool_choice = { type: "tool", name: forced.name, disable_parallel_tool_use: true } as const;
    return { tools: [...tools, forced], tool_choice };
  }
  if (tools.length === 0) return {};
  return forbidden ? { tools: [...tools], tool_choice: { type: "none" } as const } : { tools: [...tools] };
}

interface OutputMeans {
  config?: Pick<Anthropic.OutputConfig, "format">;
  /** A tool that must be called: any schema is accepted. */
  tool?: Anthropic.Tool;
}

function outputMeans(schema: JsonSchema, abilities: Abilities): OutputMeans {
  const asked = objectSchema(schema);
  const closed = abilities.schema ? closedSchema(asked) : undefined;
  if (closed !== undefined) return { config: { format: { type: "json_schema", schema: closed } } };
  if (!abilities.forcedTool) {
    throw new ModelError("invalid_request", "The model takes no schema of this kind. Ask for it in words.");
  }
  const input_schema = asked as Anthropic.Tool["input_schema"];
  return { tool: { name: outputName, description: "Gives the answer.", input_schema } };
}
