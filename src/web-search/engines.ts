import { z } from "zod";
import type { Web, WebEngine, WebQuery } from "../core/ports/web.ts";
import { askEngine, fittingWords, resultsOf, engineText as text } from "./ask-engine.ts";

const days = { day: 1, week: 7, month: 31, year: 366 } as const;

/** `words site:example.com`, for engines that know the operator; no more than the engine takes. */
function withSite({ words, site }: WebQuery, most: { characters: number; words?: number }): string {
  if (site === undefined) return fittingWords(words, most);
  const left = { characters: most.characters - ` site:${site}`.length, words: (most.words ?? 1_000) - 1 };
  return `${fittingWords(words, left)} site:${site}`;
}

/** https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export function braveEngine(web: Web, apiKey: string): WebEngine {
  const result = z.object({ title: text, url: z.string(), description: text, age: text, page_age: text });
  const answer = z.object({ web: z.object({ results: resultsOf(result) }).nullish() });
  return {
    name: "Brave",
    async search(query, signal) {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      url.searchParams.set("q", withSite(query, { characters: 400, words: 50 }));
      url.searchParams.set("count", String(Math.min(20, query.most)));
      if (query.within !== undefined)
        url.searchParams.set("freshness", { day: "pd", week: "pw", month: "pm", year: "py" }[query.within]);
      const headers = { "x-subscription-token": apiKey };
      const found = await askEngine(web, { name: "Brave", url: url.href, headers, answer, signal });
      const results = found.web?.results ?? [];
      return {
        hits: results.map(({ title, url, description, age, page_age }) => ({
          ...{ title, url, text: description, date: page_age || age },
        })),
      };
    },
  };
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavilyEngine(web: Web, apiKey: string): WebEngine {
  const result = z.object({ title: text, url: z.string(), content: text, published_date: text });
  const answer = z.object({ results: resultsOf(result) });
  return {
    name: "Tavily",
    async search({ words, most, within, site }, signal) {
      const found = await askEngine(web, {
        name: "Tavily",
        url: "https://api.tavily.com/search",
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query: fittingWords(words, { characters: 400 }),
          max_results: Math.min(20, most),
          ...(within === undefined ? {} : { time_range: within }),
          ...(site === undefined ? {} : { include_domains: [site] }),
        },
        answer,
        signal,
      });
      return {
        hits: found.results.map(({ title, url, content, published_date }) => ({
          ...{ title, url, text: content, date: published_date },
        })),
      };
    },
  };
}

/** https://docs.exa.ai/reference/search */
export function exaEngine(web: Web, apiKey: string, now: () => number): WebEngine {
  const highlights = z.array(z.string()).nullish().catch(undefined);
  const result = z.object({ title: text, url: z.string(), publishedDate: text, text, highlights });
  const answer = z.object({ results: resultsOf(result) });
  return {
    name: "Exa",
    async search({ words, most, within, site }, signal) {
      const since = within === undefined ? undefined : new Date(now() - days[within] * 86_400_000);
      const found = await askEngine(web, {
        name: "Exa",
        url: "https://api.exa.ai/search",
        headers: { "x-api-key": apiKey },
        body: {
          query: words,
          numResults: Math.min(25, most),
          contents: { highlights: true },
          ...(since === undefined ? {} : { startPublishedDate: since.toISOString() }),
          ...(site === undefined ? {} : { includeDomains: [site] }),
        },
        answer,
        signal,
      });
      return {
        hits: found.results.map(({ title, url, publishedDate, highlights, text }) => ({
          ...{ title, url, date: publishedDate, text: highlights?.join(" … ") || text },
        })),
      };
    },
  };
}

/** A SearXNG with `json` among its formats. https://docs.searxng.org/dev/search_api.html */
export function searxngEngine(web: Web, address: string): WebEngine {
  const result = z.object({ title: text, url: z.string(), content: text, publishedDate: text });
  const unresponsive = z.array(z.tuple([z.string()]).rest(z.unknown())).catch([]);
  const answer = z.object({ results: resultsOf(result), unresponsive_engines: unresponsive });
  const refusal = "it refused to answer in JSON; whoever runs it has to add json to its search.formats";
  return {
    name: "SearXNG",
    async search(query, signal) {
      const url = new URL("search", address.endsWith("/") ? address : `${address}/`);
      url.searchParams.set("q", withSite(query, { characters: 1_000 }));
      url.searchParams.set("format", "json");
      if (query.within !== undefined) url.searchParams.set("time_range", query.within);
      const found = await askEngine(web, { name: "SearXNG", url: url.href, answer, refusal, signal });
      const hits = found.results.slice(0, query.most).map(({ title, url, content, publishedDate }) => ({
        ...{ title, url, text: content, date: publishedDate },
      }));
      const silent = found.unresponsive_engines.map(([engine]) => engine.slice(0, 40));
      if (hits.length === 0 && silent.length > 0)
        throw new Error(`SearXNG: the engines it asks did not answer (${silent.slice(0, 5).join(", ")})`);
      return { hits };
    },
  };
}

/** What Wikimedia asks of programs: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy */
const userAgent = "Knack/1.0 (chat bot; web search of its user)";

/** Name of the engine that needs no key. */
export const encyclopaedia = "Wikipedia";

/**
 * Wikipedia, which needs no key: the engine of a bot that has no other. The English one, unless `site` names another
 * (`de.wikipedia.org`). https://www.mediawiki.org/wiki/API:Search
 */
export function wikipediaEngine(web: Web): WebEngine {
  const result = z.object({ title: z.string(), snippet: text, timestamp: text });
  const answer = z.object({ query: z.object({ search: resultsOf(result) }) });
  const refusal = "it refuses requests of programs from here";
  return {
    name: encyclopaedia,
    async search({ words, most, within, site }, signal) {
      const notes = within === undefined ? [] : ["Wikipedia cannot search by date."];
      if (site !== undefined && !/^([a-z-]+\.)?wikipedia\.org$/.test(site))
        return { hits: [], notes: [...notes, `Wikipedia cannot search ${site}.`] };
      const origin = `https://${site?.replace(/^(www\.)?wikipedia/, "en.wikipedia") ?? "en.wikipedia.org"}`;
      const url = new URL("/w/api.php", origin);
      const given = {
        ...{ action: "query", list: "search", format: "json", srlimit: String(Math.min(20, most)) },
        srsearch: fittingWords(words, { characters: 300 }),
      };
      for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
      const headers = { "user-agent": userAgent };
      const request = { name: encyclopaedia, url: url.href, headers, answer, refusal, signal };
      const found = await askEngine(web, request);
      const hits = found.query.search.map(({ title, snippet, timestamp }) => ({
        ...{ title, text: snippet, date: timestamp },
        url: `${origin}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
      }));
      return { hits, notes };
    },
  };
}
