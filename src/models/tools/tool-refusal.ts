import { cutText } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";

/** A server refused a request because of its tool definitions. */
export class ToolRefusal extends Error {
  /** The names of the refused tools as they were sent. Empty when the server identifies none by name or place. */
  readonly names: ReadonlySet<string>;
  /** The server's words, cut. */
  readonly why: string;
  constructor(names: ReadonlySet<string>, why: string, cause: unknown) {
    super(why, { cause });
    this.names = names;
    this.why = why;
  }
}

/** Maximum characters of a server's words that are passed on, and that are searched. */
const maxWhy = 160;
const maxText = 20_000;

/** Words in refusals that are about tool definitions. */
const ofDefinition =
  /schema|parameters|properties|function[_ ]?declaration|(?:tools?|functions?)\b.{0,60}\b(?:name|description|definition)|grammar/i;

/** Words in refusals that are about an answer's schema, or a feature around tools. */
const ofSomethingElse =
  /response_format|text\.format|output_config|output_format|defer_loading|cache_control|tool_choice|reasoning_effort|additional_tools|tool_search|tool_addition (?:is|blocks)/i;

/** Refusals without a reason. */
const vague =
  /^\W*(?:\d{3})?\W*(?:bad request|invalid request|provider returned error|invalid argument|.{0,3})\W*$/i;

/**
 * The tools for which a request was refused. Undefined when it was refused for something else.
 * @param body of the refused request
 */
export function toolRefusal(error: unknown, body: object): ToolRefusal | undefined {
  if (error instanceof ToolRefusal) return error;
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  if (error.status !== 400 && error.status !== 422) return undefined;
  const tools = toolsIn(body);
  if (tools.length === 0) return undefined;
  const message = "error" in error ? messageIn(error.error) : "";
  const text = `${error.message} ${"error" in error ? JSON.stringify(error.error) : ""}`.slice(0, maxText);
  if (ofSomethingElse.test(text)) return undefined;
  if (!ofDefinition.test(text)) {
    return vague.test(message || error.message)
      ? new ToolRefusal(new Set(), "it gives no reason", error)
      : undefined;
  }
  const names = new Set([...placedIn(text, body), ...quotedIn(text, tools)]);
  const why = (message || error.message).replaceAll(/\s+/g, " ").trim();
  return new ToolRefusal(names, cutText(why, maxWhy), error);
}

/** The message of an error body. Routers nest the message of their provider. */
function messageIn(body: unknown): string {
  if (!isRecord(body)) return "";
  const inner = isRecord(body.error) ? body.error : body;
  const raw = isRecord(inner.metadata) ? inner.metadata.raw : undefined;
  if (typeof raw === "string" && raw !== "") return raw;
  return typeof inner.message === "string" ? inner.message : "";
}

/** The tools at the places in a text: `tools.3.custom.input_schema`, `tools[3].function.parameters`, `messages.5.content.0.tool.definition`. */
function placedIn(text: string, body: object): string[] {
  const places =
    text.match(/\b(?:tools|messages|input|function_declarations)(?:[.[\]]{1,2}\w{1,40}){1,12}/g) ?? [];
  return places.flatMap((place) => {
    // Gemini has all functions in one tool.
    const steps = place
      .replace(/^.*function_declarations/, "tools")
      .split(/[.[\]]+/)
      .filter(Boolean);
    return nameAt(body, steps) ?? [];
  });
}

/** The name of the innermost tool on the path. */
function nameAt(body: object, steps: readonly string[]): string | undefined {
  let value: unknown = body;
  let name: string | undefined;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isRecord(value) && Object.hasOwn(value, step)) value = value[step];
    else break;
    name = toolName(value) ?? name;
  }
  // The place may be that of a block that holds a tool.
  return name ?? toolsIn(isRecord(value) ? value : {})[0];
}

/** The tools whose names are in quotation marks. */
function quotedIn(text: string, tools: readonly string[]): string[] {
  return tools.filter((name) =>
    ["'", '"', "`", '\\"', "“"].some((mark) => text.includes(`${mark}${name}${mark === "“" ? "”" : mark}`)),
  );
}

/** The name of a function in any vendor's format. */
function toolName(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const inner = [value.function, value.definition].find(isRecord) ?? value;
  const isTool = "input_schema" in inner || "parameters" in inner;
  return isTool && typeof inner.name === "string" ? inner.name : undefined;
}

/** The names of all tools that a request defines anywhere. */
function toolsIn(body: object): string[] {
  const name = toolName(body);
  return name === undefined ? partsOf(body).flatMap(toolsIn) : [name];
}

function partsOf(value: object): object[] {
  const parts: unknown[] = Array.isArray(value)
    ? value
    : ["tools", "messages", "input", "content", "tool"].map((field) => Reflect.get(value, field));
  return parts.filter((part) => typeof part === "object" && part !== null);
}
