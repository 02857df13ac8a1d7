import type { Incoming } from "../exchange.ts";
import { gptFacts } from "../openai-models.ts";
import { objects, string, type Wire } from "../wire.ts";
import { type PresetName, presetOf } from "./completions-presets.ts";

/** Servers that speak chat completions, each with its own rules. */
export type Dialect = "openai" | "deepseek" | "gemini" | "strict" | "plain" | PresetName;

const dialects: readonly Dialect[] = ["openai", "deepseek", "gemini", "strict", "plain"];

/** A request for chat completions, taken apart. */
export interface ChatRequest {
  dialect: Dialect;
  model: string;
  body: Wire;
  key: string;
  messages: Wire[];
  tools: Wire[];
  /** The effort; `none` if the server does not reason. */
  effort: string;
}

export function readChatRequest(incoming: Incoming): ChatRequest {
  const { body, key } = incoming;
  const model = string(body.model);
  const dialect = dialectOf(incoming);
  return {
    dialect,
    model,
    body,
    key,
    messages: objects(body.messages),
    tools: objects(body.tools),
    effort: effortOf(dialect, model, body),
  };
}

/** By the first part of the path (`/deepseek/v1/…`), else by the model's name. */
export function dialectOf({ path, body }: Pick<Incoming, "path" | "body">): Dialect {
  const prefix = path.split("/")[1];
  const model = string(body.model);
  if (prefix !== undefined && presetOf(prefix) !== undefined) return prefix as PresetName;
  const named = dialects.find((dialect) => dialect === prefix || model.startsWith(dialect));
  if (named !== undefined) return named;
  return gptFacts(model) === undefined ? "plain" : "openai";
}

function effortOf(dialect: Dialect, model: string, body: Wire): string {
  const given = string(body.reasoning_effort);
  if (dialect === "openai") return given || (gptFacts(model)?.effort ?? "none");
  return dialect === "plain" || dialect === "strict" ? "none" : given || "high";
}

/** The calls of an assistant message. */
export function callsOf(message: Wire): Wire[] {
  return objects(message.tool_calls);
}
