/** What a picture shows, beside its bytes. */
export interface PictureWords {
  /** In words, for people who do not see it. */
  alt?: string | undefined;
  /** Its data, if it is a chart that a platform may draw itself. */
  chart?: SmallChart | undefined;
}

/** A chart of few values: one for each category in each series. A pie has one series. */
export interface SmallChart {
  kind: "bar" | "line" | "area" | "pie";
  title: string;
  categories: string[];
  series: { name: string; values: number[] }[];
  x_label?: string | undefined;
  y_label?: string | undefined;
}
