import { z } from "zod";
import { ExactNumber } from "../base/exact-number.ts";
import { imageType, safeMediaType } from "../base/file-kind.ts";
import { parsedJson } from "../base/json-reader.ts";
import { oneLine } from "../base/markdown-text.ts";
import { isContainer, isRecord } from "../base/record.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";
import type { ToolContext, ToolResult } from "../core/skill/tool.ts";
import { type Json, toJson } from "../core/values/json.ts";
import { shortJson } from "./server-message.ts";

/** Maximum length of one result, characters; the model reads it in parts. */
const maxOutput = 400_000;

/** Maximum length of a part of an unknown type, characters. */
const maxUnknown = 2_000;

/**
 * A server's result as the model reads it. Images, sounds and other bytes become files of the turn, never text. A part that cannot be read
 * hides none of the others, and is shown with its beginning.
 */
export async function toToolResult(
  result: Record<string, unknown>,
  tool: string,
  context: ToolContext,
): Promise<ToolResult> {
  const lines: string[] = [];
  const fileLines: string[] = [];
  for (const [at, block] of blocksOf(result.content).entries()) {
    const read = readBlock(block, `${tool}-${at + 1}`);
    if (typeof read === "string") lines.push(read);
    else fileLines.push(await handOver(read, context));
  }
  const structured = structuredIn(result);
  if (result.isError === true || result.isError === "true") {
    const said = [...lines, ...fileLines].join("\n").trim() || (structured && JSON.stringify(structured));
    return {
      status: "error",
      code: "tool_failed",
      message: shorten(said || `${tool} failed without saying why.`),
    };
  }
  const output = outputOf(structured, lines, fileLines);
  const text = lines.join("\n");
  const isReadable = structured !== undefined && toldBy(text, structured) === "all";
  return {
    status: "ok",
    output,
    ...(isReadable ? { readable: [text, ...fileLines].join("\n") } : {}),
  };
}

function blocksOf(content: unknown): unknown[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content : [content];
}

/** Members of a result that describe it. */
const aboutResult = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/**
 * The structured content, which newer versions of the protocol allow to be any JSON; for a result in no form of the protocol, all of it.
 */
function structuredIn(result: Record<string, unknown>): Json | undefined {
  const { content, structuredContent } = result;
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !aboutResult.has(name)));
  const isForeign = content === undefined && Object.keys(rest).length > 0;
  const said = structuredContent ?? (isForeign ? rest : undefined);
  return said === undefined ? undefined : toJson(said);
}

/** The structured content alone if the text adds nothing; otherwise both, the text first. */
function outputOf(value: Json | undefined, lines: string[], files: string[]): Json {
  const text = lines.join("\n");
  if (value === undefined) return shorten([...lines, ...files].join("\n"));
  const json = JSON.stringify(value);
  if (json.length > maxOutput) return shorten(text.trim() === "" ? json : text);
  const saysMore = toldBy(text, value) === "something else";
  const withText = saysMore ? joined(shorten(text), value) : value;
  return files.length === 0 ? withText : { result: withText, files };
}

function joined(text: string, value: Json): Json {
  if (!isRecord(value)) return { text, result: value };
  return "text" in value ? value : { text, ...value };
}

/** The text, without what repeats the structured content. */
function toldBy(text: string, value: Json): "nothing new" | "all" | "something else" {
  const leaves = leavesOf(value);
  if (text.trim() === "" || leaves.includes(text) || isJson(text)) return "nothing new";
  const words = new Set(wordsOf(text));
  return wordsOf(leaves.join("\n")).every((word) => words.has(word)) ? "all" : "something else";
}

/** By the protocol, a text that is JSON repeats the structured content. */
function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && parsedJson(text) !== undefined;
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
  if (text.length <= maxOutput) return text;
  return `${text.slice(0, maxOutput)}\n[Cut: the first ${maxOutput} of ${text.length} characters.]`;
}

