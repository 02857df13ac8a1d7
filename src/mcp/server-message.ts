import { randomUUID } from "node:crypto";
import type { Client, JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { ExactNumber, replaceExact } from "../base/exact-number.ts";
import { oneLine } from "../base/markdown-text.ts";
import { isRecord } from "../base/record.ts";
import { maxJsonDepth } from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";

/** JSON-RPC's code for an error whose own code cannot be read. */
const internalError = -32_603;

/**
 * The code of the error that replaces a result that never arrived. Reserved for implementations by JSON-RPC, and used neither by the SDK
 * nor by the protocol.
 */
export const lostAnswerCode = -32_098;

/**
 * The messages in a server's answer, in the form the SDK requires; anything that is not a message is dropped. The only place that decides
 * how malformed a message may be: a member that is null counts as missing, an unknown one is ignored, and unused metadata is dropped.
 * @param asked the request that this answers if its own id is missing
 */
export function messagesIn(value: unknown, asked?: RequestId): JSONRPCMessage[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each) => messageOf(each, asked) ?? []);
}

function messageOf(value: unknown, asked: RequestId | undefined): JSONRPCMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { id, method, params, result, error } = value;
  const jsonrpc = "2.0";
  if (typeof method === "string") {
    const own = isId(id) ? { id } : {};
    const read = method === "notifications/progress" ? progressOf : paramsOf;
    return { jsonrpc, ...own, method, ...(isRecord(params) ? { params: read(params) } : {}) };
  }
  const answers = isId(id) ? id : "jsonrpc" in value ? asked : undefined;
  if (answers === undefined || !["jsonrpc", "result", "error"].some((name) => name in value))
    return undefined;
  if (error) return { jsonrpc, id: answers, error: errorOf(error) };
  return { jsonrpc, id: answers, result: resultOf(result) };
}

function paramsOf(
  params: Record<string, unknown>,
  clean: (value: unknown) => unknown = withoutNulls,
): Record<string, unknown> {
  const { _meta, ...others } = clean(params) as Record<string, unknown>;
  return isRecord(_meta) ? { ...others, _meta } : others;
}

/** Progress in any form is a sign of life. */
function progressOf({ progressToken, progress, total, message }: Record<string, unknown>) {
  return {
    progressToken,
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

function resultOf(result: unknown): Record<string, unknown> {
  if (!isRecord(result)) return result === undefined || result === null ? {} : { result };
  return paramsOf(result, (value) => value);
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!isRecord(error)) return { code: internalError, message: String(error) };
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(code) ? Number(code) : internalError,
    message: typeof message === "string" ? message : "It does not say why.",
    ...(data === undefined || data === null ? {} : { data }),
  };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isInteger(id);
}

/** The value without members that are null, which many programs write for missing ones. Values nested too deeply are dropped. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > maxJsonDepth) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(members.map(([name, item]) => [name, withoutNulls(item, depth + 1)]));
}

/** The error that replaces a result that never arrived. */
export function lostAnswer(id: RequestId): JSONRPCMessage {
  const message = "its answer broke off before the result";
  return { jsonrpc: "2.0", id, error: { code: lostAnswerCode, message } };
}

/** Whether a message is the answer to a request. */
export function answersTo(message: JSONRPCMessage, id: RequestId): boolean {
  return !("method" in message) && message.id !== undefined && String(message.id) === String(id);
}

/** A cursor that asks for the first page, where the SDK wants one in order to read a single page. */
export const firstPage = "";

const toolsPage = z
  .looseObject({ tools: z.array(z.unknown()).catch([]) })
  .transform(({ tools, ...page }) => ({
    ...page,
    tools: tools.filter((tool) => isRecord(tool)),
    /** Before what cannot be a tool, and what the SDK refuses, is left out. */
    listed: tools.length,
  }));

export type ToolsPage = z.output<typeof toolsPage> & { nextCursor?: unknown };

