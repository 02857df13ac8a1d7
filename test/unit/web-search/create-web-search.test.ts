import { describe, expect, it } from "vitest";
import type { WebEngine, WebHit } from "../../../src/core/web-search.ts";
import { createWebSearch } from "../../../src/web-search/create-web-search.ts";
import { addressKey } from "../../../src/web-search/merge-hits.ts";

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
  it("lists an address once, those first that several rank high, with the longest passage", async () => {
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

  it("goes on with those that answer, and says who did not", async () => {
    const found = await search(broken("A"), engine("B", hit("https://b.example")));
    expect(found).toMatchObject({ engines: ["B"], notes: ["A: it answered 500."] });
  });

  it("fails when none answers, and says how to get one", async () => {
    await expect(search(broken("A"), broken("B"))).rejects.toMatchObject({
      code: "failed",
      message: "No search engine answered. A: it answered 500; B: it answered 500.",
      hint: expect.stringContaining("BRAVE_API_KEY"),
    });
    await expect(search()).rejects.toMatchObject({ code: "no_engine" });
  });

  it("adds up what requests to models cost, and gives no more than asked for", async () => {
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
  ["https://example.com/a?utm_medium=x&id=1", "https://example.com/a?id=1"],
  ["https://m.example.com/a#part", "https://example.com/a"],
])("%s is the same page as %s", (one, other) => {
  expect(addressKey(one)).toBe(addressKey(other));
});
