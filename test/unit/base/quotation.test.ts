import { describe, expect, it } from "vitest";
import { numbersIn, plainWords, saysSo, unfoundNumbers } from "../../../src/base/text/quotation.ts";

const text = plainWords(
  `The tower is **330 metres** tall — since 2022. It was “painted” by\n60 workers ([source](https://x.example)). ${"Filler of a page. ".repeat(60)}That is the end of the page.`,
);

describe("a quotation", () => {
  it.each([
    ["as it stands", "The tower is 330 metres tall", true],
    ["with other spaces, case and signs", "the TOWER is 330  metres tall - since 2022", true],
    ["with other quotation marks", 'It was "painted" by 60 workers', true],
    ["with something left out", "The tower is … since 2022", true],
    ["in another order", "since 2022 … The tower is", false],
    ["of other words", "The tower is 300 metres tall", false],
    ["too short to prove anything", "tall", false],
    ["that begins within a number", "30 metres tall", false],
    ["that ends within a word", "The tower is 330 met", false],
    ["of parts that stand far apart", "The tower is … the end of the page", false],
    ["of nothing", "", false],
  ])("a quotation is accepted or rejected: %s", (_name, quotation, holds) => {
    expect(saysSo(text, quotation)).toBe(holds);
  });

  it.each([
    ["a fraction is not its whole", "costs 13.5 euros a month", "costs 13", false],
    ["nor its end", "costs 13.5 euros a month", "5 euros a month", false],
    ["a full stop ends no number", "it costs 13. that is", "it costs 13", true],
    [
      "scripts without spaces have no borders",
      "東京タワーの高さは333メートルです。",
      "タワーの高さは333メートル",
      true,
    ],
    ["a later place counts where the first is no whole word", "retold here: told here", "told here", true],
  ])("a quotation is compared by whole words and numbers: %s", (_name, page, quotation, holds) => {
    expect(saysSo(plainWords(page), quotation)).toBe(holds);
  });
});

describe("numbers of a claim", () => {
  it.each([
    ["1,234.50 and 3", ["1234.5"]],
    ["1.234,50", ["1234.5"]],
    ["12 345 people", ["12345"]],
    ["see [12] and 2026", ["2026"]],
    ["1. first\n2. second", []],
    ["3.14", ["3.14"]],
    ["2,000", ["2000"]],
  ])("the numbers are found in the claim %s", (claim, numbers) => {
    expect(numbersIn(claim)).toEqual(numbers);
  });

  it("the unfound numbers of a claim are those that no source has", () => {
    expect(unfoundNumbers("It cost 1.234 € in 2025, 17 % more", ["In 2025 it cost EUR 1,234."])).toEqual([
      "17",
    ]);
  });
});
