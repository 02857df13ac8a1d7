import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/text-analyzer/skill.ts";
import type { Generate, ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";

interface Analysis {
  summary: string;
  language: string;
  note?: string;
  keywords?: { keyword: string; count: number; weight: number }[];
  sentiment?: {
    label: string;
    leaning?: string;
    score: number;
    positive: string[];
    negative: string[];
    contrasts: string[];
  };
  statistics?: Record<string, number>;
  readability?: { level: string; scores: { formula: string; value: number }[] };
}

async function analyse(
  text: string,
  analysis_type?: string,
  judged?: Record<string, Json>,
): Promise<Analysis> {
  if (skill.kind !== "single") throw new Error("one tool is expected");
  const { definition } = skill;
  const context = {
    generative: judged !== undefined,
    stands: () => false,
    generate: (async () => judged) as unknown as Generate,
    step: async <T extends Json>(_name: string, work: () => Promise<T> | T) => await work(),
  } as unknown as ToolContext;
  const input = definition.parameters.parse({
    text,
    ...(analysis_type === undefined ? {} : { analysis_type }),
  });
  return definition.output.parse(await definition.run(input, context)) as Analysis;
}

describe("the text-analyzer skill", () => {
  it("the text-analyzer skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/text-analyzer")).toEqual({ valid: true, errors: [] });
  });

  describe("sentiment", () => {
    const sentiment = async (text: string) => (await analyse(text, "sentiment")).sentiment;

    it("sentiment weighs what follows a but, and explains it", async () => {
      const { summary, sentiment: found } = await analyse(
        "I love this, but the ending was terrible",
        "sentiment",
      );
      expect(found).toMatchObject({
        label: "mixed",
        leaning: "negative",
        positive: ["love"],
        negative: ["terrible"],
      });
      expect(found?.score).toBeLessThan(-0.3);
      expect(summary).toContain("“but” gives more weight to what follows: “the ending was terrible”");
    });

    it("sentiment turns with the order of the contrast", async () => {
      expect(await sentiment("The ending was terrible, but I love this")).toMatchObject({
        label: "mixed",
        leaning: "positive",
      });
      expect(await sentiment("Although the food was great, the service was awful.")).toMatchObject({
        leaning: "negative",
      });
      expect(await sentiment("The service was awful, though the food was great.")).toMatchObject({
        leaning: "negative",
      });
    });

    it.each([
      ["This is wonderful, thank you!", "positive"],
      ["This is pretty bad.", "negative"],
      ["It is not good.", "negative"],
      ["I have never been happy with it.", "negative"],
      ["Not bad at all.", "positive"],
      ["It is not only good but excellent.", "positive"],
      ["It looks like a table.", "neutral"],
      ["There is no meeting today.", "neutral"],
      ["The meeting is at 5.", "neutral"],
      ["The new version crashes all the time.", "negative"],
      ["See you 😍", "positive"],
      ["Well 😡", "negative"],
    ])("the sentiment of a text is found: %s → %s", async (text, label) => {
      expect((await sentiment(text))?.label).toBe(label);
    });

    it("sentiment recognises degrees", async () => {
      const [slightly, plain, very] = await Promise.all(
        ["It was slightly bad.", "It was bad.", "It was very bad."].map(
          async (text) => (await sentiment(text))?.score ?? 0,
        ),
      );
      expect(slightly).toBeGreaterThan(plain ?? 0);
      expect(plain).toBeGreaterThan(very ?? 0);
    });

    it("sentiment says that only emoji count in other languages when there is no model", async () => {
      const found = await analyse("Das war ein schöner Abend, aber das Essen war schlecht 😡", "sentiment");
      expect(found).toMatchObject({ language: "German", sentiment: { label: "negative", negative: ["😡"] } });
      expect(found.note).toContain("Only emoji were counted");
    });

    it("sentiment asks the model for other languages when there is one", async () => {
      const judged = {
        label: "mixed",
        score: -0.4,
        positive: ["schöner"],
        negative: ["schlecht"],
        contrasts: ["After aber."],
      };
      const found = await analyse(
        "Das war ein schöner Abend, aber das Essen war schlecht",
        "sentiment",
        judged,
      );
      expect(found.sentiment).toMatchObject({ label: "mixed", leaning: "negative" });
      expect(found.note).toContain("language model");
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
      );
      expect(german.keywords?.[0]?.keyword).toBe("Server");
      expect(german.keywords?.map(({ keyword }) => keyword)).not.toContain("und");
      const japanese = await analyse("今日は天気がいいです。明日も天気がいいです。", "keywords");
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

    it("readability uses only what holds in other languages, and says so", async () => {
      const { readability, note } = await analyse(
        "Die Verfassungsbeschwerde wurde wegen der Frist zurückgewiesen.",
        "readability",
      );
      expect(readability?.scores.map(({ formula }) => formula)).toEqual(["LIX"]);
      expect(note).toMatch(/made for English.*rough/);
    });

    it("readability is refused where formulas mean nothing", async () => {
      await expect(analyse("今日は天気がいいです。", "readability")).rejects.toMatchObject({
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
