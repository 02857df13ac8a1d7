import { objectOf } from "../../../../src/core/values/json.ts";
import type { Incoming } from "../exchange.ts";
import { type GptFacts, gptFacts } from "../openai-models.ts";
import { blocksOf, hash, objects, string, type Wire } from "../wire.ts";

/** A request to the responses API, taken apart. */
export interface GptRequest {
  model: string;
  facts: GptFacts;
  known: boolean;
  body: Wire;
  key: string;
  /** Items, each with its type: a message may leave it out. */
  input: Wire[];
  tools: Wire[];
  reasoning: Wire;
  /** The effort of the next answer. */
  effort: string;
}

export function readGptRequest({ body, key }: Incoming): GptRequest {
  const model = string(body.model);
  const known = gptFacts(model);
  const facts = known ?? gptFacts("gpt-5-mini");
  if (facts === undefined) throw new Error("the table of models has no default");
  const reasoning = objectOf(body.reasoning);
  const input = itemsOf(body);
  const update = input.findLast((item) => item.type === "configuration_update");
  const updated = string(objectOf(update?.reasoning).effort);
  return {
    model,
    facts,
    known: known !== undefined,
    body,
    key,
    input,
    tools: objects(body.tools),
    reasoning,
    effort: updated || string(reasoning.effort) || facts.effort,
  };
}

function itemsOf({ input }: Wire): Wire[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return objects(input).map((item) => (item.type === undefined ? { ...item, type: "message" } : item));
}

/** An item as it counts for prefixes: ids and states do not, and a string is one part. */
export function bareItem({ id: _id, status: _status, phase: _phase, ...item }: Wire): Wire {
  if (item.type !== "message") return item;
  const parts = blocksOf(item.content).map((part) =>
    part.text === undefined ? part : { type: "text", text: part.text },
  );
  return { type: "message", role: item.role ?? null, content: parts };
}

/** The tools an item brings. */
export function broughtTools(item: Wire): Wire[] {
  const brings = item.type === "additional_tools" || item.type === "tool_search_output";
  return brings ? objects(item.tools) : [];
}

/** The tools that can be called at the end of the input; a later definition replaces an earlier one. */
export function callableTools({ tools, input }: GptRequest): Wire[] {
  const declared = tools.filter((tool) => tool.defer_loading !== true);
  const all = [...declared, ...input.flatMap(broughtTools)];
  return [...new Map(all.map((tool) => [string(tool.name), tool])).values()].filter(
    (tool) => tool.type === "function",
  );
}

/**
 * Ids tell which answer an item belongs to: `<kind>_<model><answer><r if it was reasoned><position>`. So a request alone shows
 * what is missing from an answer.
 */
export interface AnswerId {
  model: string;
  answer: string;
  reasoned: boolean;
}

const idForm = /^(?:rs|msg|fc|call)_([0-9a-f]{8})([0-9a-f]{8})(r?)x\d+$/;

/** A maker of the ids of one answer. */
export function answerIds(model: string, answer: number, reasoned: boolean): (kind: string) => string {
  const start = modelMark(model) + hash(String(answer)).slice(0, 8) + (reasoned ? "r" : "");
  let position = 0;
  return (kind) => `${kind}_${start}x${position++}`;
}

/** Undefined for an id that is not of this server. */
export function readAnswerId(id: string): AnswerId | undefined {
  const [, model, answer, reasoned] = idForm.exec(id) ?? [];
  if (model === undefined || answer === undefined) return undefined;
  return { model, answer, reasoned: reasoned === "r" };
}

export function modelMark(model: string): string {
  return hash(model).slice(0, 8);
}