interface Bytes {
  name: string;
  media_type: string;
  data: Buffer;
}

const text = z.string();
const optionalText = text.optional().catch(undefined);
const bytes = z.object({ data: text, mimeType: text.catch("") }).transform(
  ({ data, mimeType }) =>
    (name: string) =>
      fileOf(name, mimeType, data),
);

const link = z.object({ uri: text, name: optionalText, title: optionalText, description: optionalText });
const resource = z.object({
  uri: text.catch(""),
  mimeType: text.catch(""),
  text: optionalText,
  blob: optionalText,
});

/** Reads a part of a result whose file, if it has no name of its own, gets this one. */
type Read = (name: string) => string | Bytes | undefined;

/** Readers of parts by their type, from the fields that the type has. Anything else in a part is ignored. */
const readers = new Map<unknown, z.ZodType<Read>>([
  ["text", z.object({ text }).transform((part) => () => part.text)],
  ["image", bytes],
  ["audio", bytes],
  ["resource_link", link.transform((part) => () => linkOf(part))],
  [
    "resource",
    z.object({ resource }).transform((part) => (name: string) => readResource(part.resource, name)),
  ],
]);

function readBlock(block: unknown, name: string): string | Bytes {
  if (typeof block === "string") return block;
  const reader = isRecord(block) ? readers.get(block.type) : undefined;
  return reader?.safeParse(block).data?.(name) ?? unreadable(block);
}

function linkOf({ uri, name, title, description }: z.output<typeof link>): string {
  return `[${title ?? name ?? uri}](${uri})${description ? `: ${description}` : ""}`;
}

function readResource(
  { uri, mimeType, text, blob }: z.output<typeof resource>,
  name: string,
): string | Bytes | undefined {
  if (text !== undefined) return `${uri}:\n${text}`;
  const last = uri.split(/[/?#]/).findLast((part) => part !== "");
  return blob === undefined ? undefined : fileOf(last ?? name, mimeType, blob);
}

/** A part of an unknown type, or one that lacks what its type requires. */
function unreadable(block: unknown): string {
  if (!isRecord(block)) return `[A part without a type: ${shortJson(block, maxUnknown)}]`;
  const { type, ...said } = block;
  const kind = typeof type === "string" ? `of type ${oneLine(type, 60)}` : "without a type";
  if (typeof said.text === "string" && said.text !== "") return `[A part ${kind}:]\n${said.text}`;
  return `[A part ${kind}: ${shortJson(said, maxUnknown)}]`;
}

/** Bytes in base64, also as the `data:` address of a page. Undefined for other text, such as the address of a picture. */
function fileOf(name: string, mimeType: string, given: string): Bytes | undefined {
  const [mark = "", ownType = ""] = /^data:([^;,]{0,100})(?:;[^;,]{1,100}){0,5}?;base64,/.exec(given) ?? [];
  const base64 = given.slice(mark.length);
  if (!/^[\w+/\s=-]+$/.test(base64)) return undefined;
  const data = Buffer.from(base64, "base64");
  const isNamed = name.includes(".");
  const media_type = (isNamed ? undefined : imageType(data)) ?? safeMediaType(mimeType || ownType);
  const kind = media_type.split("/")[1]?.replace(/^x-/, "").replace(/\+.*$/, "") ?? "bin";
  const extension = { jpeg: "jpg", mpeg: "mp3", plain: "txt", "octet-stream": "bin" }[kind] ?? kind;
  return { name: isNamed ? name : `${name}.${extension}`, media_type, data };
}

async function handOver({ name, media_type, data }: Bytes, context: ToolContext): Promise<string> {
  try {
    await context.file({ name, media_type, data });
    return `[The person gets the file ${name}: ${media_type}, ${data.byteLength} bytes.]`;
  } catch (error) {
    if (!(error instanceof SkillFailure)) throw error;
    return `[A file is left out: ${error.message}.]`;
  }
}
