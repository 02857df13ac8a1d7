import type { WebEngine } from "../core/ports/web.ts";
import { createAnthropicSearch } from "./anthropic/web-search.ts";
import { factsOfModel, kindOf, type ModelSettings, namedModel, smallModelBeside } from "./create-model.ts";
import { createOpenAiSearch } from "./openai/web-search.ts";
import type { ProviderModelOptions } from "./provider-model.ts";
import { lacksKey } from "./sign-requests.ts";

/** Maximum wait for an answer, ms. */
const timeoutMs = 60_000;

/**
 * The web search of the chosen model's provider, through its small model. Undefined if the provider has none: only the vendors' own
 * servers have one, not other servers that speak their protocols.
 */
export function createProviderSearch(settings: ModelSettings): WebEngine | undefined {
  if (settings.choice === "offline") return undefined;
  const name = smallModelBeside(settings.choice, settings) ?? settings.choice;
  const { provider, model, server } = namedModel(name, settings);
  const kind = kindOf(server);
  if (lacksKey(server)) return undefined;
  const options: ProviderModelOptions = { ...server, provider, model, timeoutMs };
  const { price } = factsOfModel(name, settings);
  if (kind === "anthropic") return createAnthropicSearch(options, price);
  if (kind === "openai") return createOpenAiSearch(options, price);
  return undefined;
}
