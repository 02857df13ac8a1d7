import type { ModelRequest } from "../../../core/ports/model.ts";
import { type Concession, concede } from "../../wire-forms.ts";
import { type OpenAiFamily, openAiFamily } from "../family.ts";
import { addsTools } from "../past-messages.ts";

/** How requests to a server of the Responses API are written. Unknown features are tried, and dropped when they are refused. */
export interface ResponsesForm {
  /**
   * How tools are added during a conversation: as an input item (the first item holds the tools of the opening); as the result of
   * a tool search; or in `tools`, which then changes.
   */
  additions: OpenAiFamily["additions"];
  /** Whether an input item changes the effort during a conversation. */
  updatesEffort: boolean;
  /** The role of instructions. */
  instructions: "developer" | "system";
  /** Whether the model is asked to use all earlier reasoning. */
  allTurns: boolean;
  summary: boolean;
  effort: boolean;
  /** Whether encrypted reasoning is requested. */
  encrypted: boolean;
  limit: boolean;
  toolChoice: boolean;
  cacheKey: boolean;
  /** Rises when the server cannot read earlier reasoning, as with a key of another organization. Older reasoning is then left out. */
  epoch: number;
}

/** The form of the first request to a model. */
export function firstResponsesForm(model: string): ResponsesForm {
  const family = openAiFamily(model);
  return {
    additions: family?.additions ?? "tools",
    updatesEffort: family?.updatesEffort ?? false,
    instructions: family === undefined ? "system" : "developer",
    // Known from gpt-5.6 on: https://openrouter.ai/docs/client-sdks/typescript/models/reasoningcontext
    allTurns: family !== undefined && family.version >= 506,
    summary: family?.reasons ?? false,
    effort: family?.reasons ?? true,
    encrypted: family?.reasons ?? true,
    limit: true,
    toolChoice: true,
    cacheKey: true,
    epoch: 1,
  };
}

/** The name of the form in provider blocks. It covers the parts that change the input. */
export function responsesFormName({ additions, epoch }: ResponsesForm): string {
  return epoch === 1 ? `responses/${additions}` : `responses/${additions}/${epoch}`;
}

/** Whether a request has tools as input items. */
export function hasToolItems({ tools, messages }: ModelRequest, { additions }: ResponsesForm): boolean {
  if (additions === "tools") return false;
  const opening = additions === "additional_tools" && tools.length > 0;
  return opening || addsTools(messages);
}

function hasBlocks({ messages }: ModelRequest, form: ResponsesForm): boolean {
  const name = responsesFormName(form);
  return messages.some((message) => message.role === "assistant" && message.provider_blocks?.form === name);
}

/** Whether a server has accepted requests with tools as input items. */
export interface Proof {
  items: boolean;
}

/** The concessions to a server of the Responses API. */
export function responsesConcessions(proof: Proof): readonly Concession<ResponsesForm>[] {
  return [
    concede(/reasoning\.context|all_turns/, "allTurns", [true, false]),
    concede(/summar(?:y|ies)/, "summary", [true, false]),
    {
      // https://developers.openai.com/api/docs/guides/reasoning: `invalid_encrypted_content`
      lesser: ({ text }, form, request) =>
        unreadableReasoning.test(text) && hasBlocks(request, form)
          ? { ...form, epoch: form.epoch + 1 }
          : undefined,
    },
    concede(/encrypted|\binclude\b/, "encrypted", [true, false]),
    concede(/configuration_update/, "updatesEffort", [true, false]),
    concede(/effort/, "effort", [true, false]),
    concede(/max_output_tokens/, "limit", [true, false]),
    concede(/prompt_cache_key/, "cacheKey", [true, false]),
    concede(/tool_choice/, "toolChoice", [true, false], (request) => request.no_calls === true),
    {
      // Other servers have many ways to say that they do not know an input item.
      lesser({ text, code }, form, request) {
        const isUnknown = code === "invalid_request" && !proof.items;
        const isRefused = isUnknown || /additional_tools|tool_search|defer_loading/.test(text);
        return isRefused && hasToolItems(request, form) ? { ...form, additions: "tools" } : undefined;
      },
    },
    concede(/developer|\brole\b/, "instructions", ["developer", "system"]),
  ];
}

const unreadableReasoning =
  /invalid_encrypted|could not be (?:verified|decrypted)|required (?:following|'?reasoning'?) item/;
