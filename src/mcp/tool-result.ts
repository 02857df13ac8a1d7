import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { ExactNumber, parseExactly } from "../base/exact-number.ts";
import { isContainer } from "../base/record.ts";
import { SkillFailure } from "../core/define-skill.ts";
import { safeMediaType } from "../core/file-name.ts";
import type { Json } from "../core/json.ts";
import type { ToolContext, ToolResult } from "../core/tool.ts";

/** Characters of one result; the model reads it in parts. */
const longestOutput = 400_000;

/** A server's result as the model reads it. Images, sounds and other bytes become files of the turn, never text. */
export async function toToolResult(
  result: CallToolResult,
  tool: string,
  context: ToolContext,
): Promise<ToolResult> {
  const lines: string[] = [];
  const fileLines: string[] = [];
  for (const [at, block] of result.content.entries()) {
    const read = readBlock(block, `${tool}-${at + 1}`);
    if (typeof read === "string") lines.push(read);
    else fileLines.push(await handOver(read, context));
  }
  if (result.isError === true) {
    const message =
      shorten([...lines, ...fileLines].join("\n").trim()) || `${tool} failed without saying why.`;
    return { status: "error", code: "tool_failed", message };
  }
  const { structuredContent: structured } = result;
  const output = outputOf(structured, lines, fileLines);
  const text = lines.join("\n");
  const isReadable =
    structured !== undefined && toldBy(text, parseExactly(JSON.stringify(structured)) as Json) === "all";
  return {
    status: "ok",
    output,
    ...(isReadable ? { readable: [text, ...fileLines].join("\n") } : {}),
  };
}

/** The structured content, where the text says nothing beside it; else both, the text first. */
function outputOf(structured: CallToolResult["structuredContent"], lines: string[], files: string[]): Json {
  const text = lines.join("\n");
  if (structured === undefined) return shorten([...lines, ...files].join("\n"));
  const json = JSON.stringify(structured);
  if (json.length > longestOutput) return shorten(text.trim() === "" ? json : text);
  const value = parseExactly(json) as { [key: string]: Json };
  const saysMore = toldBy(text, value) === "something else";
  const withText = saysMore && !("text" in value) ? { text: shorten(text), ...value } : value;
  return files.length === 0 ? withText : { result: withText, files };
}

/** What the text says beside the structured content. */
function toldBy(text: string, value: Json): "nothing new" | "all" | "something else" {
  const leaves = leavesOf(value);
  if (text.trim() === "" || leaves.includes(text) || isJson(text)) return "nothing new";
  const words = new Set(wordsOf(text));
  return wordsOf(leaves.join("\n")).every((word) => words.has(word)) ? "all" : "something else";
}

/** By the protocol, a text that is JSON is the structured content again. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts and numbers of a value. */
function leavesOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || value instanceof ExactNumber) return [String(value)];
  return isContainer(value) ? Object.values(value).flatMap(leavesOf) : [];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function shorten(text: string): string {
  if (text.length <= longestOutput) return text;
  return `${text.slice(0, longestOutput)}\n[Cut: the first ${longestOutput} of ${text.length} characters.]`;
}

interface Bytes {
  name: string;
  media_type: string;
  base64: string;
}

function readBlock(block: ContentBlock, name: string): string | Bytes {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return fileOf(name, block.mimeType, block.data);
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})${block.description ? `: ${block.description}` : ""}`;
    case "resource": {
      const { uri, mimeType = "application/octet-stream" } = block.resource;
      if ("text" in block.resource) return `${uri}:\n${block.resource.text}`;
      const last = uri.split(/[/?#]/).findLast((part) => part !== "");
      return fileOf(last ?? name, mimeType, block.resource.blob);
    }
    default:
      return unknownBlock(block);
  }
}

function unknownBlock(block: never): string {
  return `[Something the bot cannot read: ${String((block as { type?: unknown }).type)}]`;
}

function fileOf(name: string, mimeType: string, base64: string): Bytes {
  const media_type = safeMediaType(mimeType);
  const kind = media_type.split("/")[1]?.replace(/^x-/, "").replace(/\+.*$/, "") ?? "bin";
  const extension = { jpeg: "jpg", mpeg: "mp3", plain: "txt", "octet-stream": "bin" }[kind] ?? kind;
  return { name: name.includes(".") ? name : `${name}.${extension}`, media_type, base64 };
}

async function handOver({ name, media_type, base64 }: Bytes, context: ToolContext): Promise<string> {
  const data = Buffer.from(base64, "base64");
  try {
    await context.file({ name, media_type, data });
    return `[The person gets the file ${name}: ${media_type}, ${data.byteLength} bytes.]`;
  } catch (error) {
    if (!(error instanceof SkillFailure)) throw error;
    return `[A file is left out: ${error.message}.]`;
  }
}
