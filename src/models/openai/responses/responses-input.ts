import { createHash } from "node:crypto";
import type { OpenAI } from "openai";
import { madeOnce } from "../../../base/made-once.ts";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { type Json, objectOf } from "../../../core/values/json.ts";
import type {
  AssistantMessage,
  Message,
  MessageImage,
  SystemMessage,
  ToolDefinition,
  ToolMessage,
} from "../../../core/values/message.ts";
import { nearestEffort } from "../../effort.ts";
import type { BlocksOwner } from "../../provider-model.ts";
import { argumentsText, safeCallId, safeToolName } from "../../tool-call-text.ts";
import { openAiFamily } from "../family.ts";
import { holdBackChanges, ownBlocks } from "../past-messages.ts";
import { type ResponsesForm, responsesFormName } from "./responses-form.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type FunctionTool = OpenAI.Responses.FunctionTool;

/** This API accepts longer ids than chat completions. */
const callId = (id: string) => safeCallId(id, 64);

/** Converts messages and tools to input items. Each object is converted once, because later rounds send it again. */
export class ResponsesInput {
  readonly #self: Pick<BlocksOwner, "provider" | "model">;
  readonly #definitions = new WeakMap<ToolDefinition, FunctionTool>();
  readonly #converted = new Map<string, WeakMap<Message, Item[]>>();

  /** @param self the model whose output items are sent back with its messages */
  constructor(self: Pick<BlocksOwner, "provider" | "model">) {
    this.#self = self;
  }

