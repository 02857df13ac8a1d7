import { describe, expect, it } from "vitest";
import { searchText } from "../../../src/base/text/search-text.ts";

const limits = { from: 0, characters: 8_000, context: 1 };
const log = Array.from({ length: 100 }, (_, at) => `${at} ${at % 40 === 5 ? "Error: disk full" : "ok"}`).join(
  "\n",
);

describe("searching a text", () => {
  it("searching a text shows the lines around each match with their numbers, whatever the case", () => {
    expect(searchText(log, "DISK", limits)).toEqual({
      passages: [
        ...["5- 4 ok", "6: 5 Error: disk full", "7- 6 ok", "--"],
        ...["45- 44 ok", "46: 45 Error: disk full", "47- 46 ok", "--"],
        ...["85- 84 ok", "86: 85 Error: disk full", "87- 86 ok"],
      ].join("\n"),
      shown: 3,
      total: 3,
      lines: 100,
    });
  });

  it.each([
    ["alternatives", "nowhere | 99 ", 1],
    ["words in order", "error*full", 3],
    ["words in one line only in their order", "full*7", 0],
    ["signs of regular expressions as themselves", "(.*", 0],
    ["nothing but signs", "*|*", 0],
  ])("searching a text counts the matches of %s", (_, search, total) => {
    expect(searchText(log, search, limits)).toMatchObject({ total });
  });

  it("searching a text finds the lines with most words of a phrase that does not occur, and says so", () => {
    const found = searchText(log, "was the disk full?", limits);
    expect(found).toMatchObject({ total: 3, note: expect.stringContaining("2 of its 4 words") });
    expect(searchText(log, "no such thing", limits)).toMatchObject({ total: 0, passages: "" });
  });

  it("searching a text shows no more than fits, and continues where it stopped", () => {
    const first = searchText(log, "disk", { ...limits, characters: 60 });
    expect(first).toMatchObject({ shown: 1, total: 3 });
    const second = searchText(log, "disk", { ...limits, characters: 60, from: first.next_offset ?? 0 });
    expect(second.passages).toContain("46: 45 Error");
    expect(second.passages).not.toContain("6: 5 Error: disk full\n7");
    expect(second).toMatchObject({ shown: 1, total: 2 });
    expect(searchText(log, "disk full", { ...limits, from: log.length - 10 })).toEqual({
      passages: "",
      ...{ shown: 0, total: 0, lines: 100 },
    });
  });

  it("searching a text shows long lines around each match, with the offset", () => {
    const line = `${"x".repeat(3_990)}needle in a haystack${"y".repeat(5_000)}needle`;
    const found = searchText(`first\n${line}`, "needle in|needle", limits);
    expect(found).toMatchObject({ shown: 2, total: 2 });
    expect(found.passages).toMatch(
      /^1- first\n2: \(offset 3996\) …x+needle in a hay.*… \(offset 9016\) …y+needle$/,
    );
  });

  it("searching a text takes linear time, whatever is searched for", () => {
    const text = "ab".repeat(4_000_000);
    const from = performance.now();
    for (const search of ["a*a*a*a*c", "b|zzz", "a a a b zzz", `${"a*".repeat(250)}`]) {
      searchText(text, search, limits);
    }
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});
