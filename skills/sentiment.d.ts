declare module "sentiment" {
  /** Scores by AFINN-165 and its ratings of emoji; `calculation` has the value of each rated word, the last word first. */
  class Sentiment {
    analyze(text: string): { calculation: Readonly<Record<string, number>>[] };
  }
  export = Sentiment;
}