/** Makes a client read a server's introduction and tools as leniently as everything else, and results as they are. */
export async function readLeniently(client: Client): Promise<void> {
  const { LATEST_PROTOCOL_VERSION } = await import("@modelcontextprotocol/client");
  const text = z.string().optional().catch(undefined);
  const introduction = z.object({
    protocolVersion: z.string().catch(LATEST_PROTOCOL_VERSION),
    capabilities: z.unknown().transform(capabilitiesOf).catch(capabilitiesOf(undefined)),
    serverInfo: z
      .object({ name: z.string().catch(""), version: z.string().catch(""), title: text, description: text })
      .catch({ name: "", version: "" }),
    instructions: text,
  });
  const schemas = new Map<string, z.ZodType>([
    ["initialize", introduction],
    ["tools/list", toolsPage],
    ["tools/call", z.record(z.string(), z.unknown())],
  ]);
  const request = client.request.bind(client);
  client.request = ((asked: { method: string; params?: { cursor?: unknown } }, ...rest: [never, never]) => {
    const schema = schemas.get(asked.method);
    if (schema === undefined) return request(asked, ...rest);
    const isFirst = asked.method === "tools/list" && asked.params?.cursor === firstPage;
    return request(isFirst ? { method: asked.method } : asked, schema, rest[0]);
  }) as Client["request"];
}

/** A server that does not clearly say it has no tools is asked for them. */
function capabilitiesOf(said: unknown): Record<string, object> {
  if (!isRecord(said)) return { tools: {} };
  const entries = Object.entries(withoutNulls(said) as object).flatMap(([name, value]) =>
    value === false ? [] : [[name, isRecord(value) ? value : {}] as const],
  );
  return {
    ...("tools" in said && said.tools !== false ? { tools: {} } : {}),
    ...Object.fromEntries(entries),
  };
}

/** A value in one line for people and models, cut to a maximum of characters. */
export function shortJson(value: unknown, length: number): string {
  return oneLine(typeof value === "string" ? value : JSON.stringify(value), length);
}

/** Prefix of a text that replaces a number while the SDK reads a message, because the SDK has only doubles; unknown to servers. */
const mark = `${randomUUID()}:`;

/** Maximum length of the details that a server adds to an error, characters. */
const maxData = 500;

/** What an error of a server says, with the details it added, such as a retry delay or a cause. */
export function errorInWords({ message, data }: { message: string; data?: unknown }, redact: Redact): string {
  // Redacted before it is cut: half a secret would not be recognized.
  const more = data === undefined || data === null ? "" : shortJson(redact(data), maxData);
  return more === "" ? message : `${message} (${more})`;
}

/** Parses a message; numbers that would lose digits become marked texts. @throws SyntaxError */
export function parseMarked(text: string): unknown {
  return JSON.parse(replaceExact(text, (digits) => `"${mark}${digits}"`));
}

/** The member of an answer to a call that contains its task; unknown to servers. The SDK refuses the answer in its own form. */
export const taskMember = `${mark}task`;

/**
 * Passes on the messages of a transport with their numbers: those of a result or an error's data with all digits, those the protocol reads as
 * doubles. An answer that is a task becomes a result with a `taskMember`.
 */
export function withExactNumbers<T extends Transport>(transport: T): T {
  let handler: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(next: Transport["onmessage"]) {
      handler = next && ((message, extra) => next(restored(message), extra));
    },
  });
}

function restored(message: JSONRPCMessage): JSONRPCMessage {
  const whole = unmarked(message, Number) as JSONRPCMessage;
  const exact = (value: unknown) => unmarked(value, (digits) => new ExactNumber(digits));
  if ("error" in message && "error" in whole)
    return { ...whole, error: { ...whole.error, data: exact(message.error.data) } };
  if (!("result" in message) || !("result" in whole)) return whole;
  const result = withExactContent(whole.result, message.result, exact);
  if (result.resultType !== "task") return result === whole.result ? whole : { ...whole, result };
  return { ...whole, result: { resultType: "complete", content: [], [taskMember]: result } };
}

/** A result, or a task with one, whose structured content has all its digits. */
function withExactContent(
  whole: Record<string, unknown>,
  marked: Record<string, unknown>,
  exact: (value: unknown) => unknown,
): Record<string, unknown> {
  const { structuredContent, result } = marked;
  if (structuredContent !== undefined) return { ...whole, structuredContent: exact(structuredContent) };
  if (!isRecord(result) || !isRecord(whole.result)) return whole;
  return { ...whole, result: withExactContent(whole.result, result, exact) };
}

/** The same value if nothing in it is marked. */
function unmarked(value: unknown, read: (digits: string) => unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? read(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => unmarked(item, read));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, unmarked(item, read)] as const);
  return entries.every(([name, item]) => item === value[name]) ? value : Object.fromEntries(entries);
}
