import { afterEach } from "vitest";
import type { Model } from "../../../../src/core/ports/model.ts";
import type { Message, ToolDefinition } from "../../../../src/core/values/message.ts";
import { createAnthropicModel } from "../../../../src/models/anthropic/anthropic.ts";
import type { CalledModel } from "../../../../src/models/provider-model.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";

/** What a test looks at in a request. */
export interface SentBody {
  model: string;
  max_tokens: number;
  system?: Record<string, unknown>[];
  tools?: Record<string, unknown>[];
  tool_choice?: unknown;
  output_config?: unknown;
  thinking?: unknown;
  messages: { role: string; content: Record<string, unknown>[]; output_config?: unknown }[];
}

/** Answers a request: with content blocks, or with an error text for a 400. */
type Respond = (body: SentBody, count: number) => readonly unknown[] | string | Record<string, unknown>;

/** A server of the tests of a file, stopped after each of them. */
export function useAnthropicServer() {
  let server: WireServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });
  return {
    bodies: () => (server?.bodies ?? []) as unknown as SentBody[],
    betas: () => (server?.headers ?? []).map((headers) => String(headers["anthropic-beta"] ?? "")),
    /** A model that is answered as told, with "ok" unless told. */
    async model(name: string, respond: Respond = () => [{ type: "text", text: "ok" }], options = {}) {
      server = await startWireServer((response, body) => {
        const answer = respond(body as unknown as SentBody, server?.bodies.length ?? 0);
        if (typeof answer === "string") sendJson(response, refusal(answer), 400);
        else sendJson(response, message(Array.isArray(answer) ? { content: answer } : answer));
      });
      return modelAt(server.url, name, options);
    },
  };
}

/** A model that does not stream, behind a server. */
export function modelAt(url: string, name: string, options: Partial<CalledModel> = {}): Model {
  return createAnthropicModel({ model: name, baseUrl: url, timeoutMs: 30_000, streaming: false, ...options });
}

/** A message as the server sends it. */
export function message(changes: object): Record<string, unknown> {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m" };
  return { ...head, content: [], stop_reason: "end_turn", usage, ...changes };
}

function refusal(text: string) {
  return { type: "error", error: { type: "invalid_request_error", message: text } };
}

export const tool = (name: string): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
});

export const user = (text: string): Message => ({ role: "user", text });

export const said = (text: string): Message => ({ role: "assistant", text, tool_calls: [] });

export const called = (...ids: string[]): Message => ({
  role: "assistant",
  text: "",
  tool_calls: ids.map((id) => ({ id, name: "search", arguments: "{}" })),
});

export const result = (call_id: string, text = "found"): Message => ({
  role: "tool",
  call_id,
  tool: "search",
  text,
  is_error: false,
});

/** A value without its cache marks. */
export function unmarked<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => (key === "cache_control" ? undefined : item)),
  );
}
