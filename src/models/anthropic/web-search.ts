import type { Anthropic } from "@anthropic-ai/sdk";
import type { WebEngine } from "../../core/ports/web.ts";
import { askedSearch, recencyNotes } from "../asked-search.ts";
import { type MeteredUsage, type Price, pricedUsage, withFee } from "../prices.ts";
import { endpointOf, toModelError } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { anthropicAddress, createAnthropicClient } from "./client.ts";

/** US dollars for one search. https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
const searchFee = 0.01;
const patience = 60_000;
/** Maximum parts of an answer that the server pauses. */
const maxAnswers = 3;

/**
 * Searches with Anthropic's API: a model searches the web once, and the results become hits. Its text is only used for the passages
 * that it cites.
 */
export function createAnthropicSearch(options: ProviderModelOptions, price: Price | undefined): WebEngine {
  const { model } = options;
  const baseUrl = anthropicAddress(options.baseUrl);
  const endpoint = endpointOf(options, { provider: "anthropic", baseUrl, keyName: "ANTHROPIC_API_KEY" });
  let client: ReturnType<typeof createAnthropicClient> | undefined;
  return {
    name: "Claude's search",
    async search(query, signal) {
      const { site } = query;
      const tool: Anthropic.WebSearchTool20250305 = {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 1,
        ...(site === undefined ? {} : { allowed_domains: [site] }),
      };
      const request = { model, max_tokens: 4_000, tools: [tool], messages: [user(askedSearch(query))] };
      try {
        client ??= createAnthropicClient(endpoint, baseUrl, options);
        const answers = await answersTo(await client, request, { signal, timeout: patience });
        const { hits, searches, failed } = readSearch(answers.flatMap(({ content }) => content));
        const usage = withFee(pricedUsage(countOf(answers), price), searches * searchFee);
        return {
          hits,
          ...(failed === undefined ? {} : { failed: `Claude's search: ${failed}` }),
          ...recencyNotes("Claude's search", query),
          usage: { model: endpoint.id, ...usage },
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = toModelError(error, endpoint);
        throw new Error(`Claude's search: ${failure?.message ?? "it sent something unreadable"}`);
      }
    },
  };
}

const user = (content: string) => ({ role: "user" as const, content });

/** The parts of the answer to a request: the server may pause it (`pause_turn`). */
async function answersTo(
  api: Anthropic,
  request: Anthropic.MessageCreateParamsNonStreaming,
  options: Anthropic.RequestOptions,
): Promise<Anthropic.Message[]> {
  const messages = [...request.messages];
  const answers: Anthropic.Message[] = [];
  do {
    const answer = await api.messages.create({ ...request, messages }, options);
    answers.push(answer);
    messages.push({ role: "assistant", content: answer.content });
  } while (answers.at(-1)?.stop_reason === "pause_turn" && answers.length < maxAnswers);
  return answers;
}

/** Anthropic's `input_tokens` do not include the tokens read from and written to the cache. */
function countOf(answers: readonly Anthropic.Message[]): MeteredUsage {
  const sum = (of: (usage: Anthropic.Usage) => number | null) =>
    answers.reduce((total, { usage }) => total + (of(usage) ?? 0), 0);
  const cached_tokens = sum((usage) => usage.cache_read_input_tokens);
  const cache_write_tokens = sum((usage) => usage.cache_creation_input_tokens);
  return {
    input_tokens: sum((usage) => usage.input_tokens) + cached_tokens + cache_write_tokens,
    output_tokens: sum((usage) => usage.output_tokens),
    cached_tokens,
    cache_write_tokens,
  };
}

/** The results of an answer's searches. Failed searches are not charged. `failed`: why there are no results. */
function readSearch(content: readonly Anthropic.ContentBlock[]) {
  const cited = new Map<string, string[]>();
  for (const block of content) {
    if (block.type !== "text") continue;
    for (const citation of block.citations ?? [])
      if (citation.type === "web_search_result_location")
        cited.set(citation.url, [...(cited.get(citation.url) ?? []), citation.cited_text]);
  }
  const searches = content.flatMap((block) =>
    block.type === "web_search_tool_result" ? [block.content] : [],
  );
  const found = searches.filter((results) => Array.isArray(results));
  const hits = found.flat().map(({ title, url, page_age }) => ({
    title,
    url,
    text: [...new Set(cited.get(url))].join(" … "),
    ...(page_age ? { date: page_age } : {}),
  }));
  const error = searches.flatMap((results) => (Array.isArray(results) ? [] : [results.error_code]))[0];
  const why = error?.replaceAll("_", " ") ?? "it answered without searching";
  return { hits, searches: found.length, failed: found.length === 0 ? why : undefined };
}
