import { z } from "zod";
import { parsedJson } from "../base/json-reader.ts";
import { beginningOf } from "../base/markdown-text.ts";
import { type Web, type WebEngine, WebError, type WebHit, type WebQuery } from "../core/ports/web.ts";

const days = { day: 1, week: 7, month: 31, year: 366 } as const;

/** `words site:example.com`, for engines with this operator, within the engine's limits. */
function withSite({ words, site }: WebQuery, max: { characters: number; words?: number }): string {
  if (site === undefined) return fittingWords(words, max);
  const left = { characters: max.characters - ` site:${site}`.length, words: (max.words ?? 1_000) - 1 };
  return `${fittingWords(words, left)} site:${site}`;
}

/** https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export function braveEngine(web: Web, apiKey: string): WebEngine {
  const result = z
    .object({ title: text, url: z.string(), description: text, age: text, page_age: text })
    .transform(({ title, url, description, age, page_age }) => ({
      title,
      url,
      text: description,
      date: page_age || age,
    }));
  const ages = { day: "pd", week: "pw", month: "pm", year: "py" };
  return httpEngine(web, {
    name: "Brave",
    answer: z.object({ web: z.object({ results: resultsOf(result) }).nullish() }),
    request(query) {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      url.searchParams.set("q", withSite(query, { characters: 400, words: 50 }));
      url.searchParams.set("count", String(Math.min(20, query.most)));
      if (query.within !== undefined) url.searchParams.set("freshness", ages[query.within]);
      return { url: url.href, headers: { "x-subscription-token": apiKey } };
    },
    hits: (found) => found.web?.results ?? [],
  });
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavilyEngine(web: Web, apiKey: string): WebEngine {
  const result = z
    .object({ title: text, url: z.string(), content: text, published_date: text })
    .transform(({ title, url, content, published_date: date }) => ({ title, url, text: content, date }));
  return httpEngine(web, {
    name: "Tavily",
    answer: z.object({ results: resultsOf(result) }),
    request: ({ words, most, within, site }) => ({
      url: "https://api.tavily.com/search",
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        query: fittingWords(words, { characters: 400 }),
        max_results: Math.min(20, most),
        time_range: within,
        include_domains: site && [site],
      },
    }),
    hits: ({ results }) => results,
  });
}

/** https://docs.exa.ai/reference/search */
export function exaEngine(web: Web, apiKey: string, now: () => number): WebEngine {
  const highlights = z.array(z.string()).nullish().catch(undefined);
  const result = z
    .object({ title: text, url: z.string(), publishedDate: text, text, highlights })
    .transform(({ title, url, publishedDate: date, text, highlights }) => ({
      title,
      url,
      text: highlights?.join(" … ") || text,
      date,
    }));
  return httpEngine(web, {
    name: "Exa",
    answer: z.object({ results: resultsOf(result) }),
    request: ({ words, most, within, site }) => ({
      url: "https://api.exa.ai/search",
      headers: { "x-api-key": apiKey },
      body: {
        query: words,
        numResults: Math.min(25, most),
        contents: { highlights: true },
        startPublishedDate: within && new Date(now() - days[within] * 86_400_000).toISOString(),
        includeDomains: site && [site],
      },
    }),
    hits: ({ results }) => results,
  });
}

/** A SearXNG with `json` among its formats. https://docs.searxng.org/dev/search_api.html */
export function searxngEngine(web: Web, address: string): WebEngine {
  const result = z
    .object({ title: text, url: z.string(), content: text, publishedDate: text })
    .transform(({ title, url, content, publishedDate: date }) => ({ title, url, text: content, date }));
  const unresponsive = z.array(z.tuple([z.string()]).rest(z.unknown())).catch([]);
  return httpEngine(web, {
    name: "SearXNG",
    answer: z.object({ results: resultsOf(result), unresponsive_engines: unresponsive }),
    refusal: "it refused to answer in JSON; whoever runs it has to add json to its search.formats",
    request(query) {
      const url = new URL("search", address.endsWith("/") ? address : `${address}/`);
      url.searchParams.set("q", withSite(query, { characters: 1_000 }));
      url.searchParams.set("format", "json");
      if (query.within !== undefined) url.searchParams.set("time_range", query.within);
      return { url: url.href };
    },
    hits({ results, unresponsive_engines }, { most }) {
      const silent = unresponsive_engines.map(([engine]) => engine.slice(0, 40));
      if (results.length === 0 && silent.length > 0)
        throw new Error(`SearXNG: the engines it asks did not answer (${silent.slice(0, 5).join(", ")})`);
      return results.slice(0, most);
    },
  });
}

/** Required by Wikimedia: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy */
const userAgent = "Knack/1.0 (chat bot; web search of its user)";

/** The name of the engine that needs no key. */
export const encyclopaedia = "Wikipedia";

