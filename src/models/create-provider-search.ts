import type { WebEngine } from "../core/ports/web.ts";
import { createAnthropicSearch } from "./anthropic/web-search.ts";
import { type ModelSettings, NamedModel } from "./named-model.ts";
import { createOpenAiSearch } from "./openai/web-search.ts";
import type { CalledModel } from "./provider-model.ts";
import { lacksKey } from "./sign-requests.ts";

/** Maximum wait for an answer, ms. */
const timeoutMs = 60_000;

/**
 * The web search of the chosen model's provider, through its small model. Undefined if the provider has none: only the vendors' own
 * servers have one, not other servers that speak their protocols.
 */
export function createProviderSearch(settings: ModelSettings): WebEngine | undefined {
  if (settings.choice === "offline") return undefined;
  const { small = settings.choice } = new NamedModel(settings.choice, settings);
  const { provider, model, server, kind, facts } = new NamedModel(small, settings);
  if (lacksKey(server)) return undefined;
  const options: CalledModel = { ...server, provider, model, timeoutMs };
  if (kind === "anthropic") return createAnthropicSearch(options, facts.price);
  if (kind === "openai") return createOpenAiSearch(options, facts.price);
  return undefined;
}
