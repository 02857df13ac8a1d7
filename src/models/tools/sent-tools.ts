import { createHash } from "node:crypto";
import type { ModelRequest } from "../../core/ports/model.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import type { JsonSchema } from "../../core/values/json.ts";
import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolDefinition,
} from "../../core/values/message.ts";
import { SchemaPlace } from "./schema-walk.ts";
import { shapeTool, type ToolRules, type ToolShape } from "./tool-shape.ts";

/** Tools of one model in the shape its vendor takes, without those it refuses. */
export interface SentTools {
  /** The request as it is sent. What nothing has to change in stays the same object, and a message becomes the same one every time. */
  request(request: ModelRequest): ModelRequest;
  /** The answer to a request, with the tools' own names in its calls. */
  answer(message: AssistantMessage, request: ModelRequest): AssistantMessage;
  /** The names of the request's tools that are left out, and why. */
  leftOut(request: ModelRequest): { name: string; why: string }[];
  /** Leaves tools out from now on, in whatever request they come. Answers whether that changes the request. */
  leaveOut(request: ModelRequest, names: ReadonlySet<string>, why: string): boolean;
  /** Tools of servers in the request that no request which was taken had, the latest last. */
  untried(request: ModelRequest): string[];
  /** Notes that the vendor took a request. */
  taken(request: ModelRequest): void;
}

/** Tools whose refusal or success is remembered. */
const maxRemembered = 20_000;

/** @param rules what the vendor demands */
export function createSentTools(rules: ToolRules): SentTools {
  const shapes = new WeakMap<ToolDefinition, ToolShape>();
  const digests = new WeakMap<ToolDefinition, string>();
  const messages = new WeakMap<Message, Message>();
  const refused = new Map<string, string>();
  const good = new Set<string>();

  const shapeOf = (tool: ToolDefinition): ToolShape => once(shapes, tool, () => shapeTool(tool, rules));
  const digestOf = (tool: ToolDefinition): string =>
    once(digests, tool, () => {
      const { name, description, parameters } = tool;
      const text = JSON.stringify([name, description, parameters]);
      return createHash("sha256").update(text).digest("base64");
    });
  const whyOut = (tool: ToolDefinition) => (refused.size === 0 ? undefined : refused.get(digestOf(tool)));
  const isIn = (tool: ToolDefinition) => whyOut(tool) === undefined;

  const list = (tools: readonly ToolDefinition[]): readonly ToolDefinition[] => {
    const sent = tools.filter(isIn).map((tool) => shapeOf(tool).definition);
    return sent.length === tools.length && sent.every((tool, at) => tool === tools[at]) ? tools : sent;
  };
  const change = (message: SystemMessage): SystemMessage => {
    if (message.add === undefined) return message;
    const add = list(message.add);
    return add === message.add ? message : { ...message, add };
  };
  const renamedMessage = (message: AssistantMessage, tools: ReadonlyMap<string, ToolDefinition>): Message =>
    once(messages, message, () => withCalls(message, (call) => renamed(call, tools.get(call.name), "sent")));
  const renamed = (call: ToolCall, tool: ToolDefinition | undefined, to: "sent" | "own"): ToolCall => {
    const names = tool === undefined ? undefined : shapeOf(tool).renamed;
    if (tool === undefined || names === undefined || names.size === 0) return call;
    const own = new Map([...names].map(([name, sent]) => [sent, name]));
    const text =
      to === "sent"
        ? renamedArguments(call.arguments, tool.parameters, same, (name) => names.get(name) ?? name)
        : renamedArguments(call.arguments, tool.parameters, (name) => own.get(name) ?? name, same);
    return text === call.arguments ? call : { ...call, arguments: text };
  };

  return {
    request(request) {
      const tools = list(request.tools);
      const known = new Map(request.tools.map((tool) => [tool.name, tool]));
      const said = request.messages.map((message) => {
        if (message.role === "system") {
          for (const tool of message.add ?? []) known.set(tool.name, tool);
          return change(message);
        }
        const hasCalls = message.role === "assistant" && message.tool_calls.length > 0;
        return hasCalls ? renamedMessage(message, known) : message;
      });
      const isSame = tools === request.tools && said.every((message, at) => message === request.messages[at]);
      return isSame ? request : { ...request, tools, messages: said };
    },
    answer(message, request) {
      if (message.tool_calls.length === 0) return message;
      const known = new Map(allTools(request).map((tool) => [tool.name, tool]));
      return withCalls(message, (call) => renamed(call, known.get(call.name), "own"));
    },
    leftOut(request) {
      if (refused.size === 0) return [];
      return toolsNow(request, "drop").flatMap((tool) => {
        const why = whyOut(tool);
        return why === undefined ? [] : [{ name: tool.name, why }];
      });
    },
    leaveOut(request, names, why) {
      const named = allTools(request).filter((tool) => names.has(tool.name) && isIn(tool));
      // Of a tool that changed, what was taken before is not what is refused now.
      const fresh = named.filter((tool) => !good.has(digestOf(tool)));
      const out = fresh.length > 0 ? fresh : named;
      for (const tool of out) refused.set(digestOf(tool), why);
      forget(refused);
      return out.length > 0;
    },
    untried(request) {
      const all = allTools(request).filter(
        (tool) => isOfServer(tool) && isIn(tool) && !good.has(digestOf(tool)),
      );
      return [...new Set(all.map(({ name }) => name))];
    },
    taken(request) {
      for (const tool of allTools(request)) if (isOfServer(tool) && isIn(tool)) good.add(digestOf(tool));
      forget(good);
    },
  };
}

