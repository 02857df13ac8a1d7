import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { parsedJson } from "../../base/json-reader.ts";
import { madeOnce } from "../../base/made-once.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolDefinition,
} from "../../core/values/message.ts";
import { shapeTool, type ToolRules, type ToolShape } from "./tool-shape.ts";

/** Maximum tools whose refusal or success is remembered. */
const maxRemembered = 20_000;

/** Tools of one model in the shape that its vendor takes, without those that it refuses. */
export class SentTools {
  readonly #rules: ToolRules;
  readonly #shapes = new WeakMap<ToolDefinition, ToolShape>();
  readonly #digests = new WeakMap<ToolDefinition, string>();
  readonly #messages = new WeakMap<Message, Message>();
  /** Why a tool is refused, by its digest. */
  readonly #refused = new LRUCache<string, string>({ max: maxRemembered });
  /** Digests of tools that the vendor has taken. */
  readonly #good = new LRUCache<string, true>({ max: maxRemembered });

  /** @param rules what the vendor demands */
  constructor(rules: ToolRules) {
    this.#rules = rules;
  }

  /** The request as it is sent. Parts that need no change stay the same objects, and a message always becomes the same one. */
  request(request: ModelRequest): ModelRequest {
    const tools = this.#listed(request.tools);
    const known = new Map(request.tools.map((tool) => [tool.name, tool]));
    const messages = request.messages.map((message) => {
      if (message.role === "system") {
        for (const tool of message.add ?? []) known.set(tool.name, tool);
        return this.#change(message);
      }
      const hasCalls = message.role === "assistant" && message.tool_calls.length > 0;
      return hasCalls ? this.#past(message, known) : message;
    });
    const isSame =
      tools === request.tools && messages.every((message, at) => message === request.messages[at]);
    return isSame ? request : { ...request, tools, messages };
  }

  /** The answer to a request, with the tools' own names in its calls. */
  answer(message: AssistantMessage, request: ModelRequest): AssistantMessage {
    if (message.tool_calls.length === 0) return message;
    const known = new Map(allTools(request).map((tool) => [tool.name, tool]));
    return withCalls(message, (call) => this.#renamed(call, known.get(call.name), "own"));
  }

  /** The names of the request's tools that are left out, and why. */
  leftOut(request: ModelRequest): { name: string; why: string }[] {
    if (this.#refused.size === 0) return [];
    return toolsNow(request, "drop").flatMap((tool) => {
      const why = this.#whyOut(tool);
      return why === undefined ? [] : [{ name: tool.name, why }];
    });
  }

  /** Leaves tools out from now on, in whatever request they come. Answers whether that changes the request. */
  leaveOut(request: ModelRequest, names: ReadonlySet<string>, why: string): boolean {
    const named = allTools(request).filter((tool) => names.has(tool.name) && this.#isIn(tool));
    // When a tool has changed, the refusal means its new definition, not the one that was taken before.
    const fresh = named.filter((tool) => !this.#good.has(this.#digestOf(tool)));
    const out = fresh.length > 0 ? fresh : named;
    for (const tool of out) this.#refused.set(this.#digestOf(tool), why);
    return out.length > 0;
  }

  /** Tools of servers that no request which was taken had, the latest last. */
  untried(request: ModelRequest): string[] {
    const all = this.#ofServers(request).filter((tool) => !this.#good.has(this.#digestOf(tool)));
    return [...new Set(all.map(({ name }) => name))];
  }

  /** Notes that the vendor took a request. */
  taken(request: ModelRequest): void {
    for (const tool of this.#ofServers(request)) this.#good.set(this.#digestOf(tool), true);
  }

  #ofServers(request: ModelRequest): ToolDefinition[] {
    return allTools(request).filter((tool) => isOfServer(tool) && this.#isIn(tool));
  }

  #shapeOf(tool: ToolDefinition): ToolShape {
    return madeOnce(this.#shapes, tool, () => shapeTool(tool, this.#rules));
  }

  #digestOf(tool: ToolDefinition): string {
    return madeOnce(this.#digests, tool, () => {
      const { name, description, parameters } = tool;
      const text = JSON.stringify([name, description, parameters]);
      return createHash("sha256").update(text).digest("base64");
    });
  }

  #whyOut(tool: ToolDefinition): string | undefined {
    return this.#refused.size === 0 ? undefined : this.#refused.get(this.#digestOf(tool));
  }

  #isIn(tool: ToolDefinition): boolean {
    return this.#whyOut(tool) === undefined;
  }

  #listed(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const sent = tools.filter((tool) => this.#isIn(tool)).map((tool) => this.#shapeOf(tool).definition);
    return sent.length === tools.length && sent.every((tool, at) => tool === tools[at]) ? tools : sent;
  }

  #change(message: SystemMessage): SystemMessage {
    if (message.add === undefined) return message;
    const add = this.#listed(message.add);
    return add === message.add ? message : { ...message, add };
  }

  #past(message: AssistantMessage, tools: ReadonlyMap<string, ToolDefinition>): Message {
    return madeOnce(this.#messages, message, () =>
      withCalls(message, (call) => this.#renamed(call, tools.get(call.name), "sent")),
    );
  }

  #renamed(call: ToolCall, tool: ToolDefinition | undefined, to: "sent" | "own"): ToolCall {
    if (tool === undefined) return call;
    const { renamed: names } = this.#shapeOf(tool);
    if (names.size === 0) return call;
    const back = new Map([...names].map(([name, sent]) => [sent, name]));
    const text = renamedKeys(call.arguments, to === "sent" ? names : back);
    return text === call.arguments ? call : { ...call, arguments: text };
  }
}

/** `server__tool`, as `serverToolName` makes it. */
function isOfServer({ name }: ToolDefinition): boolean {
  return name.includes("__");
}

function allTools({ tools, messages }: ModelRequest): ToolDefinition[] {
  return [...tools, ...messages.flatMap((message) => (message.role === "system" ? (message.add ?? []) : []))];
}

function withCalls(message: AssistantMessage, change: (call: ToolCall) => ToolCall): AssistantMessage {
  const tool_calls = message.tool_calls.map(change);
  return tool_calls.every((call, at) => call === message.tool_calls[at])
    ? message
    : { ...message, tool_calls };
}

/** Strings of a JSON text, with the colon after the name of a property. */
const strings = /("(?:[^"\\]|\\.)*")(\s*:)?/gs;

/** Renames properties at any depth in a JSON text, which may be incomplete. All other characters stay as they are. */
function renamedKeys(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(strings, (all, quoted: string, colon: string | undefined) => {
    const name = colon === undefined ? undefined : parsedJson(quoted);
    const renamed = typeof name === "string" ? names.get(name) : undefined;
    return renamed === undefined ? all : `${JSON.stringify(renamed)}${colon}`;
  });
}
