import { objectOf } from "../../../../src/core/values/json.ts";
import type { DroppedReasoning, Refusal } from "../exchange.ts";
import { seal, unseal } from "../seal.ts";
import { hash, string, type Wire } from "../wire.ts";
import { type ChatRequest, callsOf } from "./completions-request.ts";

/** The value Gemini accepts in place of the signature of another model's call. */
const skip = "skip_thought_signature_validator";

/** The result of checking the reasoning that a request returns. */
export interface CheckedChatReasoning {
  refused: Refusal[];
  dropped: DroppedReasoning[];
}

/** Ids of calls bind the reasoning behind them: `call_<hash of the reasoning>_<number>`. */
export function boundCallId(reasoning: string, number: number): string {
  return `call_${hash(reasoning).slice(0, 12)}_${number}`;
}

/** The thought signature of a call. */
export function signCall(model: string, id: string): string {
  return seal({ model, id });
}

/** Checks the reasoning that DeepSeek and Gemini want back. */
export function checkChatReasoning(request: ChatRequest): CheckedChatReasoning {
  const checked: CheckedChatReasoning = { refused: [], dropped: [] };
  for (const [index, message] of request.messages.entries()) {
    if (message.role !== "assistant" || callsOf(message).length === 0) continue;
    if (request.dialect === "deepseek") checkDeepSeek(message, index, checked);
    if (request.dialect === "gemini") checkGemini(message, index, request.model, checked);
  }
  return checked;
}

function checkDeepSeek(message: Wire, index: number, checked: CheckedChatReasoning): void {
  const reasoning = message.reasoning_content;
  if (typeof reasoning !== "string") {
    const text = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    checked.refused.push({ rule: "reasoning_content", message: text, code: "invalid_request_error" });
    return;
  }
  // The documented way to leave it out, as after a new opening.
  if (reasoning === "") return;
  const [, bound] = /^call_([0-9a-f]{12})_\d+$/.exec(string(callsOf(message)[0]?.id)) ?? [];
  if (bound === undefined || bound === hash(reasoning).slice(0, 12)) return;
  checked.dropped.push({ path: `messages[${index}].reasoning_content`, reason: "changed" });
}

/** Of parallel calls only the first has a signature. */
function checkGemini(message: Wire, index: number, model: string, checked: CheckedChatReasoning): void {
  const [call = {}] = callsOf(message);
  const signature = objectOf(objectOf(call.extra_content).google).thought_signature;
  // The documented way to leave it out, as after a new opening.
  if (signature === skip) return;
  if (signature === undefined) {
    const name = string(objectOf(call.function).name);
    const text = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index}.`;
    checked.refused.push({ rule: "thought_signature", message: text });
    return;
  }
  const sealed = unseal(string(signature));
  if (sealed !== undefined && sealed.model === model && sealed.id === call.id) return;
  checked.refused.push({ rule: "thought_signature", message: "Thought signature is not valid." });
}
