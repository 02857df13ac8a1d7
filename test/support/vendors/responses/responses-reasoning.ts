import { objectOf } from "../../../../src/core/values/json.ts";
import type { DroppedReasoning, Refusal } from "../exchange.ts";
import { seal, unseal } from "../seal.ts";
import { hash, string, type Wire } from "../wire.ts";
import { bareItem, type GptRequest, modelMark, readAnswerId } from "./responses-request.ts";

/** The result of checking the reasoning that a request returns. */
export interface CheckedReasoning {
  refused: Refusal[];
  dropped: DroppedReasoning[];
  /** Tokens of the items the model is shown. */
  kept: Map<Wire, number>;
  /** Binds the reasoning of the answer. */
  prefix: string;
}

/** The `encrypted_content` of a new reasoning item. */
export function encryptReasoning({ model }: GptRequest, prefix: string, tokens: number, id: string): string {
  return seal({ model, prefix, tokens, id });
}

/** Checks all reasoning of a request, in its order. A changed prefix drops it without a word. */
export function checkReasoning(request: GptRequest): CheckedReasoning {
  const { body, input, tools } = request;
  let prefix = hash("responses", string(body.instructions), JSON.stringify(tools));
  const checked: CheckedReasoning = { refused: [], dropped: [], kept: new Map(), prefix };
  const shownFrom = firstShown(request);
  for (const [index, item] of input.entries()) {
    if (item.type !== "reasoning") {
      prefix = hash(prefix, JSON.stringify(bareItem(item)));
      continue;
    }
    checked.refused.push(...pairRefusals(input, index), ...contentRefusals(item, index));
    const sealed = unseal(string(item.encrypted_content));
    if (sealed === undefined) continue;
    const path = `input[${index}]`;
    if (modelMark(string(sealed.model)) !== modelMark(request.model)) {
      checked.dropped.push({ path, reason: "model" });
    } else if (sealed.prefix !== prefix) {
      checked.dropped.push({ path, reason: "prefix" });
    } else if (index >= shownFrom) {
      checked.kept.set(item, Number(sealed.tokens));
    }
  }
  checked.prefix = prefix;
  return checked;
}

/** Reasoning of earlier turns is passed over unless the model, or the request, wants that of all. */
function firstShown({ reasoning, facts, input }: GptRequest): number {
  const context = string(reasoning.context) || "auto";
  const all = context === "all_turns" || (context === "auto" && facts.all_turns);
  return all ? 0 : input.findLastIndex((item) => item.role === "user");
}

/** The next item is the one that followed the reasoning. */
function* pairRefusals(input: readonly Wire[], index: number): Generator<Refusal> {
  const item = input[index];
  const next = input[index + 1];
  const id = string(item?.id) || `input[${index}]`;
  const follows =
    next !== undefined &&
    (next.type === "function_call" ||
      next.type === "reasoning" ||
      next.type === "tool_search_call" ||
      next.role === "assistant");
  const own = readAnswerId(string(item?.id))?.answer;
  const others = readAnswerId(string(next?.id))?.answer;
  const mixed = own !== undefined && others !== undefined && own !== others;
  if (follows && !mixed) return;
  const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
  yield { rule: "reasoning_pair", message, param: "input" };
}

function* contentRefusals(item: Wire, index: number): Generator<Refusal> {
  const id = string(item.id);
  if (!Array.isArray(item.summary)) {
    const param = `input[${index}].summary`;
    yield { rule: "reasoning_summary", message: `Missing required parameter: '${param}'.`, param };
  }
  if (typeof item.encrypted_content !== "string") {
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    yield { rule: "stateless", message, param: "input", status: 404 };
  } else if (unseal(item.encrypted_content) === undefined) {
    const message = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    yield { rule: "encrypted_content", message, code: "invalid_encrypted_content" };
  }
}

/** Whether the request asks for its reasoning to come back encrypted. */
export function wantsEncrypted({ body }: GptRequest): boolean {
  return Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
}

/** Whether the request asks for summaries. */
export function wantsSummary({ body }: GptRequest): boolean {
  const summary = objectOf(body.reasoning).summary;
  return summary !== undefined && summary !== null;
}
