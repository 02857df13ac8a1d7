import { count, isUnspaced, round, splitSentences, splitWords } from "./words.ts";

/** Words a minute (Brysbaert 2019: English non-fiction, silently and aloud); of Chinese, characters a minute. */
const speeds = { words: { reading: 238, speaking: 183 }, characters: { reading: 260, speaking: 200 } };

/** Counts of a text. Characters are those a reader sees (an emoji is one); lengths of sentences are in words. */
export function measure(text: string, language: string) {
  const words = splitWords(text, language);
  const lengths = splitSentences(text, language).map((sentence) => splitWords(sentence, language).length);
  const visible = countCharacters(text.replace(/\s/g, ""));
  const [amount, speed] = isUnspaced(language) ? [visible, speeds.characters] : [words.length, speeds.words];
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
    reading_time_minutes: round(amount / speed.reading),
    speaking_time_minutes: round(amount / speed.speaking),
  };
}

/** The finding in one sentence. */
export function describeStatistics(statistics: ReturnType<typeof measure>): string {
  const { words, sentences, characters, average_sentence_length, reading_time_minutes } = statistics;
  const counted = [count(words, "word"), count(sentences, "sentence"), count(characters, "character")];
  const time =
    reading_time_minutes < 1
      ? "under a minute"
      : `about ${count(Math.round(reading_time_minutes), "minute")}`;
  return `${counted.join(", ")}; ${average_sentence_length} words a sentence; ${time} to read.`;
}

function countCharacters(text: string): number {
  let characters = 0;
  // Counted one by one: a list of the parts of a long text takes a hundred times its memory.
  for (const _ of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) characters += 1;
  return characters;
}
