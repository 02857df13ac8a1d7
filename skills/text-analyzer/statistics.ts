import { isUnspaced, splitSentences, splitWords } from "./words.ts";

/** Silent reading of English non-fiction, words a minute (Brysbaert 2019); of Chinese, characters a minute. */
const readingSpeed = { words: 238, characters: 260 };
/** Speaking, words a minute (Brysbaert 2019: reading aloud). */
const speakingSpeed = { words: 183, characters: 200 };

export interface Statistics {
  characters: number;
  characters_without_spaces: number;
  words: number;
  unique_words: number;
  sentences: number;
  paragraphs: number;
  lines: number;
  average_sentence_length: number;
  longest_sentence: number;
  average_word_length: number;
  reading_time_minutes: number;
  speaking_time_minutes: number;
}

/** Counts of a text. Characters are those a reader sees (an emoji is one); lengths of sentences are in words. */
export function measure(text: string, language: string): Statistics {
  const words = splitWords(text, language);
  const lengths = splitSentences(text, language).map((sentence) => splitWords(sentence, language).length);
  const visible = countCharacters(text.replace(/\s/g, ""));
  const unit = isUnspaced(language) ? "characters" : "words";
  const amount = unit === "words" ? words.length : visible;
  const letters = words.reduce((sum, word) => sum + [...word.text].length, 0);
  return {
    characters: countCharacters(text),
    characters_without_spaces: visible,
    words: words.length,
    unique_words: new Set(words.map((word) => word.lower)).size,
    sentences: lengths.length,
    paragraphs: text.split(/\n\s*\n/).filter((part) => part.trim() !== "").length,
    lines: text.split(/\r\n|\r|\n/).length,
    average_sentence_length: round(words.length / Math.max(1, lengths.length)),
    longest_sentence: lengths.reduce((longest, length) => Math.max(longest, length), 0),
    average_word_length: round(letters / Math.max(1, words.length)),
    reading_time_minutes: round(amount / readingSpeed[unit]),
    speaking_time_minutes: round(amount / speakingSpeed[unit]),
  };
}

/** The finding in one sentence. */
export function describeStatistics(statistics: Statistics): string {
  const { words, sentences, characters, average_sentence_length, reading_time_minutes } = statistics;
  const counted = [count(words, "word"), count(sentences, "sentence"), count(characters, "character")];
  const time =
    reading_time_minutes < 1
      ? "under a minute"
      : `about ${count(Math.round(reading_time_minutes), "minute")}`;
  return `${counted.join(", ")}; ${average_sentence_length} words a sentence; ${time} to read.`;
}

/** `1 word`, `2 words`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`;
}

/** To two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) characters += 1;
  return characters;
}