/**
 * Wikipedia, which needs no key: the engine of a bot without any other. Searches the English Wikipedia unless `site` names another
 * one (`de.wikipedia.org`). https://www.mediawiki.org/wiki/API:Search
 */
export function wikipediaEngine(web: Web): WebEngine {
  const result = z.object({ title: z.string(), snippet: text, timestamp: text });
  const originOf = (site = "en.wikipedia.org") =>
    `https://${site.replace(/^(www\.)?wikipedia/, "en.wikipedia")}`;
  const engine = httpEngine(web, {
    name: encyclopaedia,
    answer: z.object({ query: z.object({ search: resultsOf(result) }) }),
    refusal: "it refuses requests of programs from here",
    request({ words, most, site }) {
      const url = new URL("/w/api.php", originOf(site));
      url.search = String(
        new URLSearchParams({
          action: "query",
          list: "search",
          format: "json",
          srlimit: String(Math.min(20, most)),
          srsearch: fittingWords(words, { characters: 300 }),
        }),
      );
      return { url: url.href, headers: { "user-agent": userAgent } };
    },
    hits: ({ query: { search } }, { site }) =>
      search.map(({ title, snippet, timestamp }) => ({
        title,
        text: snippet,
        date: timestamp,
        url: `${originOf(site)}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
      })),
  });
  return {
    ...engine,
    async search(query, signal) {
      const { site, within } = query;
      const notes = within === undefined ? [] : ["Wikipedia cannot search by date."];
      if (site !== undefined && !/^([a-z-]+\.)?wikipedia\.org$/.test(site))
        return { hits: [], notes: [...notes, `Wikipedia cannot search ${site}.`] };
      return { ...(await engine.search(query, signal)), notes };
    },
  };
}

/** An engine with a JSON API. */
interface HttpEngine<Answer> {
  name: string;
  answer: z.ZodType<Answer>;
  /** The meaning of a refusal (401, 403) by this engine; a wrong key by default. */
  refusal?: string;
  /** @returns where the query goes. A body is sent as JSON with POST */
  request(query: WebQuery): { url: string; headers?: Record<string, string>; body?: object };
  hits(answer: Answer, query: WebQuery): Omit<WebHit, "engines">[];
}

/** Maximum wait for one engine, ms. */
const timeoutMs = 12_000;

/** Errors have a message for people that does not quote the server. Redirects are not followed, because they would forward the key. */
function httpEngine<Answer>(
  web: Web,
  { name, answer, refusal, request, hits }: HttpEngine<Answer>,
): WebEngine {
  const failure = (why: string) => new Error(`${name}: ${why}`);
  return {
    name,
    async search(query, signal) {
      const { url, headers, body } = request(query);
      const sent = body && { method: "POST", body: JSON.stringify(body) };
      const type = body && { "content-type": "application/json" };
      const response = await web
        .fetch(url, {
          ...sent,
          headers: { accept: "application/json", ...type, ...headers },
          signal,
          timeout_ms: timeoutMs,
          mayFollow: async () => false,
        })
        .catch((error: unknown) => {
          throw error instanceof WebError ? failure(webWords[error.code] ?? "it did not answer") : error;
        });
      if (response.status !== 200) throw failure(statusWords(response, refusal));
      const parsed = answer.safeParse(parsedJson(response.body));
      if (!parsed.success) throw failure("it sent something that cannot be read");
      return { hits: hits(parsed.data, query) };
    },
  };
}

const webWords: Partial<Record<WebError["code"], string>> = {
  timed_out: "it took too long",
  too_large: "its answer is too large",
  address_refused: "its address may not be reached; an operator can allow the host (net.allow)",
  redirect_refused: "it redirects elsewhere; check its address",
};

/** Brave answers 422 with this code to an unknown key. */
const unknownKey = /"code"\s*:\s*"SUBSCRIPTION_TOKEN_INVALID"/;

function statusWords(
  { status, body }: { status: number; body: string },
  refusal = "it refused the key; an operator of the bot has to check it",
): string {
  if (status === 401 || status === 403 || (status === 422 && unknownKey.test(body))) return refusal;
  if (status === 402 || status === 432 || status === 433) return "the plan's credit is used up";
  if (status === 429) return "it takes no more requests for now";
  return `it answered ${status}`;
}

/** A text that engines may leave out, or send as another type. */
const text = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((text) => text ?? "");

/** Results of one format. Other results, for example without an address, are skipped. */
function resultsOf<Result>(result: z.ZodType<Result>) {
  return z.array(z.unknown()).transform((all) => all.flatMap((each) => result.safeParse(each).data ?? []));
}

/** As many whole words of a search as the engine accepts. */
function fittingWords(text: string, max: { characters: number; words?: number }): string {
  const words = text.trim().split(/\s+/).slice(0, max.words);
  while (words.length > 1 && words.join(" ").length > max.characters) words.pop();
  return beginningOf(words.join(" "), max.characters);
}
