import { cutText } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";

/** A server refused a request, and what it says is about definitions of tools. */
export class ToolRefusal extends Error {
  /** The names it means, as they were sent. Empty when it means none by name or place. */
  readonly names: ReadonlySet<string>;
  /** Its own words, cut. */
  readonly why: string;
  constructor(names: ReadonlySet<string>, why: string, cause: unknown) {
    super(why, { cause });
    this.names = names;
    this.why = why;
  }
}

/** Characters of what a server says that are told, and that are looked at. */
const maxWhy = 160;
const maxText = 20_000;

/** As servers speak of what a tool is defined by. */
const ofDefinition =
  /schema|parameters|properties|function[_ ]?declaration|(?:tools?|functions?)\b.{0,60}\b(?:name|description|definition)|grammar/i;

/** As servers say that a schema of an answer, or a feature around tools, is what they refuse. */
const ofSomethingElse =
  /response_format|text\.format|output_config|output_format|defer_loading|cache_control|tool_choice|reasoning_effort|additional_tools|tool_search|tool_addition (?:is|blocks)/i;

/** As servers refuse without a reason. */
const vague =
  /^\W*(?:\d{3})?\W*(?:bad request|invalid request|provider returned error|invalid argument|.{0,3})\W*$/i;

/**
 * What a refused request says of its tools. Undefined when it was refused for something else.
 * @param body of the request that was refused
 */
export function toolRefusal(error: unknown, body: object): ToolRefusal | undefined {
  if (error instanceof ToolRefusal) return error;
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  if (error.status !== 400 && error.status !== 422) return undefined;
  const tools = toolsIn(body);
  if (tools.length === 0) return undefined;
  const said = "error" in error ? saidIn(error.error) : "";
  const text = `${error.message} ${"error" in error ? JSON.stringify(error.error) : ""}`.slice(0, maxText);
  if (ofSomethingElse.test(text)) return undefined;
  if (!ofDefinition.test(text)) {
    return vague.test(said || error.message)
      ? new ToolRefusal(new Set(), "it gives no reason", error)
      : undefined;
  }
  const names = new Set([...placedIn(text, body), ...quotedIn(text, tools)]);
  const why = (said || error.message).replaceAll(/\s+/g, " ").trim();
  return new ToolRefusal(names, cutText(why, maxWhy), error);
}

/** The message of an error body. Routers keep their provider's inside. */
function saidIn(body: unknown): string {
  if (!isRecord(body)) return "";
  const inner = isRecord(body.error) ? body.error : body;
  const raw = isRecord(inner.metadata) ? inner.metadata.raw : undefined;
  if (typeof raw === "string" && raw !== "") return raw;
  return typeof inner.message === "string" ? inner.message : "";
}

/** The tools that the places name: `tools.3.custom.input_schema`, `tools[3].function.parameters`, `messages.5.content.0.tool.definition`. */
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

/** The name of the deepest tool on the way. */
function nameAt(body: object, steps: readonly string[]): string | undefined {
  let value: unknown = body;
  let name: string | undefined;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isRecord(value) && Object.hasOwn(value, step)) value = value[step];
    else break;
    name = toolName(value) ?? name;
  }
  // A place may name a block that holds a tool.
  return name ?? toolsIn(isRecord(value) ? value : {})[0];
}

/** The tools whose names stand in quotation marks. */
function quotedIn(text: string, tools: readonly string[]): string[] {
  return tools.filter((name) =>
    ["'", '"', "`", '\\"', "“"].some((mark) => text.includes(`${mark}${name}${mark === "“" ? "”" : mark}`)),
  );
}

/** A function in the shape of any vendor. */
function toolName(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value.function)
    ? value.function
    : isRecord(value.definition)
      ? value.definition
      : value;
  const isTool = "input_schema" in inner || "parameters" in inner;
  return isTool && typeof inner.name === "string" ? inner.name : undefined;
}

/** The names of all tools that a request defines, wherever it does. */
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
