import type { Anthropic } from "@anthropic-ai/sdk";
import type { WebEngine } from "../../core/ports/web.ts";
import type { Price } from "../prices.ts";
import type { CalledModel } from "../provider-model.ts";
import { askedSearch, createModelSearch } from "../provider-search.ts";
import { AnthropicContent, usageOf } from "./answer.ts";
import { anthropicServer } from "./client.ts";

/** Maximum parts of an answer that the server pauses. */
const maxAnswers = 3;

/**
 * Searches with Anthropic's API: a model searches the web once, and the results become hits. Its text is only used for the passages
 * that it cites.
 */
export function createAnthropicSearch(options: CalledModel, price: Price | undefined): WebEngine {
  const { model } = options;
  const { endpoint, connect } = anthropicServer(options);
  return createModelSearch({ name: "Claude's search", endpoint, price }, async (query, signal) => {
    const { site } = query;
    const tool: Anthropic.WebSearchTool20250305 = {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 1,
      ...(site === undefined ? {} : { allowed_domains: [site] }),
    };
    const request = { model, max_tokens: 4_000, tools: [tool], messages: [user(askedSearch(query))] };
    const { client } = await connect();
    const answers = await answersTo(client, request, { signal, timeout: options.timeoutMs });
    const metered = usageOf(answers.map((answer) => AnthropicContent.whole(answer)));
    return { ...readSearch(answers.flatMap(({ content }) => content)), metered };
  });
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
