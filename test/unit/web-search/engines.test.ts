import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Web, WebEngine, WebQuery, WebRequest } from "../../../src/core/ports/web.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { createWebSearch } from "../../../src/web-search/create-web-search.ts";
import {
  braveEngine,
  exaEngine,
  searxngEngine,
  tavilyEngine,
  wikipediaEngine,
} from "../../../src/web-search/engines.ts";
import { startServer } from "../net/local-server.ts";

const now = Date.parse("2026-11-25T00:00:00Z");
const signal = new AbortController().signal;
const query: WebQuery = { words: "node release", most: 5 };

/** The engines as they ask a server of this machine in the place of their own. */
const engines: Record<string, (web: Web, origin: string) => WebEngine> = {
  Brave: (web) => braveEngine(web, "the-key"),
  Tavily: (web) => tavilyEngine(web, "the-key"),
  Exa: (web) => exaEngine(web, "the-key", () => now),
  SearXNG: (web, origin) => searxngEngine(web, `${origin}/searx`),
  Wikipedia: (web) => wikipediaEngine(web),
};

/** As the vendors' documents show their answers. */
const answers: Record<string, object> = {
  Brave: {
    web: {
      results: [
        {
          title: "Node.js <strong>26</strong>",
          url: "https://nodejs.org/blog?utm_source=x",
          description: "Node &amp; <strong>release</strong>",
          page_age: "2026-10-20T10:00:00",
        },
        { title: "bad", url: "javascript:alert(1)", description: "" },
      ],
    },
  },
  Tavily: {
    results: [{ title: "Node.js 26", url: "https://nodejs.org/blog", content: "Node & release", score: 0.9 }],
  },
  Exa: {
    results: [
      {
        title: "Node.js 26",
        url: "https://nodejs.org/blog",
        publishedDate: "2026-10-20T10:00:00.000Z",
        highlights: ["Node & release"],
      },
    ],
  },
  SearXNG: {
    results: [
      {
        title: "Node.js 26",
        url: "https://nodejs.org/blog",
        content: "Node & release",
        publishedDate: "2026-10-20T10:00:00",
        engine: "bing",
      },
    ],
  },
  Wikipedia: {
    query: {
      search: [
        {
          title: "Node.js",
          snippet: 'Node &amp; <span class="searchmatch">release</span>',
          timestamp: "2026-10-20T10:00:00Z",
        },
      ],
    },
  },
};

/** Asks an engine, whose requests go to a server that answers so. */
async function ask(name: string, reply: { status?: number; body: string }, asked: WebQuery = query) {
  const seen: { url: URL; headers: IncomingMessage["headers"]; body: string }[] = [];
  await using server = await startServer(async (request, response) => {
    seen.push({
      url: new URL(request.url ?? "/", "http://x"),
      headers: request.headers,
      body: await readText(request),
    });
    const headers = { "content-type": "application/json", location: "https://elsewhere.example/" };
    response.writeHead(reply.status ?? 200, headers).end(reply.body);
  });
  const web = createWeb({ allow: ["127.0.0.1"] });
  const here: Web = {
    ...web,
    fetch: (url, options?: WebRequest) => {
      const { pathname, search } = new URL(url);
      return web.fetch(`${server.origin}${pathname}${search}`, options);
    },
  };
  const engine = engines[name]?.(here, server.origin);
  if (engine === undefined) throw new Error(name);
  return { found: await createWebSearch([engine]).search(asked, signal), request: seen[0] };
}

