import { describe, expect, it } from "vitest";
import type { WebEngine, WebHit } from "../../../src/core/ports/web.ts";
import { addressKey, createWebSearch } from "../../../src/web-search/create-web-search.ts";

const hit = (url: string, more: Partial<WebHit> = {}) => ({ title: url, url, text: "", ...more });
const engine = (name: string, ...hits: Omit<WebHit, "engines">[]): WebEngine => ({
  name,
  search: async () => ({ hits }),
});
const broken = (name: string): WebEngine => ({
  name,
  search: () => Promise.reject(new Error(`${name}: it answered 500`)),
});
const signal = new AbortController().signal;
const search = (...engines: WebEngine[]) => createWebSearch(engines).search({ words: "x", most: 3 }, signal);

describe("a search with several engines", () => {
  it("a search with several engines lists an address once, best ranked first, with the longest passage", async () => {
    const found = await search(
      engine("A", hit("https://a.example/1"), hit("https://www.b.example/", { text: "short" })),
      engine(
        "B",
        hit("https://b.example?utm_source=n", { text: "a longer passage", date: "2026-01-01" }),
        hit("https://c.example/x"),
      ),
    );
    expect(found.hits.map(({ url }) => url)).toEqual([
      "https://www.b.example/",
      "https://a.example/1",
      "https://c.example/x",
    ]);
    expect(found.hits[0]).toMatchObject({
      text: "a longer passage",
      date: "2026-01-01",
      engines: ["A", "B"],
    });
  });

  it("a search continues with the engines that answer, and says which did not", async () => {
    const found = await search(broken("A"), engine("B", hit("https://b.example")));
    expect(found).toMatchObject({ engines: ["B"], notes: ["A: it answered 500."] });
  });

  it("a search fails when no engine answers, and says how to get one", async () => {
    await expect(search(broken("A"), broken("B"))).rejects.toMatchObject({
      code: "failed",
      message: "No search engine answered. A: it answered 500; B: it answered 500.",
      hint: expect.stringContaining("BRAVE_API_KEY"),
    });
    await expect(search()).rejects.toMatchObject({ code: "no_engine" });
  });

  it("a search waits no longer for a slow engine once another has found something", async () => {
    const slow: WebEngine = {
      name: "Slow",
      search: (_query, until) =>
        new Promise((_resolve, reject) => {
          until.addEventListener("abort", () => reject(until.reason));
        }),
    };
    const engines = [slow, engine("B", hit("https://b.example"))];
    const found = await createWebSearch(engines, 1).search({ words: "x", most: 3 }, signal);
    expect(found).toMatchObject({ engines: ["B"], notes: ["Slow: it took too long."] });
  });

  it("a search says that only Wikipedia was searched when that is so", async () => {
    const wikipedia = engine("Wikipedia", hit("https://en.wikipedia.org/wiki/X"));
    expect((await search(wikipedia)).notes).toEqual([
      expect.stringMatching(/no search engine.*BRAVE_API_KEY/),
    ]);
    expect((await search(wikipedia, broken("A"))).notes).toEqual([
      "Only Wikipedia was searched.",
      "A: it answered 500.",
    ]);
    expect((await search(wikipedia, engine("B"))).notes).toEqual([]);
  });

  it("a search shows what a person would see: no markup, nothing invisible, no tracking, no odd addresses", async () => {
    const found = await search(
      engine(
        "A",
        hit("javascript:alert(1)"),
        hit("https://bank.example@evil.example/"),
        hit("https://a.example/?utm_source=openai&id=1", {
          title: "It&#8217;s <b>Array<string></b> &lt;b&gt;",
          text: `x < 5 \u{e0069}\u{e0067}and\u202e\u0007\n  y > 3 ${"<a ".repeat(1_000_000)}`,
          date: "2026-10-20T10:00:00Z",
        }),
        hit("https://b.example/", { title: "\u200b", date: "3 days ago" }),
      ),
    );
    expect(found.hits).toMatchObject([
      {
        title: "It’s Array<string> <b>",
        url: "https://a.example/?id=1",
        text: expect.stringMatching(/^x < 5 and y > 3 <a/),
        date: "2026-10-20",
      },
      { title: "b.example", date: "3 days ago" },
    ]);
    expect(found.hits[0]?.text.length).toBeLessThanOrEqual(1_200);
  });

  it("a search ranks an address no higher because one engine lists it twice", async () => {
    const twice = [hit("https://b.example/1"), hit("https://a.example/"), hit("https://a.example/#x")];
    expect((await search(engine("A", ...twice))).hits.map(({ url }) => url)).toEqual([
      "https://b.example/1",
      "https://a.example/",
    ]);
  });

  it("a search adds up what requests to models cost, and gives no more than requested", async () => {
    const paid: WebEngine = {
      name: "P",
      search: async () => ({
        hits: [1, 2, 3, 4].map((n) => hit(`https://p.example/${n}`)),
        usage: { model: "m", input_tokens: 5, output_tokens: 1 },
      }),
    };
    const found = await search(paid);
    expect(found.hits).toHaveLength(3);
    expect(found.usage).toEqual([{ model: "m", input_tokens: 5, output_tokens: 1 }]);
  });
});

it.each([
  ["https://www.example.com/a/", "http://example.com/a"],
  ["https://m.example.com/a#part", "https://example.com/a"],
])("the address %s is the same page as %s", (one, other) => {
  expect(addressKey(one)).toBe(addressKey(other));
});
