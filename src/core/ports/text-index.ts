/** One text to be found. */
export interface IndexedText {
  id: string;
  /** The strongest field. */
  name: string;
  text: string;
}

/** Ranked full-text search over a fixed set of texts. */
export interface TextIndex {
  /** Ids with their score (above 0), best first. Nothing when no word fits. */
  search(query: string): { id: string; score: number }[];
}

/** One that more texts join. */
export interface GrowingTextIndex extends TextIndex {
  /** None of the ids may be in it. */
  add(texts: readonly IndexedText[]): void;
}

export type CreateTextIndex = (texts: readonly IndexedText[]) => TextIndex;