const same = (name: string) => name;

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

function once<Key extends object, Value>(known: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}

/** The oldest are forgotten first. */
function forget(kept: Map<string, string> | Set<string>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= maxRemembered) return;
    kept.delete(oldest);
  }
}

/** What is open: an object whose next name is `place`'s property, or a list. */
interface Open {
  isList: boolean;
  isName: boolean;
  place: SchemaPlace;
  /** Of the value that comes next. */
  inside: SchemaPlace;
}

/**
 * The JSON text of a call's arguments with other names of the properties that a schema declares, wherever they are in it. Everything
 * else stays as it is written, character by character. Text that is not JSON is read as far as it goes.
 * @param schema of the tool, with its own names
 * @param ownName the tool's own name of a property
 * @param newName the name it gets, by its own
 */
function renamedArguments(
  text: string,
  schema: JsonSchema,
  ownName: (name: string) => string,
  newName: (own: string) => string,
): string {
  const open: Open[] = [];
  const parts: string[] = [];
  let copied = 0;
  const renamed = (around: Open, name: string): string => {
    const own = around.place.declares(name) ? name : ownName(name);
    const isDeclared = around.place.declares(own);
    around.inside = around.place.property(isDeclared ? own : name);
    return isDeclared ? newName(own) : name;
  };
  for (let at = 0; at < text.length; at += 1) {
    const around = open.at(-1);
    if (text[at] !== '"') {
      step(open, text[at], () => SchemaPlace.of(schema));
      continue;
    }
    const end = endOfString(text, at);
    if (around?.isName === true) {
      const name = read(text.slice(at, end));
      const sent = renamed(around, name);
      if (sent !== name) {
        parts.push(text.slice(copied, at), JSON.stringify(sent));
        copied = end;
      }
    }
    at = end - 1;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function step(open: Open[], sign: string | undefined, root: () => SchemaPlace): void {
  const around = open.at(-1);
  if (sign === "{" || sign === "[") {
    const place = around?.inside ?? root();
    const isList = sign === "[";
    open.push({ isList, isName: !isList, place, inside: isList ? place.items() : place });
  } else if (sign === "}" || sign === "]") open.pop();
  else if (sign === ":" && around !== undefined) around.isName = false;
  else if (sign === "," && around !== undefined) around.isName = !around.isList;
}

/** The place behind a string's last quotation mark. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** A string's value; of one that is no JSON what is between its marks. */
function read(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
