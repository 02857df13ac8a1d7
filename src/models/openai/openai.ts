import { errorCode } from "../../base/error-text.ts";
import type { Model } from "../../core/ports/model.ts";
import { type CalledModel, createProviderModel, type Dialect } from "../provider-model.ts";
import { toolRules } from "../tools/tool-shape.ts";
import { statusOf } from "../wire-forms.ts";
import { createChatDialect } from "./chat/chat.ts";
import { openAiServer } from "./client.ts";
import { openAiFamily } from "./family.ts";
import { createResponsesDialect } from "./responses/responses.ts";

/**
 * A model behind OpenAI's Responses API or its chat completions, or behind any server at `baseUrl` that speaks one of them (Ollama,
 * vLLM, llama.cpp, …). Such a server needs no key. OpenAI's models from gpt-5 on are called through the Responses API on any server,
 * because chat completions do not let them reason with tools.
 */
export function createOpenAiModel(options: CalledModel): Model {
  const { model, api = "auto" } = options;
  const server = openAiServer(options);
  const { endpoint } = server;
  const chat = () => createChatDialect(options, server);
  const dialect = () => {
    if (api === "chat" || (api === "auto" && openAiFamily(model) === undefined)) return chat();
    const responses = createResponsesDialect(options, server);
    return api === "responses" || server.isOwn ? responses : firstOf(responses, chat());
  };
  return createProviderModel(dialect(), endpoint, options, toolRules("openai", model));
}

/** Uses the first API, or the second on a server without the first, which is remembered. */
function firstOf(first: Dialect, second: Dialect): Dialect {
  let isMissing = false;
  return {
    async send(...asked) {
      if (isMissing) return await second.send(...asked);
      try {
        return await first.send(...asked);
      } catch (error) {
        if (!saysMissing(error)) throw error;
      }
      const sent = await second.send(...asked);
      isMissing = true;
      return sent;
    },
  };
}

const missing: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** Whether a server lacks the API, as far as it distinguishes that from an unknown model. */
function saysMissing(error: unknown): boolean {
  return missing.has(statusOf(error)) && errorCode(error) !== "model_not_found";
}
