import { describe, expect, test } from "vitest";
import type { IndexedText } from "../../../src/core/ports/storage.ts";
import { createMiniSearchIndex } from "../../../src/search/minisearch-index.ts";

const texts: IndexedText[] = [
  { id: "web-search", name: "web-search", text: "Search the web and answer with links to pages." },
  { id: "web-search#fetch", name: "web-search#fetch", text: "Download one page as Markdown." },
  { id: "pdf-report", name: "createPdfReport", text: "Writes a report with charts into a file." },
  { id: "github", name: "GitHub issues", text: "Lists, opens and closes issues of repositories." },
  { id: "calendar", name: "calendar", text: "Plans meetings. Mentions a report once." },
  { id: "weather-ja", name: "天気予報", text: "東京の天気を調べます。" },
  { id: "cafe", name: "Café finder", text: "Finds coffee nearby. Calls the APIs of maps." },
];
function indexOf(given: readonly IndexedText[]) {
  const made = createMiniSearchIndex();
  made.add(given);
  return made;
}

const index = indexOf(texts);
const found = (query: string) => index.search(query).map(({ id }) => id);

describe("the text index", () => {
  test("the text index ranks a word in the name above one in the text, with falling scores above 0", () => {
    const results = index.search("report");
    expect(results.map(({ id }) => id)).toEqual(["pdf-report", "calendar"]);
    expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 0);
    expect(results[1]?.score).toBeGreaterThan(0);
  });

  test.each([
    ["fetch", "web-search#fetch"],
    ["web_search", "web-search"],
    ["websearch", "web-search"],
    ["webSearch", "web-search"],
    ["pdf", "pdf-report"],
    ["createpdfreport", "pdf-report"],
    ["github", "github"],
    ["git hub", "github"],
  ])("the text index finds the words of ids: %s", (query, id) => {
    expect(found(query)[0]).toBe(id);
  });

  test.each([
    ["searching the webs", "web-search"],
    ["downloaded", "web-search#fetch"],
    ["chart", "pdf-report"],
    ["closing issue", "github"],
    ["repository", "github"],
    ["planned a meeting", "calendar"],
    ["api", "cafe"],
  ])("the text index finds other forms of a word: %s", (query, id) => {
    expect(found(query)[0]).toBe(id);
  });

  test.each([
    ["calen", "calendar"],
    ["calender", "calendar"],
    ["repositry", "github"],
    ["CAFE", "cafe"],
    ["café", "cafe"],
  ])("the text index forgives beginnings, slips and accents: %s", (query, id) => {
    expect(found(query)[0]).toBe(id);
  });

  test("the text index prefers the exact word to one that only begins like it", () => {
    const both = indexOf([
      { id: "a", name: "planetarium", text: "" },
      { id: "b", name: "plan", text: "" },
    ]);
    expect(both.search("plan").map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("the text index finds words of texts written without spaces", () => {
    expect(found("東京")).toEqual(["weather-ja"]);
    expect(found("天気")[0]).toBe("weather-ja");
  });

  test.each(["", "   ", "the and of", "?!*", "zzzyqx"])("the text index finds nothing for %j", (query) => {
    expect(found(query)).toEqual([]);
  });

  test("the text index does not stumble over words that objects know", () => {
    expect(found("constructor __proto__ toString")).toEqual([]);
  });

  test("the text index takes a whole message as a query, and is quick with it", () => {
    const message = `Please plan a meeting. ${Array.from({ length: 100_000 }, (_, at) => `filler${at}`).join(" ")}`;
    const began = performance.now();
    expect(found(message)[0]).toBe("calendar");
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("the text index scales to 5,000 texts", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => {
      const text = `Text number${at} of the group ${at % 50}, which reads pages and writes reports about topic${at % 700}.`;
      return { id: `s${at}`, name: `tool-${at}`, text };
    });
    const large = indexOf([...many, ...texts]);
    expect(large.search("number4711")[0]?.id).toBe("s4711");
    expect(large.search("calendar")[0]?.id).toBe("calendar");
  });

  test("the text index is empty without texts", () => {
    expect(indexOf([]).search("web")).toEqual([]);
  });

  test("the text index finds words that only look like a stop word without their ending", () => {
    const index = indexOf([
      { id: "memory", name: "memory", text: "Keeps notes of a channel" },
      { id: "other", name: "other", text: "Does something else, not that" },
    ]);
    expect(index.search("note this").map(({ id }) => id)).toEqual(["memory"]);
  });
});
