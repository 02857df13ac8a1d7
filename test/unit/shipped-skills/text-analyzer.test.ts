import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/text-analyzer/skill.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";

interface Analysis {
  summary: string;
  language: string;
  note?: string;
  keywords?: { keyword: string; count: number; weight: number }[];
  sentiment?: { label: string; score: number; positive: string[]; negative: string[] };
  statistics?: Record<string, number>;
  readability?: { level: string; scores: { formula: string; value: number }[] };
}

async function analyse(text: string, analysis_type?: string, language?: string): Promise<Analysis> {
  if (skill.kind !== "single") throw new Error("one tool is expected");
  const { definition } = skill;
  const input = definition.parameters.parse({ text, analysis_type, language });
  return definition.output.parse(await definition.run(input, {} as ToolContext)) as Analysis;
}

describe("the text-analyzer skill", () => {
  it("the text-analyzer skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/text-analyzer")).toEqual({ valid: true, errors: [] });
  });

  describe("sentiment", () => {
    it("sentiment counts the rated words of both sides, and names them", async () => {
      const { summary, sentiment } = await analyse("I love this, but the ending was terrible", "sentiment");
      expect(sentiment).toEqual({ label: "mixed", score: 0, positive: ["love"], negative: ["terrible"] });
      expect(summary).toBe("Mixed (0 from -1 to 1); in favour: love; against: terrible.");
    });

    it.each([
      ["This is wonderful, thank you!", "positive"],
      ["It is not good.", "negative"],
      ["Not bad at all.", "positive"],
      ["The meeting is at 5.", "neutral"],
      ["See you 😍", "positive"],
      ["constructor", "neutral"],
    ])("the sentiment of a text is found: %s → %s", async (text, label) => {
      expect((await analyse(text, "sentiment")).sentiment?.label).toBe(label);
    });

    it("sentiment is left to the caller in languages without a word list", async () => {
      await expect(analyse("Das war ein schöner Abend", "sentiment", "de")).rejects.toMatchObject({
        code: "not_meaningful",
        message: expect.stringContaining("German"),
      });
    });
  });

  describe("keywords", () => {
    it("keywords are the default, count forms of a word together and join phrases", async () => {
      const { keywords } = await analyse(
        "The deploy failed. We deployed the payment service again; deploying the payment service took long. The payment service is fine.",
      );
      expect(keywords?.[0]).toEqual({ keyword: "payment service", count: 3, weight: 1 });
      expect(keywords?.[1]).toMatchObject({ keyword: "deploy", count: 3 });
      expect(keywords?.map(({ keyword }) => keyword)).not.toContain("payment");
    });

    it("keywords leave out the common words of the text's language", async () => {
      const german = await analyse(
        "Wir haben den Server neu gestartet und der Server läuft wieder.",
        "keywords",
        "de",
      );
      expect(german.keywords?.[0]?.keyword).toBe("Server");
      expect(german.keywords?.map(({ keyword }) => keyword)).not.toContain("und");
      const japanese = await analyse("今日は天気がいいです。明日も天気がいいです。", "keywords", "ja");
      expect(japanese.keywords?.[0]).toMatchObject({ keyword: "天気", count: 2 });
    });
  });

  it("statistics count what a reader sees", async () => {
    const { statistics } = await analyse("One two three. Four 👩‍👩‍👧 five!\n\nSix.", "statistics");
    expect(statistics).toMatchObject({
      words: 6,
      sentences: 3,
      paragraphs: 2,
      lines: 3,
      longest_sentence: 3,
      unique_words: 6,
    });
    expect(statistics?.characters).toBe(33);
  });

  describe("readability", () => {
    const easy =
      "The cat sat on the mat. It was warm. The dog ran to the cat. They played in the sun. ".repeat(5);
    const hard =
      "Notwithstanding considerable institutional heterogeneity, comprehensive organisational transformation necessitates sustained interdisciplinary collaboration. ".repeat(
        8,
      );

    it("readability tells easy from hard English by several formulas", async () => {
      const [first, second] = await Promise.all([analyse(easy, "readability"), analyse(hard, "readability")]);
      expect([first.readability?.level, second.readability?.level]).toEqual(["very easy", "very hard"]);
      expect(first.readability?.scores.map(({ formula }) => formula)).toEqual([
        "Flesch reading ease",
        "Flesch-Kincaid grade",
        "Gunning fog",
        "Coleman-Liau",
        "LIX",
      ]);
      for (const { value } of first.readability?.scores ?? []) expect(Math.abs(value)).toBeLessThan(130);
      expect(first.note).toBeUndefined();
    });

    it("readability uses only what holds in other languages", async () => {
      const { readability, note } = await analyse(
        "Die Verfassungsbeschwerde wurde wegen der Frist zurückgewiesen.",
        "readability",
        "deu",
      );
      expect(readability?.scores.map(({ formula }) => formula)).toEqual(["LIX"]);
      expect(note).toMatch(/rough/);
    });

    it("readability is refused where formulas mean nothing", async () => {
      await expect(analyse("今日は天気がいいです。", "readability", "ja")).rejects.toMatchObject({
        code: "not_meaningful",
      });
    });
  });

  it("the text-analyzer skill takes 200,000 characters in a moment and refuses more", async () => {
    const text = "I love this, but the ending was terrible. ".repeat(4_761);
    expect((await analyse(text, "sentiment")).sentiment?.label).toBe("mixed");
    await expect(analyse(text.repeat(2), "sentiment")).rejects.toThrow();
  });
});
