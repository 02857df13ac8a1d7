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

/** One whose texts come and go. */
export interface GrowingTextIndex extends TextIndex {
  /** None of the ids may be in it. */
  add(texts: readonly IndexedText[]): void;
  /** Ids that are not in it are passed over. */
  remove(ids: readonly string[]): void;
}

export type CreateTextIndex = (texts: readonly IndexedText[]) => TextIndex;
