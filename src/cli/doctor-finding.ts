/** One line of `knack doctor`. */
export interface Finding {
  name: string;
  /** A warning leaves the bot working. */
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, as a sentence. */
  advice?: string;
}
