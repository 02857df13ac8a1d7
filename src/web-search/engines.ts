import { z } from "zod";
import type { Web } from "../core/web.ts";
import type { WebEngine, WebQuery } from "../core/web-search.ts";
import { askEngine, hitOf } from "./ask-engine.ts";

const text = z.string().nullish();
const days = { day: 1, week: 7, month: 31, year: 366 } as const;

/** `words site:example.com`, for engines that know the operator. */
const withSite = ({ words, site }: WebQuery) => (site === undefined ? words : `${words} site:${site}`);

/** https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export function braveEngine(web: Web, apiKey: string): WebEngine {
  const answer = z.object({
    web: z
      .object({
        results: z.array(
          z.object({ title: text, url: z.string(), description: text, age: text, page_age: text }),
        ),
      })
      .nullish(),
  });
  return {
    name: "Brave",
    async search(query, signal) {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      url.searchParams.set("q", withSite(query));
      url.searchParams.set("count", String(Math.min(20, query.most)));
      if (query.within !== undefined)
        url.searchParams.set("freshness", { day: "pd", week: "pw", month: "pm", year: "py" }[query.within]);
      const headers = { "x-subscription-token": apiKey };
      const found = await askEngine(web, { name: "Brave", url: url.href, headers, answer, signal });
      const results = found.web?.results ?? [];
      return {
        hits: results.flatMap(({ title, url, description, age, page_age }) =>
          hitOf({ title, url, text: description, date: page_age ?? age }),
        ),
      };
    },
  };
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavilyEngine(web: Web, apiKey: string): WebEngine {
  const answer = z.object({
    results: z.array(z.object({ title: text, url: z.string(), content: text, published_date: text })),
  });
  return {
    name: "Tavily",
    async search({ words, most, within, site }, signal) {
      const found = await askEngine(web, {
        name: "Tavily",
        url: "https://api.tavily.com/search",
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query: words.slice(0, 400),
          max_results: Math.min(20, most),
          ...(within === undefined ? {} : { time_range: within }),
          ...(site === undefined ? {} : { include_domains: [site] }),
        },
        answer,
        signal,
      });
      return {
        hits: found.results.flatMap(({ title, url, content, published_date }) =>
          hitOf({ title, url, text: content, date: published_date }),
        ),
      };
    },
  };
}

/** https://docs.exa.ai/reference/search */
export function exaEngine(web: Web, apiKey: string, now: () => number): WebEngine {
  const answer = z.object({
    results: z.array(
      z.object({
        title: text,
        url: z.string(),
        publishedDate: text,
        text,
        highlights: z.array(z.string()).nullish(),
      }),
    ),
  });
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
        hits: found.results.flatMap((each) =>
          hitOf({
            ...{ title: each.title, url: each.url, date: each.publishedDate?.slice(0, 10) },
            text: each.highlights?.join(" … ") ?? each.text,
          }),
        ),
      };
    },
  };
}

/** A SearXNG with `json` among its formats. https://docs.searxng.org/dev/search_api.html */
export function searxngEngine(web: Web, address: string): WebEngine {
  const answer = z.object({
    results: z.array(z.object({ title: text, url: z.string(), content: text, publishedDate: text })),
  });
  return {
    name: "SearXNG",
    async search(query, signal) {
      const url = new URL("search", address.endsWith("/") ? address : `${address}/`);
      url.searchParams.set("q", withSite(query));
      url.searchParams.set("format", "json");
      if (query.within !== undefined) url.searchParams.set("time_range", query.within);
      const found = await askEngine(web, { name: "SearXNG", url: url.href, answer, signal });
      return {
        hits: found.results
          .slice(0, query.most)
          .flatMap(({ title, url, content, publishedDate }) =>
            hitOf({ title, url, text: content, date: publishedDate?.slice(0, 10) }),
          ),
      };
    },
  };
}

/** What Wikimedia asks of programs: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy */
const userAgent = "Knack/1.0 (chat bot; web search of its user)";

/**
 * Wikipedia, which needs no key: the engine of a bot that has no other. https://www.mediawiki.org/wiki/API:Search
 * @param language of the encyclopaedia, `en`
 * @param origin where it is, `https://{language}.wikipedia.org` unless given
 */
export function wikipediaEngine(web: Web, language = "en", origin?: string): WebEngine {
  const answer = z.object({
    query: z.object({
      search: z.array(z.object({ title: z.string(), snippet: text, timestamp: text })),
    }),
  });
  const site = origin ?? `https://${language}.wikipedia.org`;
  return {
    name: "Wikipedia",
    async search({ words, most, within, site: wanted }, signal) {
      const notes = [
        "Only Wikipedia was searched, since no search engine is set up. An operator gets one in a minute: a free key of Brave (BRAVE_API_KEY), Tavily (TAVILY_API_KEY) or Exa (EXA_API_KEY), or the address of a SearXNG (SEARXNG_URL).",
        ...(within === undefined ? [] : ["Wikipedia cannot search by date."]),
      ];
      if (wanted !== undefined && !/(^|\.)wikipedia\.org$/.test(wanted))
        return { hits: [], notes: [...notes, `It cannot search ${wanted}.`] };
      const url = new URL("/w/api.php", site);
      const limit = String(Math.min(20, most));
      const given = { action: "query", list: "search", srsearch: words, srlimit: limit, format: "json" };
      for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
      const headers = { "user-agent": userAgent };
      const found = await askEngine(web, { name: "Wikipedia", url: url.href, headers, answer, signal });
      const hits = found.query.search.flatMap(({ title, snippet, timestamp }) =>
        hitOf({
          ...{ title, text: snippet, date: timestamp?.slice(0, 10) },
          url: `${site}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
        }),
      );
      return { hits, notes };
    },
  };
}
