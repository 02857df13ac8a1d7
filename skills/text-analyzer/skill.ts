import { z } from "zod";
import { counted } from "../../src/base/amounts.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { describeKeywords, findKeywords } from "./keywords.ts";
import { describeReadability, rateReadability } from "./readability.ts";
import { countSentiment, describeSentiment } from "./sentiment.ts";
import { round, splitSentences, splitWords } from "./words.ts";

const analysisType = z.enum(["keywords", "sentiment", "statistics", "readability"]);

const parameters = z.object({
  text: z.string().trim().min(1).max(200_000).describe("the text to look at, exactly as it was given"),
  analysis_type: analysisType
    .default("keywords")
    .describe(
      "keywords: what it is about, topics, tags; sentiment: mood, tone, positive or negative; statistics: how many words, counts, length, reading time; readability: how easy or hard to read, grade",
    ),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/i)
    .default("en")
    .describe("code of the text's language, such as de"),
});

const output = z.object({
  summary: z.string().describe("the finding, in words"),
  analysis_type: analysisType,
  language: z.string().describe("English name of the language"),
  note: z.string().optional().describe("what to keep in mind about the result"),
  keywords: z.array(z.object({ keyword: z.string(), count: z.number(), weight: z.number() })).optional(),
  sentiment: z
    .object({
      label: z.enum(["positive", "negative", "neutral", "mixed"]),
      score: z.number().min(-1).max(1),
      positive: z.array(z.string()),
      negative: z.array(z.string()),
    })
    .optional(),
  statistics: z.record(z.string(), z.number()).optional(),
  readability: z
    .object({
      level: z.string(),
      scores: z.array(z.object({ formula: z.string(), value: z.number(), meaning: z.string() })),
      longest_words: z.array(z.string()),
    })
    .optional(),
});
type Finding = Omit<z.input<typeof output>, "analysis_type" | "language">;

/** Keywords, sentiment, statistics or readability of a text. */
export const skill = defineSkill({
  name: "text_analyze",
  title: "Analysing the text",
  parameters,
  output,
  async run({ text, analysis_type, language: given }) {
    const [language = "en"] = Intl.getCanonicalLocales(given);
    const name = new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;
    return { analysis_type, language: name, ...(await analyses[analysis_type](text, language, name)) };
  },
});

type Analysis = (text: string, language: string, languageName: string) => Promise<Finding>;

const analyses: Record<z.infer<typeof analysisType>, Analysis> = {
  async keywords(text, language) {
    const keywords = await findKeywords(text, language);
    return { summary: describeKeywords(keywords), keywords };
  },

  async sentiment(text, language, name) {
    if (language !== "en") {
      const message = `The word list is English, so it cannot count the sentiment of ${name} text.`;
      throw new SkillFailure("not_meaningful", message, "Judge the text yourself.");
    }
    const sentiment = await countSentiment(text);
    return { summary: describeSentiment(sentiment), sentiment };
  },

  async statistics(text, language) {
    const statistics = countText(text, language);
    return { summary: describeStatistics(statistics), statistics };
  },

  async readability(text, language, name) {
    const rated = await rateReadability(text, language);
    if (rated === undefined) {
      throw new SkillFailure(
        "not_meaningful",
        `Readability formulas count letters and words with spaces between them; they say nothing about ${name} text like this.`,
        "Ask for statistics instead.",
      );
    }
    const { note, ...readability } = rated;
    return { summary: describeReadability(rated), note, readability };
  },
};

/** Words per minute (Brysbaert 2019: English non-fiction, silently and aloud). */
const speeds = { reading: 238, speaking: 183 };

/** Counts of a text. Characters are graphemes (an emoji is one); sentence lengths are in words. */
function countText(text: string, language: string) {
  const words = splitWords(text, language);
  const lengths = splitSentences(text, language).map((sentence) => splitWords(sentence, language).length);
  const letters = words.reduce((sum, word) => sum + [...word.text].length, 0);
  return {
    characters: countCharacters(text),
    characters_without_spaces: countCharacters(text.replace(/\s/g, "")),
    words: words.length,
    unique_words: new Set(words.map((word) => word.lower)).size,
    sentences: lengths.length,
    paragraphs: text.split(/\n\s*\n/).filter((part) => part.trim() !== "").length,
    lines: text.split(/\r\n|\r|\n/).length,
    average_sentence_length: round(words.length / Math.max(1, lengths.length)),
    longest_sentence: lengths.reduce((longest, length) => Math.max(longest, length), 0),
    average_word_length: round(letters / Math.max(1, words.length)),
    reading_time_minutes: round(words.length / speeds.reading),
    speaking_time_minutes: round(words.length / speeds.speaking),
  };
}

/** The result in one sentence. */
function describeStatistics(statistics: ReturnType<typeof countText>): string {
  const { words, sentences, characters, average_sentence_length, reading_time_minutes } = statistics;
  const sizes = [counted(words, "word"), counted(sentences, "sentence"), counted(characters, "character")];
  const minutes = Math.round(reading_time_minutes);
  const time = minutes < 1 ? "under a minute" : `about ${counted(minutes, "minute")}`;
  return `${sizes.join(", ")}; ${average_sentence_length} words a sentence; ${time} to read.`;
}

function countCharacters(text: string): number {
  let characters = 0;
  // Counted one by one: a list of the graphemes of a long text takes a hundred times its memory.
  for (const _ of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) characters += 1;
  return characters;
}
