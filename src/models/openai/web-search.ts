import type { OpenAI } from "openai";
import { z } from "zod";
import type { WebEngine } from "../../core/ports/web.ts";
import type { Price } from "../prices.ts";
import type { CalledModel } from "../provider-model.ts";
import { askedSearch, createModelSearch } from "../provider-search.ts";
import { openAiServer } from "./client.ts";
import { usageOf } from "./responses/responses-answer.ts";

/** Maximum searches and page views of one request. Each search is charged. */
const maxCalls = 3;
/** Maximum characters before a citation that are taken as the passage. */
const passage = 400;

/** Searches with OpenAI's Responses API: a model searches the web, and its sources become hits. */
export function createOpenAiSearch(options: CalledModel, price: Price | undefined): WebEngine {
  const { model } = options;
  const { endpoint, client } = openAiServer(options);
  return createModelSearch({ name: "OpenAI's search", endpoint, price }, async (query, signal) => {
    const { site } = query;
    const filters = site === undefined ? {} : { filters: { allowed_domains: [site] } };
    const api = await client();
    const answer = await api.responses.create(
      {
        model,
        input: askedSearch(query),
        tools: [{ type: "web_search", search_context_size: "low", ...filters }],
        tool_choice: "required",
        max_tool_calls: maxCalls,
        include: ["web_search_call.action.sources"],
        store: false,
        max_output_tokens: 8_000,
      },
      { signal, timeout: options.timeoutMs },
    );
    return { ...readSearch(answer), metered: usageOf(answer.usage) };
  });
}

/** The parts of an answer that hold the results. Servers send less than the SDK's types say. Sources other than pages have no address. */
const outputSchema = z.array(
  z.object({
    type: z.string(),
    content: z
      .array(
        z.object({
          text: z.string().default(""),
          annotations: z
            .array(
              z.object({
                type: z.string(),
                url: z.string().optional(),
                title: z.string().nullish(),
                start_index: z.number().default(0),
              }),
            )
            .default([]),
        }),
      )
      .nullish(),
    action: z
      .object({
        type: z.string().default("search"),
        sources: z.array(z.object({ url: z.string().nullish() })).nullish(),
      })
      .nullish(),
  }),
);

/**
 * Citations first, then the other sources, which have only an address. An address may occur twice. Page views cost nothing besides
 * tokens. `failed`: why nothing was searched.
 */
function readSearch({ output, error }: OpenAI.Responses.Response) {
  const items = outputSchema.parse(output);
  const cited = items
    .flatMap(({ content }) => content ?? [])
    .flatMap(({ text, annotations }) =>
      annotations.flatMap(({ type, url, title, start_index }) =>
        type === "url_citation" && url !== undefined
          ? { url, title: title ?? "", text: passageBefore(text, start_index) }
          : [],
      ),
    );
  const calls = items.filter(({ type }) => type === "web_search_call");
  const others = calls
    .flatMap(({ action }) => action?.sources ?? [])
    .flatMap(({ url }) => (url ? { url, title: "", text: "" } : []));
  const hits = [...cited, ...others];
  const why = error?.code.replaceAll("_", " ") ?? "it answered without searching";
  return {
    hits,
    searches: calls.filter(({ action }) => (action?.type ?? "search") === "search").length,
    failed: calls.length === 0 && hits.length === 0 ? why : undefined,
  };
}

function passageBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - passage), end);
  return before.slice(before.lastIndexOf("\n") + 1).trim();
}
