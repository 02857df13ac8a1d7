import type { Anthropic } from "@anthropic-ai/sdk";
import type { WebEngine, WebHit } from "../../core/web-search.ts";
import { type Price, pricedUsage, withFee } from "../prices.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { anthropicAddress } from "./address.ts";
import { createAnthropicClient } from "./anthropic.ts";

/** US dollars for one search. https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
const searchFee = 0.01;
const patience = 60_000;

/**
 * The search of Anthropic's API: a request to a model that may search once, whose results become hits. What it writes about them is
 * only used for the passages it cites.
 */
export function createAnthropicSearch(options: ProviderModelOptions, price: Price | undefined): WebEngine {
  const { provider = "anthropic", model } = options;
  const baseUrl = anthropicAddress(options.baseUrl);
  const endpoint: Endpoint = {
    id: `${provider}/${model}`,
    host: new URL(baseUrl).host,
    keyName: options.keyName ?? "ANTHROPIC_API_KEY",
    apiKey: options.apiKey,
    headers: options.headers,
  };
  let client: ReturnType<typeof createAnthropicClient> | undefined;
  return {
    name: "Claude's search",
    async search({ words, site, most, within }, signal) {
      client ??= createAnthropicClient(endpoint, baseUrl, options);
      const recent = within === undefined ? "" : ` Only what is not older than a ${within} counts.`;
      const tool: Anthropic.WebSearchTool20250305 = {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 1,
        ...(site === undefined ? {} : { allowed_domains: [site] }),
      };
      const asked = `Search the web once for: ${words}\n${recent} Then write one sentence for each useful result that says what it tells, citing it.`;
      try {
        const api = await client;
        const answer = await api.messages.create(
          { model, max_tokens: 4_000, tools: [tool], messages: [{ role: "user", content: asked }] },
          { signal, timeout: patience },
        );
        const { usage } = answer;
        const searches = usage.server_tool_use?.web_search_requests ?? 1;
        return {
          hits: hitsIn(answer).slice(0, most),
          ...(within === undefined
            ? {}
            : {
                notes: [`Claude's search is asked for results within a ${within}, and may not keep to it.`],
              }),
          usage: { model: endpoint.id, ...withFee(pricedUsage(countOf(usage), price), searches * searchFee) },
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = toModelError(error, endpoint);
        throw new Error(
          `Claude's search: ${failure === undefined ? "it sent something unreadable" : failure.code.replaceAll("_", " ")}`,
        );
      }
    },
  };
}

function countOf({ input_tokens, output_tokens, cache_read_input_tokens }: Anthropic.Usage) {
  return { input_tokens, output_tokens, cached_tokens: cache_read_input_tokens ?? 0 };
}

function hitsIn({ content }: Anthropic.Message): Omit<WebHit, "engines">[] {
  const cited = new Map<string, string[]>();
  for (const block of content) {
    if (block.type !== "text") continue;
    for (const citation of block.citations ?? [])
      if (citation.type === "web_search_result_location")
        cited.set(citation.url, [...(cited.get(citation.url) ?? []), citation.cited_text]);
  }
  const found = content.flatMap((block) =>
    block.type === "web_search_tool_result" && Array.isArray(block.content) ? block.content : [],
  );
  return found.map(({ title, url, page_age }) => ({
    ...{ title, url, text: [...new Set(cited.get(url))].join(" … ").slice(0, 1_200) },
    ...(page_age === null ? {} : { date: page_age }),
  }));
}
