import { objectOf } from "../../../../src/core/values/json.ts";
import type { DroppedReasoning, Refusal } from "../exchange.ts";
import { seal, unseal } from "../seal.ts";
import { hash, string, type Wire, without } from "../wire.ts";
import type { ClaudeRequest } from "./anthropic-request.ts";

/** The result of checking the thinking that a request returns. */
export interface CheckedThinking {
  refused: Refusal[];
  dropped: DroppedReasoning[];
  /** For `input_transformations`. */
  reports: Wire[];
  /** Blocks the model is shown, with their tokens. */
  kept: Map<Wire, number>;
  /** Binds the thinking of the answer. */
  binding: Binding;
}

/** All that precedes a thinking block. */
interface Binding {
  /** Hash of system, tools and messages, thinking left out. */
  prefix: string;
  /** The signature of the thinking before it. */
  parent: string;
}

type Verdict = { drop: DroppedReasoning["reason"] } | { invalid: true } | { kept: number };

const reasonOnTheWire = {
  model: "model_binding_mismatch",
  account: "organization_binding_mismatch",
  prefix: "prefix_binding_mismatch",
  changed: "prefix_binding_mismatch",
} as const;

/** The signature of a new thinking block. */
export function signThinking(
  { model, account }: ClaudeRequest,
  binding: Binding,
  thinking: string,
  tokens: number,
  id: number,
): string {
  return seal({ ...binding, model, account: hash(account), text: hash(thinking), tokens, id });
}

/** Checks all thinking of a request, in its order. `cache_control` counts nowhere. */
export function checkThinking(request: ClaudeRequest): CheckedThinking {
  const strip = (value: Wire) => JSON.stringify(without(value, "cache_control"));
  let prefix = hash(...request.system.map(strip), "tools", ...request.tools.map(strip));
  let parent = "";
  const checked: CheckedThinking = {
    refused: [],
    dropped: [],
    reports: [],
    kept: new Map(),
    binding: { prefix, parent },
  };
  for (const [index, message] of request.messages.entries()) {
    for (const [at, block] of message.blocks.entries()) {
      if (block.type === "thinking" || block.type === "redacted_thinking") {
        const verdict = judge(request, block, { prefix, parent });
        if (take(checked, verdict, block, `messages.${index}.content.${at}`, drops(request))) {
          parent = hash(string(block.signature));
        }
      } else {
        prefix = hash(prefix, message.role, strip(block));
      }
    }
    prefix = hash(prefix, "end", message.role, message.effort ?? "");
  }
  checked.binding = { prefix, parent };
  return checked;
}

/** The request asks to drop thinking behind a changed prefix, which is refused otherwise. */
function drops({ body }: ClaudeRequest): boolean {
  return objectOf(objectOf(body.thinking).block_binding).prefix_mismatch_behavior === "drop_block";
}

function judge({ model, facts, account }: ClaudeRequest, block: Wire, binding: Binding): Verdict {
  const facts_ = unseal(string(block.signature));
  if (facts_ === undefined || facts_.text !== hash(string(block.thinking))) return { invalid: true };
  const tokens = typeof facts_.tokens === "number" ? facts_.tokens : 0;
  if (facts.account_bound && facts_.account !== hash(account)) return { drop: "account" };
  if (facts_.model !== model && !facts.reads.includes(string(facts_.model))) return { drop: "model" };
  if (!facts.bound || facts_.model !== model) return { kept: tokens };
  const same = facts_.prefix === binding.prefix && facts_.parent === binding.parent;
  return same ? { kept: tokens } : { drop: "prefix" };
}

/** Notes a verdict. True when the block stays. */
function take(
  checked: CheckedThinking,
  verdict: Verdict,
  block: Wire,
  path: string,
  dropsMismatches: boolean,
): boolean {
  const invalid = `${path}: Invalid \`signature\` in \`thinking\` block.`;
  if ("invalid" in verdict) {
    checked.refused.push({ rule: "signature", message: invalid });
    return false;
  }
  if ("kept" in verdict) {
    checked.kept.set(block, verdict.kept);
    return true;
  }
  const reason = reasonOnTheWire[verdict.drop];
  if (verdict.drop === "prefix" && !dropsMismatches) {
    const message = `${invalid} The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`;
    checked.refused.push({ rule: "prefix_mismatch", message });
    return false;
  }
  checked.reports.push({ type: "thinking_dropped", path, reason });
  checked.dropped.push({ path, reason: verdict.drop });
  return false;
}
