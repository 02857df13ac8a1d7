import type { OpenAI } from "openai";
import { z } from "zod";
import type { WebEngine, WebHit } from "../../core/web-search.ts";
import { type Price, pricedUsage, withFee } from "../prices.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { createOpenAiClient, openAiUrl } from "./client.ts";

/** US dollars for one search. https://developers.openai.com/api/docs/pricing */
const searchFee = 0.01;
const patience = 60_000;
/** Characters before a citation that say what the source tells. */
const passage = 400;

/** The search of OpenAI's Responses API: a request to a model that searches, whose sources become hits. */
export function createOpenAiSearch(options: ProviderModelOptions, price: Price | undefined): WebEngine {
  const { provider = "openai", model, baseUrl = openAiUrl } = options;
  const endpoint: Endpoint = {
    id: `${provider}/${model}`,
    host: new URL(baseUrl).host,
    keyName: options.keyName ?? "OPENAI_API_KEY",
    apiKey: options.apiKey,
    headers: options.headers,
  };
  const client = createOpenAiClient(endpoint, baseUrl, options);
  return {
    name: "OpenAI's search",
    async search({ words, site, most, within }, signal) {
      const recent = within === undefined ? "" : ` Only what is not older than a ${within} counts.`;
      try {
        const api = await client();
        const answer = await api.responses.create(
          {
            model,
            input: `Search the web once for: ${words}\n${recent} Then write one sentence for each useful source that says what it tells, citing it.`,
            tools: [
              {
                type: "web_search",
                search_context_size: "low",
                ...(site === undefined ? {} : { filters: { allowed_domains: [site] } }),
              },
            ],
            include: ["web_search_call.action.sources"],
            store: false,
            max_output_tokens: 4_000,
          },
          { signal, timeout: patience },
        );
        const calls = answer.output.filter(({ type }) => type === "web_search_call").length;
        const { usage } = answer;
        const metered = usage && {
          ...{ input_tokens: usage.input_tokens, output_tokens: usage.output_tokens },
          cached_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
        };
        return {
          hits: hitsIn(answer).slice(0, most),
          usage: { model: endpoint.id, ...withFee(pricedUsage(metered, price), calls * searchFee) },
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = toModelError(error, endpoint);
        throw new Error(
          `OpenAI's search: ${failure === undefined ? "it sent something unreadable" : failure.code.replaceAll("_", " ")}`,
        );
      }
    },
  };
}

/** What of an answer tells what was found; the SDK knows more than servers send. */
const outputSchema = z.array(
  z.object({
    content: z
      .array(
        z.object({
          text: z.string().default(""),
          annotations: z
            .array(
              z.object({
                type: z.string(),
                url: z.string().optional(),
                title: z.string().default(""),
                start_index: z.number().default(0),
              }),
            )
            .default([]),
        }),
      )
      .default([]),
    action: z.object({ sources: z.array(z.object({ url: z.string() })).nullish() }).nullish(),
  }),
);

/** What is cited first, then the other sources, which have an address alone. */
function hitsIn({ output }: OpenAI.Responses.Response): Omit<WebHit, "engines">[] {
  const items = outputSchema.parse(output);
  const cited = items
    .flatMap(({ content }) => content)
    .flatMap(({ text, annotations }) =>
      annotations.flatMap(({ type, url, title, start_index }) =>
        type === "url_citation" && url !== undefined
          ? { url: withoutSource(url), title, text: passageBefore(text, start_index) }
          : [],
      ),
    );
  const sources = items.flatMap(({ action }) => action?.sources ?? []);
  const others = sources.map(({ url }) => ({ url: withoutSource(url), title: "", text: "" }));
  const first = new Map([...cited, ...others].toReversed().map((hit) => [hit.url, hit]));
  return [...first.values()].toReversed().flatMap((hit) => {
    const address = URL.parse(hit.url);
    return address === null ? [] : { ...hit, title: hit.title || address.host };
  });
}

function passageBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - passage), end);
  return before.slice(before.lastIndexOf("\n") + 1).trim();
}

/** Citations carry `utm_source=openai`. */
function withoutSource(url: string): string {
  return url.replace(/([?&])utm_source=openai(&|$)/, (_whole, before: string, after: string) =>
    after === "" ? "" : before,
  );
}