  ofTools(tools: readonly ToolDefinition[]): FunctionTool[] {
    return tools.map((tool) =>
      madeOnce(this.#definitions, tool, () => {
        const { name, description, parameters } = tool;
        // By default the API makes every parameter required.
        return { type: "function", name, description, parameters, strict: false };
      }),
    );
  }

  /** The conversation. While the form stays the same, a message is always converted to the same result. */
  ofRequest({ tools, messages }: ModelRequest, form: ResponsesForm): Item[] {
    const owner = { ...this.#self, form: responsesFormName(form) };
    const known = madeOnce(this.#converted, owner.form, () => new WeakMap<Message, Item[]>());
    const changes = createChangeItems(owner.model, form, (added) => this.ofTools(added));
    const input = changes.ofOpening(tools);
    for (const message of holdBackChanges(messages)) {
      if (message.role === "system") {
        const items = changes.of(message);
        // Two updates in a row are refused; only the later one is sent.
        if (isUpdate(input.at(-1)) && isUpdate(items[0])) input.pop();
        input.push(...items);
        continue;
      }
      input.push(...madeOnce(known, message, () => itemsOf(message, owner)));
    }
    return input;
  }
}

function isUpdate(item: Item | undefined): boolean {
  return item?.type === "configuration_update";
}

function itemsOf(message: Exclude<Message, { role: "system" }>, owner: BlocksOwner): Item[] {
  switch (message.role) {
    case "user": {
      const text = { type: "input_text" as const, text: message.text };
      return [{ role: "user", content: [...(message.images ?? []).map(picture), text] }];
    }
    case "tool":
      return [{ type: "function_call_output", call_id: callId(message.call_id), output: outputOf(message) }];
    case "assistant":
      return assistantItems(message, owner);
  }
}

function outputOf({ text, images = [] }: ToolMessage) {
  const said = text === "" ? "(no output)" : text;
  if (images.length === 0) return said;
  return [{ type: "input_text" as const, text: said }, ...images.map(picture)];
}

/** https://developers.openai.com/api/docs/guides/images-vision */
function picture({ media_type, base64 }: MessageImage): OpenAI.Responses.ResponseInputImage {
  return { type: "input_image", detail: "auto", image_url: `data:${media_type};base64,${base64}` };
}

/** The original output items of the message; for a message of another model, its text and calls without ids. */
function assistantItems(message: AssistantMessage, owner: BlocksOwner): Item[] {
  const own = ownBlocks(message, owner);
  if (Array.isArray(own)) return own.map(withSafeCallId) as unknown as Item[];
  const calls = message.tool_calls.map((call) => ({
    type: "function_call" as const,
    call_id: callId(call.id),
    name: safeToolName(call.name),
    arguments: argumentsText(call.arguments),
  }));
  return message.text === "" ? calls : [{ role: "assistant", content: message.text }, ...calls];
}

/** The output item with a call id that matches its result. */
function withSafeCallId(block: Json): Json {
  const item = objectOf(block);
  const id = item.call_id;
  return typeof id === "string" && callId(id) !== id ? { ...item, call_id: callId(id) } : block;
}

/**
 * Converts the changes of a conversation, one after the other, to input items.
 *
 * `additional_tools` items accumulate: a later item adds tools and replaces those of the same name in earlier items, but it cannot
 * replace a tool of `tools` or remove any. All tools are therefore in such items, and only words announce removals.
 * https://developers.openai.com/api/docs/guides/function-calling
 */
function createChangeItems(
  model: string,
  form: ResponsesForm,
  ofTools: (tools: readonly ToolDefinition[]) => FunctionTool[],
) {
  const unavailable = new Set<string>();
  const additional = (tools: readonly ToolDefinition[]): Item[] =>
    tools.length === 0 ? [] : [{ type: "additional_tools", role: "developer", tools: ofTools(tools) }];
  const inWords = (content: string): Item[] => (content === "" ? [] : [{ role: form.instructions, content }]);
  const effortItem = ({ effort }: SystemMessage): Item[] => {
    const known = openAiFamily(model)?.efforts ?? [];
    const nearest = effort === undefined || !form.updatesEffort ? undefined : nearestEffort(effort, known);
    return nearest === undefined ? [] : [{ type: "configuration_update", reasoning: { effort: nearest } }];
  };

  return {
    /** The tools of the opening, unless they are in `tools`. */
    ofOpening: (tools: readonly ToolDefinition[]) =>
      form.additions === "additional_tools" ? additional(tools) : [],
    of(change: SystemMessage): Item[] {
      const { text, add = [], remove = [] } = change;
      for (const { name } of add) unavailable.delete(name);
      const notice = add.length === 0 ? "" : incrementalNotice(unavailable);
      const added = new Set(add.map(({ name }) => name));
      for (const name of remove) if (!added.has(name)) unavailable.add(name);
      switch (form.additions) {
        case "additional_tools": {
          const words = [text, notice].filter(Boolean).join("\n\n");
          return [...inWords(words), ...additional(add), ...effortItem(change)];
        }
        case "tool_search":
          return [...inWords(text), ...foundTools(ofTools(add)), ...effortItem(change)];
        case "tools":
          return [...inWords(text), ...effortItem(change)];
      }
    },
  };
}

/** Without this notice models take the latest item for the whole list, and small models call removed tools. */
function incrementalNotice(unavailable: ReadonlySet<string>): string {
  const notice =
    "This is an incremental update of the tools. All tools declared before stay available unless they are named as unavailable. A tool declared again is available again, and its latest definition counts.";
  return unavailable.size === 0 ? notice : `${notice}\nStill unavailable: ${[...unavailable].join(", ")}.`;
}

/** Tools as results of a search that the client was asked to make: https://developers.openai.com/api/docs/guides/tools-tool-search */
function foundTools(tools: readonly FunctionTool[]): Item[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ name }) => name).join(" ");
  const digest = createHash("sha256").update(JSON.stringify(tools)).digest("hex").slice(0, 24);
  const shared = { call_id: `call_${digest}`, execution: "client", status: "completed" } as const;
  return [
    { type: "tool_search_call", ...shared, arguments: { query: names, limit: tools.length } },
    { type: "tool_search_output", ...shared, tools: tools.map((tool) => ({ ...tool, defer_loading: true })) },
  ];
}