describe.each(Object.keys(engines))("%s", (name) => {
  it("an engine answers titles, addresses and passages without markup, and no address of another kind", async () => {
    const { found } = await ask(name, { body: JSON.stringify(answers[name]) });
    expect(found.hits).toHaveLength(1);
    expect(found.hits[0]).toMatchObject({ text: "Node & release" });
    expect(found.hits[0]?.title).toMatch(/^Node\.js( 26)?$/);
    expect(found.hits[0]?.url).toMatch(/^https?:[^?]*$/);
    expect(found.hits[0]?.date ?? "2026-10-20").toBe("2026-10-20");
  });

  it("an engine leaves out a result it cannot read, and answers the others", async () => {
    const spoilt = JSON.stringify(answers[name]).replace(
      /"(results|search)":\[/,
      '"$1":[null,{"title":7,"url":8},',
    );
    expect((await ask(name, { body: spoilt })).found.hits).toHaveLength(1);
  });

  it.each([
    [401, "{}", /it refuse/],
    [402, "{}", /credit is used up/],
    [429, "{}", /no more requests/],
    [302, "", /redirects elsewhere/],
    [200, `[${" ".repeat(5_100_000)}]`, /too large/],
    [500, "oops", /answered 500/],
    [200, "<html>", /cannot be read/],
    [200, '{"results": "none", "web": 3}', /cannot be read/],
  ])("an engine says why it did not answer: %s %s", async (status, body, words) => {
    await expect(ask(name, { status, body })).rejects.toThrow(words);
    await expect(ask(name, { status, body })).rejects.not.toThrow(/the-key/);
  });
});

it("each engine is queried as its documentation says, including time and site", async () => {
  const asked: WebQuery = { ...query, within: "week", site: "nodejs.org" };
  const brave = await ask("Brave", { body: "{}" }, asked);
  expect(Object.fromEntries(brave.request?.url.searchParams ?? [])).toEqual({
    q: "node release site:nodejs.org",
    count: "5",
    freshness: "pw",
  });
  expect(brave.request?.headers["x-subscription-token"]).toBe("the-key");
  const tavily = await ask("Tavily", { body: JSON.stringify(answers.Tavily) }, asked);
  expect(JSON.parse(tavily.request?.body ?? "")).toEqual({
    query: "node release",
    max_results: 5,
    time_range: "week",
    include_domains: ["nodejs.org"],
  });
  expect(tavily.request?.headers.authorization).toBe("Bearer the-key");
  const exa = await ask("Exa", { body: JSON.stringify(answers.Exa) }, asked);
  expect(JSON.parse(exa.request?.body ?? "")).toMatchObject({
    numResults: 5,
    startPublishedDate: "2026-11-18T00:00:00.000Z",
    includeDomains: ["nodejs.org"],
  });
  expect(exa.request?.headers["x-api-key"]).toBe("the-key");
  const searxng = await ask("SearXNG", { body: JSON.stringify(answers.SearXNG) }, asked);
  expect(searxng.request?.url.pathname).toBe("/searx/search");
  expect(Object.fromEntries(searxng.request?.url.searchParams ?? [])).toMatchObject({
    format: "json",
    time_range: "week",
  });
  const wikipedia = await ask(
    "Wikipedia",
    { body: JSON.stringify(answers.Wikipedia) },
    { ...query, within: "week" },
  );
  expect(wikipedia.request?.headers["user-agent"]).toContain("Knack");
  expect(wikipedia.found.notes?.join(" ")).toMatch(
    /Only Wikipedia was searched.*BRAVE_API_KEY.*cannot search by date/,
  );
});

it.each([
  ["Brave", 422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID" } }, /Brave: it refused the key/],
  ["Brave", 422, { error: { code: "VALIDATION" } }, /Brave: it answered 422/],
  ["SearXNG", 403, {}, /SearXNG: it refused to answer in JSON.*search\.formats/],
  [
    "SearXNG",
    200,
    {
      results: [],
      unresponsive_engines: [
        ["google", "CAPTCHA"],
        ["bing", "timeout"],
      ],
    },
    /the engines it asks did not answer \(google, bing\)/,
  ],
])("the engine %s tells by %s what is wrong", async (name, status, body, words) => {
  await expect(ask(name, { status, body: JSON.stringify(body) })).rejects.toThrow(words);
});

it("an engine is sent no more than it takes, and the site is kept", async () => {
  const words = "wörter ".repeat(57).trim();
  const brave = await ask("Brave", { body: "{}" }, { ...query, words, site: "nodejs.org" });
  const asked = brave.request?.url.searchParams.get("q") ?? "";
  expect(asked.split(" ")).toHaveLength(50);
  expect(asked).toMatch(/^wörter .* site:nodejs\.org$/);
  const long = await ask(
    "Brave",
    { body: "{}" },
    { ...query, words: "x".repeat(10_000), site: "nodejs.org" },
  );
  expect(long.request?.url.searchParams.get("q")).toHaveLength(400);
  const wikipedia = await ask("Wikipedia", { body: JSON.stringify(answers.Wikipedia) }, { ...query, words });
  expect(wikipedia.request?.url.searchParams.get("srsearch")).toHaveLength(300);
});

it.each([
  ["de.wikipedia.org", "https://de.wikipedia.org/wiki/Node.js"],
  ["wikipedia.org", "https://en.wikipedia.org/wiki/Node.js"],
])("Wikipedia is searched in the language that %s names", async (site, url) => {
  const { found } = await ask("Wikipedia", { body: JSON.stringify(answers.Wikipedia) }, { ...query, site });
  expect(found.hits[0]?.url).toBe(url);
});
