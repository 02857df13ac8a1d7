import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
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
  return { status: "ok", output: outputOf(result.structuredContent, lines, fileLines) };
}

function outputOf(structured: CallToolResult["structuredContent"], lines: string[], files: string[]): Json {
  if (structured === undefined) return shorten([...lines, ...files].join("\n"));
  const text = JSON.stringify(structured);
  if (text.length > longestOutput) return shorten(text);
  const value = JSON.parse(text) as Json;
  return files.length === 0 ? value : { result: value, files };
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
